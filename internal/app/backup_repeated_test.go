package app_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/app"
	"sett/internal/sett"
)

// Backups are made at each interval, the oldest are removed, and other files stay.
func TestRepeatedBackups(t *testing.T) {
	t.Parallel()
	cfg, _ := newBackup(t)
	dir := filepath.Join(t.TempDir(), "backups")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mine.sett", "sett-20200101T000000Z.sett"} { // the second one is no backup
		if err := os.WriteFile(filepath.Join(dir, name), []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	now, rounds := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC), 0
	repeated := app.RepeatedBackup{
		Dir: dir, Every: 24 * time.Hour, Keep: 3, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return now },
		After: func(d time.Duration) <-chan time.Time {
			now = now.Add(d)
			if rounds++; rounds == 5 {
				stop()
				return nil
			}
			ch := make(chan time.Time, 1)
			ch <- now
			return ch
		},
	}
	if err := app.BackupRepeatedly(ctx, cfg, repeated); err != nil {
		t.Fatal(err)
	}
	want := []string{"mine.sett", "sett-20200101T000000Z.sett", "sett-20261128T030000Z.sett", "sett-20261129T030000Z.sett", "sett-20261130T030000Z.sett"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	must[app.VerifiedBackup](t)(app.VerifyBackup(t.Context(), filepath.Join(dir, want[4]), nil))
	for problem, r := range map[string]app.RepeatedBackup{"--every": {Dir: dir, Every: time.Second, Keep: 1}, "--keep": {Dir: dir, Every: time.Hour}, "DIRECTORY": {Dir: "-", Every: time.Hour, Keep: 1}} {
		if err := app.BackupRepeatedly(t.Context(), cfg, r); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", problem, err)
		}
	}
}
