package db

import (
	"errors"
	"os"
	"syscall"
)

// syncData brings a file's content to the disk, and of what is said about it only what is needed to find it: the log is
// written over again and again, so that mostly nothing is.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// syncDir brings the names in a directory to the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
