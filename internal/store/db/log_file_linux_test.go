package db

import (
	"os"
	"path/filepath"
	"testing"
)

// A sync is no success if the file system has ended meanwhile, even if the call to the system was.
func TestSyncNeedsAWitness(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	l := &logFile{path: path, syncFile: func(*os.File) error { return nil }}
	if err := l.sync(); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.witness.close(); err != nil {
		t.Fatal(err)
	}
	l.witness.file = readOnly
	for range 2 {
		if err := l.sync(); err == nil {
			t.Error("a sync succeeded although the witness could not be changed")
		}
	}
	if err := l.close(); err != nil {
		t.Error(err)
	}
}
