package demo

import (
	"testing"
	"time"

	"sett/internal/store"
	"sett/internal/store/db"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

func newStore(t testing.TB, database string) (*store.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), db.Options{Dir: dir, Database: database, MadeUp: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, dir
}
