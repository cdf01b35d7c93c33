package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
	"sett/internal/store/db"
)

// engines runs f as a subtest on every engine, each with a new, empty store of its own.
func engines(t *testing.T, f func(t *testing.T, s *Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, openSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, openTest(t, db.Options{Database: freshPostgres(t)}))
	})
}

// openSQLite returns a new, empty store in a directory that is removed when the test ends.
func openSQLite(t testing.TB) *Store {
	t.Helper()
	return openTest(t, db.Options{Dir: migratedDir(t)})
}

// migratedDir returns a directory with a new, empty database, which is removed when the test ends.
func migratedDir(t testing.TB) string {
	t.Helper()
	return sqlitefile.FreshDir(t, func(dir string) error { return migrateNew(db.Options{Dir: dir}) })
}

// disk brings files to the disk until it fails.
type disk struct{ fails atomic.Bool }

func (d *disk) sync(f *os.File) error {
	if d.fails.Load() {
		return syscall.EIO
	}
	return f.Sync()
}

// openTest opens a store that is closed when the test ends.
func openTest(t testing.TB, o db.Options) *Store {
	t.Helper()
	if o.Database != "" && o.KeyFile == "" {
		if o.KeyFile = pgcluster.KeyFile(o.Database); o.KeyFile == "" {
			o.KeyFile = filepath.Join(t.TempDir(), "secret.key")
		}
	}
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return s
}

// freshPostgres returns the address of a new, empty PostgreSQL database with the newest schema.
func freshPostgres(t testing.TB) (dsn string) {
	t.Helper()
	return pgcluster.FreshDatabase(t, func(dsn string) error { return migrateNew(db.Options{Database: dsn}) })
}

// migrateNew brings a new database to the newest schema.
func migrateNew(o db.Options) (err error) {
	s, err := Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, _, err = s.Migrate(context.Background())
	return err
}
