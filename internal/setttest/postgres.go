package setttest

import (
	"testing"

	"sett/internal/setttest/pgcluster"
)

// Postgres returns the address of a new, empty PostgreSQL database that is dropped when the test ends. Rooms that this
// package is built on, such as store, call pgcluster themselves.
func Postgres(t testing.TB) (dsn string) {
	t.Helper()
	return pgcluster.Postgres(t)
}

// FreshDatabase returns the address of a new PostgreSQL database as migrate leaves an empty one; see
// pgcluster.FreshDatabase.
func FreshDatabase(t testing.TB, migrate func(dsn string) error) (dsn string) {
	t.Helper()
	return pgcluster.FreshDatabase(t, migrate)
}
