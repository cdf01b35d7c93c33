package db

import (
	"errors"
	"os"
	"syscall"
)

// syncData syncs a file's content to disk, and its metadata only as far as needed to find the content: the log is overwritten again and
// again, so usually no metadata is needed.
func syncData(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// syncDir syncs the names in a directory to disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
