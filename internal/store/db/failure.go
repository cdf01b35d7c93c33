package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sett/internal/sett"
)

// Time limits of a transaction with all its retries on PostgreSQL, which may never answer. Longer work is split into several
// transactions.
const (
	txPatience     = 2 * time.Minute
	intakePatience = 8 * time.Second // less than clients wait
)

// Limited gives a transaction a deadline, if its caller has not set an earlier one. SQLite always answers.
func (d *DB) Limited(ctx context.Context, patience time.Duration) (context.Context, context.CancelFunc) {
	if d.dialect == sqliteDialect {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, patience)
}

// ErrHeld is in the error chain of a transaction that gave up waiting for a row that another one holds.
var ErrHeld = errors.New("another transaction holds a row")

// ErrDamaged is in the error chain of a transaction that met a failing disk or a damaged database.
var ErrDamaged = errors.New("the disk or the database is damaged")

const noRoomMessage = "The server has no room to store this. Try again later."

// reason returns why the database did not do what it was asked, as a user-facing error; nil if it is a bug of ours.
func (d *DB) reason(err error) error {
	switch {
	case d.dialect.held(err):
		return unavailable(time.Second, ErrHeld, "Another change of the same data takes a while. Try again in a moment.")
	case d.dialect.full(err), d.dialect.unkept(err) && d.noRoom():
		d.checkpoints.noRoom.Store(true)
		return unavailable(time.Minute, nil, noRoomMessage)
	case d.dialect.damaged(err):
		return unavailable(time.Minute, ErrDamaged, "The server's disk or database has failed. Try again when its operator has repaired it.")
	case d.dialect.standby(err):
		return unavailable(5*time.Second, nil, "The database takes no changes right now. Try again in a moment.")
	case d.dialect.gone(err), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrReplica):
		return unavailable(5*time.Second, nil, "The database does not answer. Try again in a moment.")
	}
	return nil
}

func unavailable(wait time.Duration, why error, message string) error {
	e := &sett.Error{Code: sett.Unavailable, Message: message, RetryAfter: wait}
	if why == nil {
		return e
	}
	return fmt.Errorf("%w: %w", e, why)
}

// Unanswered wraps the error of a database that did not answer, as Unavailable. The result is in doubt: retry only what may be done
// twice.
func Unanswered(what string, err error) error {
	return fmt.Errorf("%s: %w: %w", what, unavailable(5*time.Second, nil, "The database does not answer. Try again in a moment."), err)
}

// Explain returns err, as Unavailable if it says that the database did not answer or has failed. Methods that only read leave this to the
// callers at the edge.
func (d *DB) Explain(err error) error {
	if err == nil || sett.CodeOf(err) != "" {
		return err
	}
	if e := d.reason(err); e != nil {
		return fmt.Errorf("read: %w: %w", e, err)
	}
	return err
}

// errNotBegun says that the connection was lost before anything could have been done.
var errNotBegun = errors.New("the transaction was not begun")

// notBegun returns the error of a transaction that could not be started. If an open connection was lost, another one may work; a server
// that cannot be reached is not retried.
func (d *DB) notBegun(err error) error {
	if _, connecting := errors.AsType[*pgconn.ConnectError](err); connecting || !d.dialect.gone(err) {
		return err
	}
	return fmt.Errorf("%w: %w", errNotBegun, err)
}

// dropIdle closes the idle connections: they lead to a server that is no longer the primary.
func (d *DB) dropIdle() {
	for db, size := range map[interface{ SetMaxIdleConns(int) }]int{d.Read: mostConnections, d.Write: mostConnections, d.intake: mostIntakeConnections} {
		db.SetMaxIdleConns(0)
		db.SetMaxIdleConns(size)
	}
}

// noRoom reports whether no file in the directory of the database can grow beyond the largest one. It writes a file of its own, because
// SQLite does not report why a write failed.
func (d *DB) noRoom() bool {
	file, err := os.CreateTemp(filepath.Dir(d.path), "room-*")
	if err != nil {
		return outOfRoom(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	_, err = file.WriteAt(make([]byte, pageSize), d.largestFile())
	return outOfRoom(err)
}

func (d *DB) largestFile() (size int64) {
	for _, ending := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(d.path + ending); err == nil {
			size = max(size, info.Size())
		}
	}
	return size
}

func outOfRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Conflict reports whether an error says that a row already exists.
func (d *DB) Conflict(err error) bool { return d.dialect.conflict(err) }

// ConflictIn reports whether an error says that a row of a table of PostgreSQL already exists.
func (d *DB) ConflictIn(table string, err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && d.dialect.conflict(err) && e.TableName == table
}

// Gone reports whether an error says that the server no longer answers.
func (d *DB) Gone(err error) bool { return d.dialect.gone(err) }

// Render returns a statement in the dialect of this engine, without caching it.
func (d *DB) Render(text string) string { return d.dialect.render(text) }
