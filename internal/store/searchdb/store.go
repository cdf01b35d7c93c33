// Package searchdb finds faults. It takes searches as parsed terms, and returns the faults that match, lists and counts of them, suggestions
// and facets; it also stores saved searches, and chooses the faults of bulk changes. It reads faults and what was sent with their notices,
// and changes neither itself.
package searchdb

import (
	"time"

	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db    *db.DB
	block *block.Store
	fault *faultdb.Store

	// SearchTime is how long SearchFaults looks for notices; it may be set before the store is used.
	SearchTime time.Duration
}

// New returns the store of an open database.
func New(d *db.DB, block *block.Store, fault *faultdb.Store) *Store {
	return &Store{db: d, block: block, fault: fault, SearchTime: 5 * time.Second}
}
