// Package fault stores faults and what belongs to them: notices in their packed form, comments, links, deploys, saved
// searches, the timeline. In come changes that users make and searches; out come faults, notices and numbers. It never
// records a notice: that is package intake.
package fault

import (
	"context"

	"sett/internal/store/account"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/status"
)

// Store is the part of an open database that this package knows. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	outbox  *outbox.Store
	account *account.Store
	status  *status.Store

	// Counter is set before the store is used.
	Counter Counter
}

// Tx is a running transaction that writes, with what this package does in one.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, account *account.Store, status *status.Store) *Store {
	s := &Store{db: d, outbox: outbox, account: account, status: status}
	d.Hook(db.Hooks{FirstKey: []func(context.Context) error{s.maskOld}})
	return s
}

// In returns a running transaction with what this package does in one.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(Tx) (int64, error)) error {
	return s.db.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }

func (t Tx) account() account.Tx { return t.s.account.In(t.Tx) }
