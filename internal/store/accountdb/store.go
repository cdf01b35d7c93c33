// Package accountdb stores accounts, users, teams, projects with their keys and environments, sessions and all ways to sign in, and the
// audit log. It takes changes by a user or an operator; it returns nouns of package sett, only of accounts and projects that the caller
// names. It never decides what a role may do, and knows no fault, site or page.
package accountdb

import (
	"context"

	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db     *db.DB
	outbox *outbox.Store
	work   *work.Store

	// ForgetEnvironments is called after environments of a project were renamed or deleted. It is set before the store is used.
	ForgetEnvironments func(projectID int64)

	// NameObject returns what an object with these ids is called, for the audit log; "" if it has no name. It is set before the store is used.
	NameObject func(ctx context.Context, t *db.Tx, target map[string]string) (string, error)
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, work *work.Store) *Store {
	s := &Store{db: d, outbox: outbox, work: work}
	work.Handle(unassigning, s.unassign)
	d.Hook(db.Hooks{
		AfterBegin: []func(context.Context, *db.Tx) error{
			func(ctx context.Context, t *db.Tx) error { return s.In(t).nameAudited(ctx, pendingAudit(ctx)) },
		},
		BeforeCommit: []func(context.Context, *db.Tx) error{
			func(ctx context.Context, t *db.Tx) error { return s.In(t).storeAudit(ctx, pendingAudit(ctx)) },
		},
		AfterCommit: []func(context.Context, *db.Tx){
			func(ctx context.Context, _ *db.Tx) { pendingAudit(ctx).settle() },
		},
	})
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }
