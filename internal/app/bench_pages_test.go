package app_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/bench"
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
