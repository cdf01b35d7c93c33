package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
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
		f(t, openTest(t, Options{Database: freshPostgres(t)}))
	})
}

// openSQLite returns a new, empty store in a directory that is removed when the test ends.
func openSQLite(t testing.TB) *Store {
	t.Helper()
	return openTest(t, Options{Dir: sqlitefile.FreshDir(t, func(dir string) error { return migrateNew(Options{Dir: dir}) })})
}

// openTest opens a store that is closed when the test ends.
func openTest(t testing.TB, o Options) *Store {
	t.Helper()
	if o.Database != "" && o.KeyFile == "" {
		if o.KeyFile = pgcluster.KeyFile(o.Database); o.KeyFile == "" {
			o.KeyFile = filepath.Join(t.TempDir(), keyFileName)
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
	return pgcluster.FreshDatabase(t, func(dsn string) error { return migrateNew(Options{Database: dsn}) })
}

// migrateNew brings a new database to the newest schema.
func migrateNew(o Options) (err error) {
	s, err := Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, _, err = s.Migrate(context.Background())
	return err
}

func TestOpenRefusesAnUnknownDatabase(t *testing.T) {
	t.Parallel()
	if s, err := Open(t.Context(), Options{Database: "mysql://localhost/sett"}); err == nil {
		s.Close()
		t.Error("an address that is no postgres:// was taken")
	}
}

func TestMigrateTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		from, to, err := s.Migrate(t.Context())
		if err != nil || from != to {
			t.Errorf("a second migration went from %d to %d: %v", from, to, err)
		}
		if current, err := s.Current(t.Context()); err != nil || !current {
			t.Errorf("Current() = %v, %v", current, err)
		}
	})
}

func TestMigrateRefusesTheSchemaOfANewerProgram(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		if _, err := s.write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, TRUE)`); err != nil {
			t.Fatal(err)
		}
		from, to, err := s.Migrate(t.Context())
		if sett.CodeOf(err) != sett.Conflict || from != 999 || to != 999 {
			t.Errorf("Migrate() = %d, %d, %v; want 999, 999 and a Conflict", from, to, err)
		}
	})
}

func TestExplain(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("list faults: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")})
	for d, want := range map[*dialect]sett.Code{postgresDialect: sett.Unavailable, sqliteDialect: ""} {
		s := &DB{dialect: d}
		if got := sett.CodeOf(s.Explain(lost)); got != want {
			t.Errorf("%s: a lost connection is %q, want %q", d.name, got, want)
		}
		if got := sett.CodeOf(s.Explain(fmt.Errorf("list faults: %w", context.DeadlineExceeded))); got != sett.Unavailable {
			t.Errorf("%s: a deadline is %q, want %q", d.name, got, sett.Unavailable)
		}
		for _, err := range []error{nil, context.Canceled, sett.Errorf(sett.NotFound, "no"), errors.New("bug")} {
			if got := s.Explain(err); got != err { //nolint:errorlint // the very same error comes back
				t.Errorf("%s: %v became %v", d.name, err, got)
			}
		}
	}
}
