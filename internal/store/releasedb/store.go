// Package releasedb stores releases of projects: which versions there are, when they were first and last named, how many events each had, its
// commits, what happened to faults in it, and sums of its sessions by the hour. It takes the versions that events, deploys and sessions
// name, and what clients say about releases; it returns releases with these figures. A project has a limited number of releases. The
// package never decides whether a release is better than another, and stores no single session.
package releasedb

import (
	"context"

	"sett/internal/store/db"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db   *db.DB
	work *work.Store
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, work *work.Store) *Store {
	s := &Store{d, work}
	work.Handle(deletion, s.continueDeletion)
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.Explain(s.db.InTx(ctx, what, func(t *db.Tx) error {
		t.KeepsCaches = true
		return f(s.In(t))
	}))
}

// Key identifies a release.
type Key struct {
	ProjectID int64
	Version   string
}
