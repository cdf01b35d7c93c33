package searchdb_test

import (
	"testing"

	"sett/internal/store"
	"sett/internal/store/storetest"
)

// desk is a desk with what only tests of this package do.
type desk struct{ *storetest.Desk }

func newDesk(t testing.TB, s *store.Store) *desk {
	t.Helper()
	return &desk{storetest.NewDesk(t, s)}
}
