package db

import (
	"errors"
	"io/fs"
	"os"
)

// privateMode is the mode of all database files: only the owner can read them, whatever the directory allows.
const privateMode = 0o600

// sqliteFiles are the suffixes of the files of an SQLite database.
var sqliteFiles = []string{"", "-wal", "-shm", "-journal"}

// touchPrivate creates an empty file that only its owner can read. SQLite accepts it as a new database.
func touchPrivate(file string) error {
	f, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, privateMode)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(privateMode), f.Close()) // regardless of the umask
}

// MakePrivate ensures that the files of an SQLite database are there for their owner alone before it is opened.
func MakePrivate(file string) error {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return touchPrivate(file)
	}
	return closeToOthers(file)
}

// closeToOthers removes the permissions of other users on the files of a database. A file that belongs to another user stays as it is:
// sett doctor reports it.
func closeToOthers(file string) (err error) {
	for _, ending := range sqliteFiles {
		open, look := openToOthers(file + ending)
		if open {
			look = os.Chmod(file+ending, privateMode)
		}
		if look != nil && !errors.Is(look, fs.ErrNotExist) && !errors.Is(look, fs.ErrPermission) {
			err = errors.Join(err, look)
		}
	}
	return err
}

func openToOthers(file string) (bool, error) {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&^privateMode != 0, err
}

// OpenFiles returns the files of an SQLite database that other users than their owner may read or change.
func (d *DB) OpenFiles() (names []string) {
	if d.dialect != sqliteDialect {
		return nil
	}
	for _, ending := range sqliteFiles {
		if open, _ := openToOthers(d.path + ending); open {
			names = append(names, d.path+ending)
		}
	}
	return names
}
