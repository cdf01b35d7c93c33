package operate_test

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
	"sett/internal/app/operate"
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
	repeatDaily(t, cfg, dir, io.Discard, 5, func(int) {})
	want := []string{"mine.sett", "sett-20200101T000000Z.sett", "sett-20261128T030000Z.sett", "sett-20261129T030000Z.sett", "sett-20261130T030000Z.sett"}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	must[operate.VerifiedBackup](t)(operate.VerifyBackup(t.Context(), filepath.Join(dir, want[4]), nil))
	for problem, r := range map[string]operate.RepeatedBackup{"--every": {Dir: dir, Every: time.Second, Keep: 1}, "--keep": {Dir: dir, Every: time.Hour}, "DIRECTORY": {Dir: "-", Every: time.Hour, Keep: 1}} {
		if err := operate.BackupRepeatedly(t.Context(), cfg.Installation(), r); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", problem, err)
		}
	}
}

// repeatDaily makes so many backups, one a day from 26 November 2026 at 3:00 on, of which the newest three are kept. between is called before each but the first.
func repeatDaily(t *testing.T, cfg app.Config, place string, log io.Writer, most int, between func(made int)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	now, made := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC), 0
	err := operate.BackupRepeatedly(ctx, cfg.Installation(), operate.RepeatedBackup{
		Dir: place, Every: 24 * time.Hour, Keep: 3, Log: slog.New(slog.NewTextHandler(log, nil)), Now: func() time.Time { return now },
		After: func(d time.Duration) <-chan time.Time {
			now = now.Add(d)
			if made++; made == most {
				stop()
				return nil
			}
			between(made)
			ch := make(chan time.Time, 1)
			ch <- now
			return ch
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}
