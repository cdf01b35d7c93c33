package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"sett/internal/sett"
)

// Save writes a file by write, in a scratch directory beside it, and gives it its name when it is whole and on the disk. The
// file is for this user alone. An earlier backup of that name is replaced; see Replaceable.
func Save(file, scratch string, write func(io.Writer) error) (bytes int64, err error) {
	unfinished := filepath.Join(scratch, "backup")
	f, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	about, err := os.Stat(unfinished)
	if err != nil {
		return 0, err
	}
	if err := os.Rename(unfinished, file); err != nil {
		return 0, err
	}
	return about.Size(), syncDir(filepath.Dir(file))
}

// syncDir brings the names in a directory to the disk, where a system can.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Replaceable returns an Invalid error where a file of that name is something else than a backup.
func Replaceable(file string) error {
	f, err := os.Open(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at %s: %w", file, err)
	}
	defer f.Close()
	return OnlyBackup(file, f)
}

// OnlyBackup returns an Invalid error where what r reads of a place is something else than a backup.
func OnlyBackup(name string, r io.Reader) error {
	b, err := Open(r)
	if err != nil {
		return sett.Errorf(sett.Invalid, "%s already exists and is not a sett backup; choose another name", name)
	}
	b.Close()
	return nil
}
