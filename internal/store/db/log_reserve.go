package db

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// reservedLog is the size, in bytes, that the log has from the start: it rarely grows beyond it, see longLog.
const reservedLog = 16 << 20

// reserveLog fills the log up to reservedLog with zeros, which SQLite ignores, and syncs them to disk, so that a later sync has no
// metadata to write. On Linux 6.18, fdatasync can report success although the new size of a growing file is lost, in the moment when ext4
// gives up a disk. If the disk has no room for the zeros, the log grows as it is written.
func (d *DB) reserveLog(ctx context.Context) error {
	if d.log.idle {
		return nil
	}
	tx, err := d.Write.BeginTx(ctx, nil) // no process writes to the log meanwhile
	if err != nil {
		return fmt.Errorf("reserve the log: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it has changed nothing
	file, err := os.OpenFile(d.log.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("reserve the log: %w", err)
	}
	return errors.Join(fillUp(file, reservedLog), file.Close())
}

// fillUp appends zeros to a file up to a size, or leaves it as it is if the disk has no room for them.
func fillUp(file *os.File, size int64) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	zeros := make([]byte, 1<<20)
	for at := info.Size(); at < size; {
		n, err := file.WriteAt(zeros[:min(size-at, int64(len(zeros)))], at)
		if err != nil {
			return file.Truncate(info.Size())
		}
		at += int64(n)
	}
	if info.Size() < size {
		return file.Sync()
	}
	return nil
}
