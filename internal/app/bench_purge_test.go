package app_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"sett/internal/app"
	"sett/internal/bench"
	"sett/internal/sett"
)

// Measurements delete what a database contains, so they leave alone one that they have not filled.
func TestMeasurementsLeaveDatabasesInUseAlone(t *testing.T) {
	t.Parallel()
	inUse := func() app.Config {
		cfg := app.Config{Data: t.TempDir()}
		if _, err := app.Setup(t.Context(), cfg, app.SetupOptions{Email: "ann@example.test", Name: "Ann", Account: "Real", Project: "Shop"}); err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	filledElsewhere := inUse()
	if err := os.WriteFile(filepath.Join(filledElsewhere.Data, bench.FilledFile), []byte(`{"Notices":1,"Token":"of another database"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, cfg := range map[string]app.Config{"in use": inUse(), "not the one that was filled": filledElsewhere} {
		err := app.BenchPurge(t.Context(), app.BenchFillOptions{Data: cfg.Data, Notices: 1, Projects: 1}, io.Discard)
		if sett.CodeOf(err) != sett.Conflict {
			t.Errorf("%s: %v, want a conflict", what, err)
		}
	}
}
