package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// reserve is a file that holds room on the disk of an SQLite database. Without room, nothing leads out of a full disk: rows are deleted by
// writing, and what the log holds has to get into the database file before the log can be written over. So once a transaction has met a
// full disk, the file is deleted, and what clients report is refused until it is there again, or the database has as much room within.
type reserve struct {
	path  string      // "": there is none
	none  atomic.Bool // a limit on the size of files does not let it be made; then each transaction tries for itself
	kept  atomic.Bool // this process makes it again
	given atomic.Bool
	spare atomic.Bool // the database file has so many free pages that it need not grow
	tried time.Time   // when the room was last to be taken back
}

const (
	reserveName  = "sett.room"
	reserveBytes = 16 << 20
	reserveMore  = 8 << 20 // that must be free beside it, so that it is not given at once again
	reserveEvery = time.Second
	sparePages   = 4 << 20 / pageSize // more than what is stored until they are counted again
)

// ReserveRoom keeps room on the disk from now on, so that rows can be deleted when the disk is full. PostgreSQL's disk is its own affair.
func (d *DB) ReserveRoom() error {
	r := &d.checkpoints.room
	if r.path == "" || r.given.Load() {
		r.kept.Store(r.path != "")
		return nil
	}
	err := r.take()
	r.none.Store(errors.Is(err, syscall.EFBIG))
	r.kept.Store(!r.none.Load())
	if outOfRoom(err) {
		d.checkpoints.noRoom.Store(true)
		err = nil
	}
	return err
}

// Roomy returns why no more may be stored of what clients report; nil if there is room.
func (d *DB) Roomy() error {
	if r := &d.checkpoints.room; r.given.Load() && !r.spare.Load() {
		return unavailable(time.Minute, nil, noRoomMessage)
	}
	return nil
}

// release gives the room if a transaction has failed for lack of it, and reports whether that is new: then it may succeed.
func (d *DB) release(ctx context.Context, err error) bool {
	r := &d.checkpoints.room
	if r.path == "" || r.none.Load() || r.given.Load() || !d.dialect.full(err) {
		return false
	}
	d.checkpoints.empty(ctx)
	return true
}

// take makes the file.
func (r *reserve) take() (err error) {
	file, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("reserve room: %w", err)
	}
	defer func() {
		if err = errors.Join(err, file.Close()); err != nil {
			err = errors.Join(err, os.Remove(r.path))
		}
	}()
	if info, err := file.Stat(); err == nil && info.Size() == reserveBytes {
		return nil
	}
	if err := allocate(file, reserveBytes+reserveMore); err != nil {
		return fmt.Errorf("reserve room: %w", err)
	}
	return file.Truncate(reserveBytes)
}

// fill writes what no file system makes smaller.
func fill(f *os.File, bytes int64) error {
	_, err := io.CopyN(f, rand.NewChaCha8([32]byte{}), bytes)
	return err
}

// give deletes the file.
func (r *reserve) give() {
	if r.path != "" && !r.none.Load() && !r.given.Swap(true) {
		_ = os.Remove(r.path) // if it stays, room is still missing, and nothing is lost
	}
}

// takeBack takes the room back when there is some again, and finds out whether the database has room within.
func (c *checkpoints) takeBack(ctx context.Context, now time.Time) {
	r := &c.room
	if !r.given.Load() || !r.kept.Load() {
		return
	}
	var free int64
	if err := c.db.QueryRowContext(ctx, "PRAGMA freelist_count").Scan(&free); err == nil {
		r.spare.Store(free >= sparePages)
	}
	if now.Sub(r.tried) < reserveEvery {
		return
	}
	r.tried = now
	if log, _, err := checkpoint(ctx, c.db, "NOOP"); err == nil && log > reserveBytes/pageSize {
		c.restart(ctx, "TRUNCATE", log)
	}
	if r.take() == nil {
		r.given.Store(false)
	}
}
