package backup

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// scratchPattern is what directories for work that is not done are called.
const scratchPattern = ".sett-unfinished-*"

// Scratch makes a directory in dir for work that is not done, for this user alone, and removes those that processes left
// there which were killed. remove must be called.
func Scratch(dir string) (path string, remove func() error, err error) {
	sweep(dir)
	if path, err = os.MkdirTemp(dir, scratchPattern); err != nil {
		return "", nil, err
	}
	lock := lockOf(path)
	if _, err := lock.TryLock(); err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(path))
	}
	return path, func() error { return errors.Join(lock.Close(), os.RemoveAll(path)) }, nil
}

func lockOf(path string) *flock.Flock { return flock.New(filepath.Join(path, "lock")) }

// sweep removes what nobody works on any more. What cannot be removed is no matter.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, scratchPattern)) // the pattern is a right one
	for _, path := range left {
		lock := flock.New(filepath.Join(path, "lock"), flock.SetFlag(os.O_RDWR)) // not made: its owner is about to
		if locked, err := lock.TryLock(); err == nil && locked {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}
