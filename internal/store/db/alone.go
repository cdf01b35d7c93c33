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

// lockFiles are the lock files, in its directory, of processes that share an SQLite file; they are created if missing, and empty.
type lockFiles struct {
	schema   *flock.Flock // held while the file is created or its schema changed
	recorder *flock.Flock // held by the one process that records
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

// tryAgain is how often a process that waits for a lock file tries to lock it.
const tryAgain = 20 * time.Millisecond

// changeSchema runs f while no other process creates the file or changes its schema. If the lock file cannot be opened, the database
// cannot be opened either, and its error is clearer.
func (l *lockFiles) changeSchema(ctx context.Context, f func() error) (err error) {
	if _, err := l.schema.TryLockContext(ctx, tryAgain); err != nil {
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			return fmt.Errorf("lock %s: %w", l.schema.Path(), err)
		}
	}
	defer func() { err = errors.Join(err, l.schema.Unlock()) }()
	return f()
}

// comeFree is how long a process waits for its predecessor to exit.
const comeFree = 5 * time.Second

// RecordAlone makes this process the only one that records into an SQLite file, until it exits: another recorder would invalidate what it
// holds in memory. Other commands may open the file meanwhile.
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

const lockSchema = `-- db.lockSchema
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

const unlockSchema = `-- db.unlockSchema
SELECT pg_advisory_unlock($1, -1)`

// endSession releases the lock on the schema, even if the caller has given up, and returns the session.
func endSession(session *sql.Conn) error {
	_, err := session.ExecContext(context.Background(), unlockSchema, int64(LockClass))
	return errors.Join(err, session.Close())
}

// LockClass is the first key of all advisory locks; the second is the number of a node, or -1 for the schema.
const LockClass = 0x73657474
