package backup

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Files of a killed process are deleted, whenever it was killed; files of a running one stay.
func TestScratchSweeps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	used, remove, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	unlocked, unheld := filepath.Join(dir, ".sett-unfinished-1"), filepath.Join(dir, ".sett-unfinished-2")
	for _, path := range []string{unlocked, unheld} {
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"lock", "sett.db"} {
		if err := os.WriteFile(filepath.Join(unheld, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, removeAgain, err := Scratch(dir)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{used: true, unlocked: false, unheld: false} {
		if _, err := os.Stat(path); os.IsNotExist(err) == want {
			t.Errorf("%s: %v, want it to be there: %v", path, err, want)
		}
	}
	for _, f := range []func() error{remove, removeAgain} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// Those that begin at the same time sweep nothing of each other.
func TestScratchesAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 50 {
				path, remove, err := Scratch(dir)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(path, "x"), nil, 0o600); err != nil {
					t.Error(err)
				}
				if err := remove(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
