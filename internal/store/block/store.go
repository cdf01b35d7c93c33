// Package block stores what was sent with notices: their payloads, and the facets that searches read. A notice arrives in a bundle, with a
// few others of its project. Later it is compacted into a block: some thousand notices of a project, with payloads compressed together and
// facets by key (see package column), so that it takes a third of the space and a search reads only what it asks for. It takes bundles, the
// ids of notices, and searches; it returns payloads, and the notices that a search finds. It never decides which notices a user may see,
// and knows only the id of a fault.
package block

import (
	"sett/internal/store/db"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db   *db.DB
	kept *keptHits

	// These may be set before the store is used.
	Sizes   Sizes
	Objects Objects                     // nil: no object storage is set
	UserOf  func(payload []byte) string // returns the affected user in a payload, "" if there is none

	// Known returns the facets of a notice with marks of what they leave out of its payload.
	Known func(facets string, payload []byte) string
}

// Sizes are how many notices a block has.
type Sizes struct {
	Most  int64 // at most column.MostRows
	Least int64 // of notices that have waited for long
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB) *Store {
	return &Store{
		db: d, kept: newKeptHits(), Sizes: Sizes{1024, 256},
		UserOf: func([]byte) string { return "" },
		Known:  func(facets string, _ []byte) string { return facets },
	}
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }
