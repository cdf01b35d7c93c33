// Package faultdb stores faults and what belongs to them: notices in their packed form, comments, links, deploys, the timeline. It takes
// changes by users; it returns faults, notices and numbers. It never records a notice, which package intakedb does, and never searches,
// which package searchdb does.
package faultdb

import (
	"context"

	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/releasedb"
	"sett/internal/store/statusdb"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	outbox  *outbox.Store
	account *accountdb.Store
	status  *statusdb.Store
	block   *block.Store
	release *releasedb.Store
	work    *work.Store

	// Counter is set before the store is used.
	Counter Counter
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, account *accountdb.Store, status *statusdb.Store, block *block.Store, release *releasedb.Store, work *work.Store) *Store {
	s := &Store{db: d, outbox: outbox, account: account, status: status, block: block, release: release, work: work}
	work.Handle(ChangesOfFaults, s.continueChange)
	d.Hook(db.Hooks{FirstKey: []func(context.Context) error{s.maskOld}})
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(Tx) (int64, error)) error {
	return s.db.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }

func (t Tx) account() accountdb.Tx { return t.s.account.In(t.Tx) }

func (t Tx) block() block.Tx { return t.s.block.In(t.Tx) }

func (t Tx) release() releasedb.Tx { return t.s.release.In(t.Tx) }

func (t Tx) work() work.Tx { return t.s.work.In(t.Tx) }
