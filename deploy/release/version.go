package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// versionFile has the version that the next release has. The manual and the compose files name it too; a test holds them equal.
const versionFile = "internal/base/about/VERSION"

// number is a version as Semantic Versioning has it, without metadata of a build.
var number = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9a-z]+(\.[0-9a-z]+)*)?$`)

// choose takes the version that was given, or else that of the source. A tag of the commit must say the same.
func (r *release) choose(ctx context.Context) error {
	next, err := r.nextVersion()
	if err != nil {
		return err
	}
	if r.number = strings.TrimPrefix(r.number, "v"); r.number == "" {
		r.number = next
	}
	if !number.MatchString(r.number) {
		return fmt.Errorf("%q is no version: write one such as 0.11.0 or 0.11.0-rc.1", r.number)
	}
	text, err := r.git(ctx, "tag", "--points-at", "HEAD", "--list", "v*")
	if err != nil {
		return err
	}
	switch tags := strings.Fields(text); {
	case len(tags) == 0:
		r.before = append(r.before, "tag the commit: git tag -s v"+r.number)
	case !slices.Contains(tags, "v"+r.number):
		return fmt.Errorf("the commit has the tag %s, and the release would be %s: run make release VERSION=%s, or remove the tag", tags[0], r.number, tags[0][1:])
	}
	return nil
}

func (r *release) nextVersion() (string, error) {
	text, err := os.ReadFile(r.file(versionFile))
	return strings.TrimSpace(string(text)), err
}

// stamped returns a file of the source with the version of the release where it has that of the source.
func (r *release) stamped(file []byte) ([]byte, error) {
	next, err := r.nextVersion()
	return bytes.ReplaceAll(file, []byte(next), []byte(r.number)), err
}
