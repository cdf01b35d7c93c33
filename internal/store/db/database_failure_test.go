package db

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"sett/internal/sett"
)

// A failure of the database is not a mistake of the caller, nor a bug of this program: the caller is to try again later.
func TestFailuresOfTheDatabaseSayWhenToComeBack(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		message string
		why     error
	}{
		"25006": {"The database takes no changes right now. Try again in a moment.", nil},
		"25P03": {"The database does not answer. Try again in a moment.", nil},
		"57014": {"The database does not answer. Try again in a moment.", nil},
		"57P01": {"The database does not answer. Try again in a moment.", nil},
		"55P03": {"Another change of the same data takes a while. Try again in a moment.", ErrHeld},
		"53100": {"The server has no room to store this. Try again later.", nil},
		"58030": {"The server's disk or database has failed. Try again when its operator has repaired it.", ErrDamaged},
		"XX001": {"The server's disk or database has failed. Try again when its operator has repaired it.", ErrDamaged},
	} {
		s := &DB{dialect: postgresDialect}
		nowhere, err := newEndpoint("database address", "postgres://sett@127.0.0.1:1/sett") // is not connected to
		if err != nil {
			t.Fatal(err)
		}
		s.openPools(nowhere, nowhere, nil, nil)
		for name, err := range map[string]error{
			"a read":  s.Explain(fmt.Errorf("list faults: %w", &pgconn.PgError{Code: state})),
			"a write": s.try("change", s.dialect.busy, func() error { return &pgconn.PgError{Code: state} }),
		} {
			e, ok := errors.AsType[*sett.Error](err)
			if !ok || e.Code != sett.Unavailable || e.Message != want.message || e.RetryAfter == 0 || want.why != nil && !errors.Is(err, want.why) {
				t.Errorf("%s, %s: %v; want %q", name, state, err, want.message)
			}
		}
	}
}

// openBroken opens an SQLite database whose file is spoilt before it is read.
func openBroken(t *testing.T, spoil func(dir string)) *DB {
	t.Helper()
	dir := t.TempDir()
	s := openAt(t, Options{Dir: dir})
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := checkpoint(t.Context(), s.checkpoints.db, "TRUNCATE"); err != nil {
		t.Fatal(err)
	}
	again, err := sql.Open("sqlite", sqliteDSN(filepath.Join(dir, fileName), writerCache, "_txlock=immediate"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close() })
	spoil(dir)
	return &DB{dialect: sqliteDialect, Write: again, intake: again, Read: again, path: filepath.Join(dir, fileName)}
}

func TestDamageOfSQLiteSaysWhenToComeBack(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(dir string) error{
		"the file is no database": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileName), make([]byte, 2*pageSize), 0o600)
		},
		"its pages are damaged": func(dir string) error {
			file, err := os.OpenFile(filepath.Join(dir, fileName), os.O_RDWR, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteAt(make([]byte, 400*pageSize), 100)
			return errors.Join(err, file.Close())
		},
		"the directory is gone": os.RemoveAll,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openBroken(t, func(dir string) {
				if err := spoil(dir); err != nil {
					t.Fatal(err)
				}
			})
			err := s.InTx(t.Context(), "write", func(tx *Tx) error {
				return tx.QueryRowContext(t.Context(), "SELECT count(*) FROM users").Scan(new(int))
			})
			e, ok := errors.AsType[*sett.Error](err)
			if !ok || e.Code != sett.Unavailable || !errors.Is(err, ErrDamaged) {
				t.Errorf("a write: %v", err)
			}
			if err := s.Read.QueryRowContext(t.Context(), "SELECT count(*) FROM users").Scan(new(int)); sett.CodeOf(s.Explain(err)) != sett.Unavailable {
				t.Errorf("a read: %v", err)
			}
		})
	}
}

// A disk that fails has room, and one that is full has not failed.
func TestNoRoomIsNotAFailure(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EFBIG: true, syscall.EIO: false, syscall.EROFS: false, nil: false,
	} {
		if got := outOfRoom(&os.PathError{Op: "write", Err: err}); err != nil && got != want {
			t.Errorf("%v: out of room is %v", err, got)
		}
	}
	s := openFile(t)
	if s.noRoom() {
		t.Error("an empty directory has no room")
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(s.path), "room-*")); err != nil || len(left) > 0 {
		t.Errorf("the look for room left %v, %v", left, err)
	}
}
