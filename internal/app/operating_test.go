package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sett/internal/sett"
)

// A backup for the pages that fails in its copy, in its file or because its reader has gone lets the next one be made.
func TestPreparedBackupsThatFailLetGo(t *testing.T) {
	t.Parallel()
	a, err := New(t.Context(), Config{Data: t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(context.Background()) //nolint:errcheck // what it stores is not looked at
	ended, end := context.WithCancel(t.Context())
	end()
	for range 2 {
		if b, err := a.preparedBackup(ended, "olga"); b != nil || !errors.Is(err, errStopped) {
			t.Errorf("stopped before: %v, %v", b, err)
		}
	}
	gone, goAway := context.WithCancel(t.Context())
	defer goAway()
	for what, ctx := range map[string]context.Context{"the reader fails": t.Context(), "the reader goes away": gone} {
		b, err := a.preparedBackup(ctx, "olga")
		if err != nil {
			t.Fatal(what, err)
		}
		if _, err := a.preparedBackup(t.Context(), "olga"); !errors.Is(err, errBusy) {
			t.Errorf("%s: beside another one: %v", what, err)
		}
		var to io.Writer = refusing{}
		if ctx == gone {
			goAway()
			to = io.Discard
		}
		if err := b.Write(to); err == nil {
			t.Errorf("%s: it was written", what)
		}
		if err := b.Close(); err != nil {
			t.Error(what, err)
		}
	}
	b, err := a.preparedBackup(t.Context(), "olga")
	if err != nil {
		t.Fatal(err)
	}
	a.endBackup() // as Stop does
	if err := b.Write(io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("while the server ends: %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if made, err := a.store.ListBackups(t.Context(), 10); err != nil || len(made) > 0 {
		t.Errorf("made were %v, %v", made, err)
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// sqliteError is an error as SQLite's.
type sqliteError int

func (c sqliteError) Error() string { return "sqlite" }
func (c sqliteError) Code() int     { return int(c) }

func TestBackupProblems(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"there is not enough disk space for the backup in /x":                 &os.PathError{Op: "write", Err: syscall.ENOSPC},
		"there is not enough disk space for the backup in /x: it needs":       sqliteError(sqliteFull),
		"there is not enough disk space for the backup in /x: it needs space": sqliteError(sqliteWriteError),
		"the database is damaged":                                             sqliteError(sqliteCorrupt | 1<<8),
		"the disk with the database or /x is failing":                         sqliteError(sqliteIOErr | 1<<8),
		"may not write to /x":                                                 &os.PathError{Op: "open", Err: syscall.EROFS},
		"the program that reads the backup ended":                             syscall.EPIPE,
		"the backup cannot be written to /x: odd":                             errors.New("odd"),
	} {
		if got := backupProblem("/x", err); sett.CodeOf(got) != sett.Conflict || !strings.Contains(got.Error(), want) || !strings.HasSuffix(got.Error(), "; no earlier backup was changed") {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// A copy that fails half-way leaves nothing beside the file.
func TestCopiesThatFailLeaveNothing(t *testing.T) {
	t.Parallel()
	a, err := New(t.Context(), Config{Data: t.TempDir()}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Stop(context.Background()) //nolint:errcheck // what it stores is not looked at
	dir := t.TempDir()
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := copied(ended, a.store, dir, time.Now()); err == nil {
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
