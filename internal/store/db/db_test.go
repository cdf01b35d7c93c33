package db

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"sett/internal/setttest/pgbouncer"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
)

// onBoth runs f as a subtest on both engines, each with a new, empty database of its own.
func onBoth(t *testing.T, f func(t *testing.T, d *DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, openFile(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, openAt(t, Options{Database: freshServer(t)}))
	})
}

// openFile returns a new, empty SQLite database in a directory that is removed when the test ends.
func openFile(t testing.TB) *DB {
	t.Helper()
	return openAt(t, Options{Dir: freshDir(t)})
}

func freshDir(t testing.TB) string {
	t.Helper()
	return sqlitefile.FreshDir(t, func(dir string) error { return migrateAt(Options{Dir: dir}) })
}

// freshServer returns the address of a new, empty PostgreSQL database with the newest schema.
func freshServer(t testing.TB) string {
	t.Helper()
	return pgcluster.FreshDatabase(t, func(dsn string) error { return migrateAt(Options{Database: dsn}) })
}

// openAt opens a database that is closed when the test ends.
func openAt(t testing.TB, o Options) *DB {
	t.Helper()
	if o.Database != "" && o.KeyFile == "" {
		if o.KeyFile = pgcluster.KeyFile(o.Database); o.KeyFile == "" {
			o.KeyFile = filepath.Join(t.TempDir(), keyFileName)
		}
	}
	if o.Direct == "" {
		o.Database, o.Direct = pgbouncer.Between(o.Database)
	}
	d, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Errorf("close database: %v", err)
		}
	})
	return d
}

// migrateAt brings a new database to the newest schema.
func migrateAt(o Options) (err error) {
	d, err := Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	_, _, err = d.Migrate(context.Background())
	return err
}
