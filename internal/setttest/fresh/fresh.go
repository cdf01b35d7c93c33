// Package fresh gives tests databases with the newest schema and nothing else in them, on SQLite and
// PostgreSQL. It gives a test what store.Open needs, for a database of its own that is deleted when
// the test ends. It leaves nothing open.
package fresh

import (
	"context"
	"errors"
	"testing"

	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
	"sett/internal/store"
	"sett/internal/store/db"
)

// SQLite returns the options of a new SQLite database.
func SQLite(t testing.TB) db.Options {
	t.Helper()
	return db.Options{Dir: Dir(t)}
}

// Dir returns the data directory of a new SQLite database.
func Dir(t testing.TB) string {
	t.Helper()
	return sqlitefile.FreshDir(t, func(dir string) error { return migrate(db.Options{Dir: dir}) })
}

// Postgres returns the options of a new PostgreSQL database.
func Postgres(t testing.TB) db.Options {
	t.Helper()
	dsn := pgcluster.FreshDatabase(t, func(dsn string) error { return migrate(db.Options{Database: dsn}) })
	return db.Options{Database: dsn, KeyFile: pgcluster.KeyFile(dsn)}
}

func migrate(o db.Options) (err error) {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, _, err = s.Migrate(context.Background())
	return err
}
