package db

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFilesOfTheDatabaseAreForTheirOwnerAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	open := func() *DB {
		s, err := Open(t.Context(), Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}
	look := func(when string, files ...string) {
		t.Helper()
		for _, file := range files {
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s, %s: %v, %v", when, file, info.Mode(), err)
			}
		}
	}
	s := open()
	if _, err := s.Unlock(t.Context()); err != nil {
		t.Fatal(err)
	}
	look("new", fileName, fileName+"-wal", fileName+"-shm", keyFileName)
	if err := s.CopyTo(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	look("copied", "copy.db")
	for _, ending := range []string{"", "-wal", "-shm"} {
		if err := os.Chmod(s.path+ending, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if open := s.OpenFiles(); len(open) != 3 {
		t.Errorf("open to others: %q", open)
	}
	second := open()
	look("opened again", fileName, fileName+"-wal", fileName+"-shm")
	if err := second.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := os.Chmod(filepath.Join(dir, fileName), 0o666); err != nil {
		t.Fatal(err)
	}
	s = open()
	look("after a restart", fileName, fileName+"-wal", fileName+"-shm")
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
