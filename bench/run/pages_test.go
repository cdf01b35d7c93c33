package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"sett/bench"
	"sett/internal/app"
	"sett/internal/app/operate"
	"sett/internal/sett"
)

// What is measured are pages, and all that are meant; their durations are not checked here.
func TestPagesOfADemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	dir := t.TempDir()
	d, err := app.NewDemo(t.Context(), app.Config{Listen: "127.0.0.1:0"}, app.DemoOptions{
		Seed: 1, Now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), Short: true, Data: dir,
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	const visits = 2
	r, err := bench.Visit(t.Context(), d.Link(), dir, visits, noCPU)
	if err != nil {
		t.Fatal(err)
	}
	if r.Notices != d.Made().Notices || r.Faults != d.Made().Faults || r.Notices < 1000 {
		t.Errorf("%d notices and %d faults, want %d and %d", r.Notices, r.Faults, d.Made().Notices, d.Made().Faults)
	}
	var names []string
	for _, s := range r.Screens {
		names = append(names, s.Name)
		if s.Visits != visits || s.First <= 0 || s.P50 <= 0 || s.P99 < s.P50 || s.Read+s.Draw <= 0 || s.Bytes < 500 {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
	for _, want := range []string{"home", "overview", "errors, unresolved", "errors, page 2", "error", "deploy", "site", "check-in", "status page", "state of the server", "delivery"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no figure of %q among %q", want, names)
		}
	}
	if _, err := bench.Visit(t.Context(), d.Link()+"x", dir, 1, noCPU); err == nil {
		t.Error("a link that does not sign in was taken")
	}
}

// noCPU is for a server in the process of the test.
func noCPU() time.Duration { return 0 }

// Measurements delete what a database contains, so they leave alone one that they have not filled.
func TestMeasurementsLeaveDatabasesInUseAlone(t *testing.T) {
	t.Parallel()
	inUse := func() app.Config {
		cfg := app.Config{Data: t.TempDir()}
		if _, err := operate.Setup(t.Context(), cfg.Installation(), operate.SetupOptions{Email: "ann@example.test", Name: "Ann", Account: "Real", Project: "Shop"}); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	filledElsewhere := inUse()
	if err := os.WriteFile(filepath.Join(filledElsewhere.Data, bench.FilledFile), []byte(`{"Notices":1,"Token":"of another database"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, cfg := range map[string]app.Config{"in use": inUse(), "not the one that was filled": filledElsewhere} {
		err := measurePurge(t.Context(), fillOptions{Data: cfg.Data, Notices: 1, Projects: 1}, io.Discard)
		if sett.CodeOf(err) != sett.Conflict {
			t.Errorf("%s: %v, want a conflict", what, err)
		}
	}
}
