package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sett/internal/sett/move"
	"sett/internal/store/db"
)

func kumaFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kuma.db")
	text, err := os.ReadFile("../../internal/app/movein/fromkuma/testdata/v1.sql")
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.OpenStill(path, true)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.ExecContext(t.Context(), string(text)); err != nil {
		t.Fatal(err)
	}
	return path
}

func came(r move.Report) map[string]move.Came {
	all := map[string]move.Came{}
	for _, c := range r.Came {
		all[c.Noun] = c
	}
	return all
}

// All that Uptime Kuma has comes once, and is counted.
func TestImportFromKuma(t *testing.T) {
	t.Parallel()
	o, path := newOffice(t), kumaFile(t)
	var dry, first, again move.Report
	o.read(&dry, "import", "kuma", path, "--dry-run", "--json")
	o.read(&first, "import", "kuma", path, "--json")
	o.read(&again, "import", "kuma", path, "--json")
	for noun, n := range map[string]int64{"projects": 1, "sites": 5, "check-ins": 1, "channels": 2, "status pages": 1, "incidents": 2, "maintenance": 0} {
		if got := came(dry)[noun]; got.Made != n {
			t.Errorf("a dry run counts %d new %s, want %d", got.Made, noun, n)
		}
		if got := came(first)[noun]; got.Made != n {
			t.Errorf("%d new %s, want %d; left: %+v", got.Made, noun, n, first.Left)
		}
		if got := came(again)[noun]; got.Made != 0 || got.Present != n {
			t.Errorf("a second run made %d %s, and found %d, want 0 and %d", got.Made, noun, got.Present, n)
		}
	}
	status, _, stderr := try(o.environ, "import", "kuma", filepath.Join(t.TempDir(), "none.db"))
	if status != 1 || !strings.Contains(stderr, "does not exist") {
		t.Errorf("status %d, %s", status, stderr)
	}
}
