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
	for {
		if path, err = os.MkdirTemp(dir, scratchPattern); err != nil {
			return "", nil, err
		}
		lock := lockOf(path, flock.SetFlag(os.O_CREATE|os.O_RDWR))
		locked, err := lock.TryLock()
		if locked {
			_, err = os.Stat(lock.Path())
		}
		switch {
		case locked && err == nil:
			return path, func() error { return errors.Join(lock.Close(), os.RemoveAll(path)) }, nil
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return "", nil, errors.Join(err, lock.Close(), os.RemoveAll(path))
		}
		_ = lock.Close() // another process removed it as stale before it was locked
	}
}

func lockOf(path string, o flock.Option) *flock.Flock {
	return flock.New(filepath.Join(path, "lock"), o)
}

// sweep removes stale files. Files that cannot be removed do not matter.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, scratchPattern)) // the pattern is a right one
	for _, path := range left {
		lock := lockOf(path, flock.SetFlag(os.O_RDWR))
		switch locked, err := lock.TryLock(); {
		case err == nil && locked:
			_ = os.RemoveAll(path)
		case errors.Is(err, os.ErrNotExist): // its owner is about to lock it, or was killed before
			_ = os.Remove(path) // as long as it is empty
		}
		_ = lock.Close()
	}
}
