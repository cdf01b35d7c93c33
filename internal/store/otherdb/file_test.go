package otherdb_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/otherdb"
)

// state is the content of a directory, and when each of its files changed.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = info.ModTime().String() + string(text)
	}
	return all
}

func other(t *testing.T, path string) *sql.DB {
	t.Helper()
	d, err := db.OpenStill(path, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func run(t *testing.T, d *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := d.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// A file is read with what is only in its log, while the other program has it open, and nothing in its directory changes.
func TestReadingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"wal", "delete"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "kuma.db")
		d := other(t, path)
		run(t, d, "PRAGMA journal_mode = "+mode, "CREATE TABLE monitor (name VARCHAR, active BOOLEAN, at DATETIME, n INTEGER)",
			"INSERT INTO monitor VALUES ('Shop', 1, '2026-11-01 10:00:00.250', 7)")
		before := state(t, dir)
		f, err := otherdb.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		var rows []otherdb.Row
		err = f.Each(t.Context(), "SELECT * FROM monitor", func(r otherdb.Row) error {
			rows = append(rows, r)
			return nil
		})
		if err != nil || len(rows) != 1 || !f.Has("monitor") || f.Has("sqlite_master") {
			t.Fatalf("%s: %v, %v", mode, rows, err)
		}
		r := rows[0]
		if r.Text("name") != "Shop" || !r.Flag("active") || r.Number("n") != 7 || r.Text("missing") != "" || r.Flag("name") ||
			!r.Time("at").Equal(time.Date(2026, 11, 1, 10, 0, 0, 250e6, time.UTC)) {
			t.Errorf("%s: the row is %v", mode, r)
		}
		if f.Each(t.Context(), "INSERT INTO monitor (name) VALUES ('x')", func(otherdb.Row) error { return nil }) == nil {
			t.Errorf("%s: the file can be written", mode)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, state(t, dir)); diff != "" {
			t.Errorf("%s: the directory has changed (-want +got):\n%s", mode, diff)
		}
	}
}

func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "kuma.db")
	d := other(t, path)
	run(t, d, "CREATE TABLE monitor (name TEXT)", "INSERT INTO monitor VALUES (hex(randomblob(100000)))")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(dir, "cut.db")
	text := filepath.Join(dir, "text.db")
	if os.WriteFile(cut, whole[:len(whole)/2], 0o600) != nil || os.WriteFile(text, []byte("a: yes\n"), 0o600) != nil {
		t.Fatal("cannot write")
	}
	for _, path := range []string{cut, text, dir, filepath.Join(dir, "none.db")} {
		f, err := otherdb.Open(t.Context(), path)
		if err == nil {
			err = f.Each(t.Context(), "SELECT * FROM monitor", func(otherdb.Row) error { return nil })
			_ = f.Close()
		}
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("%s: %v", path, err)
		}
	}
}
