package main

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

// ownerFile says who publishes the release.
const ownerFile = "deploy/owner.yaml"

// owner is who publishes a release, as of ownerFile.
type owner struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Home  string `json:"home"`
	File  string `json:"file"` // of the repository, with {version} and {file}
	Icon  string `json:"icon"`
	Image string `json:"image"` // without its tag
}

func readOwner(name string) (o owner, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return o, err
	}
	if err := yaml.UnmarshalStrict(text, &o); err != nil {
		return o, fmt.Errorf("%s: %w", ownerFile, err)
	}
	for _, f := range o.fields() {
		if f.value == "" {
			return o, fmt.Errorf("%s: %s is empty; if you have none, write a placeholder that contains .invalid", ownerFile, f.name)
		}
	}
	return o, nil
}

// field is one of the file.
type field struct{ name, value string }

func (o owner) fields() []field {
	return []field{{"name", o.Name}, {"email", o.Email}, {"home", o.Home}, {"file", o.File}, {"icon", o.Icon}, {"image", o.Image}}
}

// placeholder is what no address can contain that can be reached (RFC 2606).
const placeholder = ".invalid"

// placeholders returns the names of the fields that are not filled in.
func (o owner) placeholders() (names []string) {
	for _, f := range o.fields() {
		if strings.Contains(f.value, placeholder) {
			names = append(names, f.name)
		}
	}
	return names
}

// address returns where a file of a version can be read.
func (o owner) address(version, file string) string {
	return strings.NewReplacer("{version}", version, "{file}", file).Replace(o.File)
}
