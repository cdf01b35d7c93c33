// Package fresh gives tests databases with the newest schema and nothing else in them, on SQLite and PostgreSQL. In comes a
// *testing.T; out goes what store.Open needs, for a database of the test's own that is deleted when the test ends. It leaves
// nothing open.
package fresh

import (
	"context"
	"errors"
	"testing"

	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
	"sett/internal/store"
)

// SQLite returns the options of a new SQLite database.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Dir: Dir(t)}
}

// Dir returns the data directory of a new SQLite database.
func Dir(t testing.TB) string {
	t.Helper()
	return sqlitefile.FreshDir(t, func(dir string) error { return migrate(store.Options{Dir: dir}) })
}

// Postgres returns the options of a new PostgreSQL database.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	dsn := pgcluster.FreshDatabase(t, func(dsn string) error { return migrate(store.Options{Database: dsn}) })
	return store.Options{Database: dsn, KeyFile: pgcluster.KeyFile(dsn)}
}

func migrate(o store.Options) (err error) {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, _, err = s.Migrate(context.Background())
	return err
}
