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

// witness is a file without a name beside the log, whose size changes after each sync. On Linux 6.18, fdatasync can report success although
// data is lost, in the moment when ext4 gives up a disk: its journal has ended, but not every call notices. A change of a size does, as it
// needs the journal. So if the change succeeds, the journal was there during the sync.
type witness struct {
	file *os.File
	size int64
}

func newWitness(dir string) (witness, error) {
	file, err := os.CreateTemp(dir, "witness-*")
	if err != nil {
		return witness{}, err
	}
	return witness{file: file}, os.Remove(file.Name())
}

func (w *witness) change() error {
	w.size = 1 - w.size
	return w.file.Truncate(w.size)
}

func (w *witness) close() error {
	if w.file == nil {
		return nil
	}
	return w.file.Close()
}
