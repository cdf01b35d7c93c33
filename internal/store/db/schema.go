package db

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"sett/internal/store/schema"
)

// renderedSchema is the schema as files with the holes filled for one engine. The size that a file reports is that of the text with
// holes.
type renderedSchema struct {
	files   fs.FS
	dialect *dialect
}

func newRenderedSchema(d *dialect) fs.FS {
	return renderedSchema{schema.Files, d}
}

// Open opens a directory as it is, and a file with its holes filled.
func (s renderedSchema) Open(name string) (fs.File, error) {
	file, err := s.files.Open(name)
	if err != nil {
		return nil, err
	}
	if _, ok := file.(fs.ReadDirFile); ok {
		return file, nil
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("read schema: %w", err)
	}
	return renderedFile{file, strings.NewReader(s.dialect.render(string(text)))}, nil
}

// renderedFile is a file with its text replaced.
type renderedFile struct {
	fs.File
	text io.Reader
}

func (f renderedFile) Read(b []byte) (int, error) { return f.text.Read(b) }
