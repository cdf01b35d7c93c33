package operate

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/db"
)

// sqliteError is an error as SQLite's.
type sqliteError int

func (c sqliteError) Error() string { return "sqlite" }
func (c sqliteError) Code() int     { return int(c) }

func TestBackupProblems(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"there is not enough disk space for the backup in /x":                 &os.PathError{Op: "write", Err: syscall.ENOSPC},
		"there is not enough disk space for the backup in /x: it needs":       sqliteError(db.SQLiteFull),
		"there is not enough disk space for the backup in /x: it needs space": sqliteError(sqliteWriteError),
		"the database is damaged":                                             sqliteError(db.SQLiteCorrupt | 1<<8),
		"the disk with the database or /x is failing":                         sqliteError(db.SQLiteIOErr | 1<<8),
		"may not write to /x":                                                 &os.PathError{Op: "open", Err: syscall.EROFS},
		"the program that reads the backup ended":                             syscall.EPIPE,
		"the backup cannot be written to /x: odd":                             errors.New("odd"),
	} {
		if got := notWritten("backup", "/x", err); sett.CodeOf(got) != sett.Conflict || !strings.Contains(got.Error(), want) || !strings.HasSuffix(got.Error(), "; no earlier backup was changed") {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// A copy that fails half-way leaves nothing beside the file.
func TestCopiesThatFailLeaveNothing(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), db.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := copied(ended, s, "backup", dir, time.Now()); err == nil {
		t.Error("a copy was made by who was stopped")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
	var out bytes.Buffer
	if err := (copyOf{file: filepath.Join(dir, "none")}).write(t.Context(), &out); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("of a copy that is not there: %v", err)
	}
}
