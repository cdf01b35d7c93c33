package storetest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"sett/internal/setttest/pgbouncer"
	"sett/internal/setttest/pgcluster"
	"sett/internal/setttest/sqlitefile"
	"sett/internal/store"
	"sett/internal/store/db"
)

// Engines runs f as a subtest on every engine, each with a new, empty store of its own.
func Engines(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		f(t, OpenSQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		f(t, OpenTest(t, db.Options{Database: FreshPostgres(t)}))
	})
}

// OpenSQLite returns a new, empty store in a directory that is removed when the test ends.
func OpenSQLite(t testing.TB) *store.Store {
	t.Helper()
	return OpenTest(t, db.Options{Dir: MigratedDir(t)})
}

// MigratedDir returns a directory with a new, empty database, which is removed when the test ends.
func MigratedDir(t testing.TB) string {
	t.Helper()
	return sqlitefile.FreshDir(t, func(dir string) error { return MigrateNew(db.Options{Dir: dir}) })
}

// Disk brings files to the disk until it fails.
type Disk struct{ Fails atomic.Bool }

func (d *Disk) Sync(f *os.File) error {
	if d.Fails.Load() {
		return syscall.EIO
	}
	return f.Sync()
}

// OpenTest opens a store that is closed when the test ends.
func OpenTest(t testing.TB, o db.Options) *store.Store {
	t.Helper()
	if o.Database != "" && o.KeyFile == "" {
		if o.KeyFile = pgcluster.KeyFile(o.Database); o.KeyFile == "" {
			o.KeyFile = filepath.Join(t.TempDir(), "secret.key")
		}
	}
	if o.Direct == "" {
		o.Database, o.Direct = pgbouncer.Between(o.Database)
	}
	s, err := store.Open(t.Context(), o)
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

// FreshPostgres returns the address of a new, empty PostgreSQL database with the newest schema.
func FreshPostgres(t testing.TB) (dsn string) {
	t.Helper()
	return pgcluster.FreshDatabase(t, func(dsn string) error { return MigrateNew(db.Options{Database: dsn}) })
}

// MigrateNew brings a new database to the newest schema.
func MigrateNew(o db.Options) (err error) {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	_, _, err = s.Migrate(context.Background())
	return err
}

// CountingStore is a store on PostgreSQL that counts the statements of its transactions that write.
type CountingStore struct {
	*store.Store
	N atomic.Int64
}

func CountStatements(t *testing.T) *CountingStore {
	t.Helper()
	c := &CountingStore{}
	dsn := FreshPostgres(t)
	c.Store = OpenTest(t, db.Options{Database: dsn, Direct: dsn, Tracer: c}) // through a pooler, statements are sent in batches
	return c
}

// TraceQueryStart counts.
func (c *CountingStore) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	c.N.Add(1)
	return ctx
}

// TraceQueryEnd is of no interest.
func (c *CountingStore) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
