package move

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"sett/internal/sett"
)

// Kinds of files that a page imports, as Place.Source says them.
const (
	FromGatus      = "gatus"
	FromOpenStatus = "openstatus"
)

// The bounds of the files of an import: their text together, and how many.
const (
	MostFileBytes = 1 << 20 // what a parser makes of hostile YAML is a hundred times as large
	MostGiven     = 50
)

// Given is a file that people move from.
type Given struct {
	Name string
	Text []byte
}

// OfFiles reports whether all that comes is in files, and no server is asked.
func (s Settings) OfFiles() bool { return s.From == FromGatus || s.From == FromOpenStatus }

// FileNames returns the names of files, as settings have them.
func FileNames(files []Given) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names
}

// CheckFiles returns files as they are read, and adds a problem if they cannot be.
func CheckFiles(p *sett.Problems, files []Given) []Given {
	files = slices.DeleteFunc(slices.Clone(files), func(f Given) bool { return len(f.Text) == 0 })
	together := 0
	for i, f := range files {
		together += len(f.Text)
		files[i].Name = Line(path.Base(strings.ReplaceAll(f.Name, `\`, "/")), MostName)
	}
	switch {
	case len(files) == 0:
		p.Add("files", "are missing or empty; choose the YAML files of the configuration")
	case len(files) > MostGiven:
		p.Add("files", "must be at most %d; put them together, or use the command line", MostGiven)
	case together > MostFileBytes:
		p.Add("files", "must have at most 1 MiB together; import fewer at a time, or use the command line")
	}
	return files
}

// PackFiles returns files as one text, which takes the place of a token.
func PackFiles(files []Given) (string, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := json.NewEncoder(w).Encode(files); err != nil {
		return "", fmt.Errorf("pack files: %w", err)
	}
	if err := w.Close(); err != nil {
		return "", fmt.Errorf("pack files: %w", err)
	}
	return packed.String(), nil
}

// UnpackFiles returns the files of a text of PackFiles.
func UnpackFiles(packed string) (files []Given, err error) {
	r, err := gzip.NewReader(strings.NewReader(packed))
	if err == nil {
		err = json.NewDecoder(io.LimitReader(r, 2*MostFileBytes)).Decode(&files)
	}
	if err != nil {
		return nil, fmt.Errorf("unpack files: %w", err)
	}
	return files, nil
}
