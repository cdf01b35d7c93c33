// Package uptimedb stores sites, checks, outages, agents and check-ins. It takes results of checks and pings; it produces outages, missed
// check-ins and the data of each day, with the alerts and incidents that follow in the same transaction. It never checks anything, and
// decides by the rules of package sett.
package uptimedb

import (
	"context"

	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db     *db.DB
	outbox *outbox.Store
	status *statusdb.Store
	work   *work.Store
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, status *statusdb.Store, work *work.Store) *Store {
	s := &Store{db: d, outbox: outbox, status: status, work: work}
	work.Handle(deletionOfSites, s.continueSites)
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) inIntakeTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InIntakeTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(Tx) (int64, error)) error {
	return s.db.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }

func (t Tx) status() statusdb.Tx { return t.s.status.In(t.Tx) }
