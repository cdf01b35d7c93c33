// Package fromfile has what all sources share that are files of a configuration. It takes the paths of YAML files or of
// their directories, and returns their text, within a bound; it decodes a text, and puts what a file says of a request
// into a site. It never says what is in a file that it cannot read.
package fromfile

import (
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"sett/internal/sett"
	"sett/internal/sett/move"
)

// File is a file of a configuration.
type File struct {
	Name string
	Text []byte
}

// The most that is read: bytes of a file, and things of one kind.
const (
	MostText   = 4 << 20
	MostThings = 10_000
)

// Read reads files, and those of directories that end with .yaml or .yml, by name.
func Read(paths []string) (files []File, err error) {
	for _, path := range paths {
		names := []string{path}
		if stat, err := os.Stat(path); err == nil && stat.IsDir() {
			yaml, _ := filepath.Glob(filepath.Join(path, "*.yaml")) // the pattern is well formed
			yml, _ := filepath.Glob(filepath.Join(path, "*.yml"))
			if names = slices.Sorted(slices.Values(append(yaml, yml...))); len(names) == 0 {
				return nil, sett.Errorf(sett.Invalid, "%s has no file that ends with .yaml or .yml", path)
			}
		}
		for _, name := range names {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			text, err := io.ReadAll(io.LimitReader(f, MostText+1))
			if err := errors.Join(err, f.Close()); err != nil {
				return nil, err
			}
			files = append(files, File{Name: name, Text: text})
		}
	}
	return files, nil
}

// Decode reads the text of a file, after change if that is not nil. Of says whose configuration it is.
func (f File) Decode(of string, change func(string) string, into any) error {
	if len(f.Text) > MostText {
		return sett.Errorf(sett.TooLarge, "%s has more than %d bytes.", f.Name, MostText)
	}
	text := string(f.Text)
	if change != nil {
		text = change(text)
	}
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		return sett.Errorf(sett.Invalid, "%s is no configuration of %s: %v.", f.Name, of, err)
	}
	return nil
}

// Request puts into a site what is sent, and returns how that is another thing than in the file; "" if it is not.
func Request(s *move.Site, method, body string, headers map[string]string) (why string) {
	s.Method, s.Body = "GET", body
	switch method = strings.ToUpper(method); method {
	case "POST", "PUT", "PATCH", "DELETE":
		s.Method = method
	case "", "GET":
	default:
		why = "It sends " + move.Line(method, 20) + "; in sett it sends GET."
	}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		s.Headers = append(s.Headers, move.Header{Name: name, Value: headers[name]})
	}
	return why
}
