package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"sett/internal/sett"
)

// lockFiles are what processes that share an SQLite file lock in its directory; they are made when missing, and empty.
type lockFiles struct {
	schema   *flock.Flock // while the file is made or its schema changed
	recorder *flock.Flock // by the one process that records
}

func newLockFiles(dir string) *lockFiles {
	return &lockFiles{flock.New(filepath.Join(dir, "schema.lock")), flock.New(filepath.Join(dir, "sett.lock"))}
}

func (l *lockFiles) close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.schema.Close(), l.recorder.Close())
}

// tryAgain is how long a process that waits for a lock file waits between two looks.
const tryAgain = 20 * time.Millisecond

// changeSchema runs f while no other process makes the file or changes its schema. Where the lock file cannot be opened
// the database cannot either, and says so in better words.
func (l *lockFiles) changeSchema(ctx context.Context, f func() error) (err error) {
	if _, err := l.schema.TryLockContext(ctx, tryAgain); err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			return fmt.Errorf("lock %s: %w", l.schema.Path(), err)
		}
	}
	defer func() { err = errors.Join(err, l.schema.Unlock()) }()
	return f()
}

// comeFree is how long a process waits for the one before it to end.
const comeFree = 5 * time.Second

// RecordAlone makes this the only process that records into an SQLite file, until it ends: what it has in memory would
// be wrong if another one did too. Other commands may open the file meanwhile.
func (d *DB) RecordAlone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, comeFree)
	defer cancel()
	locked, err := d.files.recorder.TryLockContext(ctx, tryAgain)
	if !locked && errors.Is(err, context.DeadlineExceeded) {
		return sett.Errorf(sett.Conflict, "another sett serves the data directory %s; stop it first, or choose another directory", filepath.Dir(d.files.recorder.Path()))
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", d.files.recorder.Path(), err)
	}
	return nil
}

// IsRecorded reports whether a process records into the SQLite file.
func (d *DB) IsRecorded() (bool, error) {
	locked, err := d.files.recorder.TryLock()
	if err == nil && locked {
		err = d.files.recorder.Unlock()
	}
	return !locked, err
}

const lockSchema = `-- store.lockSchema
SELECT pg_advisory_lock($1, -1)`

// changeSchema runs f while no other process changes the schema.
func (d *DB) changeSchema(ctx context.Context, f func() error) (err error) {
	if d.dialect == sqliteDialect {
		return d.files.changeSchema(ctx, f)
	}
	session, err := d.upkeep.Conn(ctx)
	if err != nil {
		return fmt.Errorf("lock schema: %w", err)
	}
	defer func() { err = errors.Join(err, endSession(session)) }()
	if _, err := session.ExecContext(ctx, lockSchema, int64(LockClass)); err != nil {
		return fmt.Errorf("lock schema: %w", err)
	}
	return f()
}

const unlockSchema = `-- store.unlockSchema
SELECT pg_advisory_unlock($1, -1)`

// endSession lets go of the lock on the schema, also when the caller has given up, and gives the session back.
func endSession(session *sql.Conn) error {
	_, err := session.ExecContext(context.Background(), unlockSchema, int64(LockClass))
	return errors.Join(err, session.Close())
}

// LockClass is the first key of all advisory locks; the second is the number of a node, or -1 for the schema.
const LockClass = 0x73657474
