package db

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestRenderedSchema(t *testing.T) {
	t.Parallel()
	for _, d := range []*dialect{sqliteDialect, postgresDialect} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			files := newRenderedSchema(d)
			if err := fstest.TestFS(files, "0001_foundation.sql"); err != nil {
				t.Error(err)
			}
			text, err := fs.ReadFile(files, "0001_foundation.sql")
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), d.holes["identity"]) || strings.Contains(string(text), "{{identity}}") {
				t.Errorf("the holes are not filled:\n%s", text)
			}
		})
	}
}
