package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"syscall"
	"testing"
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
		if b, err := a.preparedBackup(ended, "olga"); b != nil || err == nil || !strings.Contains(err.Error(), "stopped before the backup was complete") {
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
