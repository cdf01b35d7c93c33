// Package deliverydb stores who receives what: integrations, personal alerts, and a delivery for each alert and receiver. It takes alerts
// from the outbox; it produces due deliveries, in order, each claimed by one process, until they are sent or have failed. It never sends
// anything, and decides by the rules of package sett.
package deliverydb

import (
	"context"
	"time"

	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/outbox"
	"sett/internal/store/queue"
	"sett/internal/store/repodb"
	"sett/internal/store/searchdb"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	Queue *queue.Queue // of deliveries, by receiver

	db      *db.DB
	outbox  *outbox.Store
	account *accountdb.Store
	repo    *repodb.Store
	fault   *faultdb.Store
	search  *searchdb.Store
	work    *work.Store

	searchTime searchTime
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, account *accountdb.Store, repos *repodb.Store, fault *faultdb.Store, search *searchdb.Store, work *work.Store) *Store {
	s := &Store{db: d, outbox: outbox, account: account, repo: repos, fault: fault, search: search, work: work, searchTime: defaultSearchTime()}
	s.Queue = queue.New(d, queue.Rules{
		Table: "deliveries", Lane: "receiver", Open: open, First: first, Topic: DeliveryDue,
		Prepare: func(ctx context.Context, t *db.Tx, now time.Time, receiver string) error {
			return s.In(t).merge(ctx, now, receiver)
		},
	})
	work.Handle(deletionOfIntegration, s.continueIntegration)
	d.Hook(db.Hooks{ClockSetBack: []func(context.Context, *db.Tx, time.Time) error{
		func(ctx context.Context, t *db.Tx, now time.Time) error { return s.In(t).setBackDeliveries(ctx, now) },
	}})
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

func (t Tx) fault() faultdb.Tx { return t.s.fault.In(t.Tx) }
