package demo

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"sett/internal/store"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func newStore(t testing.TB, database string) (*store.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir, Database: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, dir
}

func TestTry(t *testing.T) {
	s, dir := newStore(t, "")
	began := time.Now()
	sum, err := Fill(t.Context(), s, Options{Seed: 1, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v %+v", time.Since(began), sum)
	files, _ := filepath.Glob(dir + "/*")
	for _, f := range files {
		i, _ := os.Stat(f)
		t.Log(f, i.Size())
	}
	if os.Getenv("KEEP") != "" {
		s.Close()
		os.CopyFS(os.Getenv("KEEP"), os.DirFS(dir))
	}
}
