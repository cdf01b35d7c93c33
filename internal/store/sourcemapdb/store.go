// Package sourcemapdb stores source maps and the original files that were uploaded with them: each file once per project, compressed. A file
// is deleted when it has not been used for as long as its project keeps events, or when the server has more than it may. The package takes
// uploads, and frames of minified code as their debug ID or revision and URL; it returns the map that applies, its text, and what is
// stored. Archives with maps may come in chunks, which are kept for a day. It never decodes a map, and never shares a file between
// projects.
package sourcemapdb

import (
	"context"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db   *db.DB
	work *work.Store

	// MostBytes is how much all source maps of the server may take, compressed; 0: no limit. It may be set before the store is used.
	MostBytes int64
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, work *work.Store) *Store {
	s := &Store{db: d, work: work}
	work.Handle(deletionOfRevision, s.continueRevision)
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error {
		t.KeepsCaches = true
		return f(s.In(t))
	})
}

// day returns the start of the day of a time, in microseconds: times of use are kept to the day, so that one use a day writes a row.
func day(at time.Time) int64 { return db.Micros(at.UTC().Truncate(24 * time.Hour)) }
