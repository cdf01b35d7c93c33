// Package sqlitefile gives tests data directories whose SQLite database has the newest schema: a copy of one that was migrated once in this
// process, which takes a twentieth of the time. It takes the function that migrates, and returns a directory of the test's own. It knows
// nothing of a schema.
package sqlitefile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// FreshDir returns a new directory as migrate leaves an empty one, without lock files; it is deleted when the test ends.
// Migrate runs once in a process, so every caller in a process must pass one that does the same. It must have closed the
// database when it returns.
func FreshDir(t testing.TB, migrate func(dir string) error) (dir string) {
	t.Helper()
	template.once.Do(func() { template.files, template.err = makeTemplate(migrate) })
	if template.err != nil {
		t.Fatalf("make template directory: %v", template.err)
	}
	dir = t.TempDir()
	for name, content := range template.files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// template is what migrate left in a directory, at most one in a process.
var template struct {
	once  sync.Once
	files map[string][]byte // by name
	err   error
}

func makeTemplate(migrate func(dir string) error) (files map[string][]byte, err error) {
	dir, err := os.MkdirTemp("", "sett-template-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := migrate(dir); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	files = map[string][]byte{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lock") {
			continue
		}
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}
