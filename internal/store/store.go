// Package store stores everything: faults, notices, projects, users and all counts, in one embedded SQLite file or in PostgreSQL, with
// the same statements. It combines the packages below it, each of which stores one kind of nouns, and contains what concerns all of them:
// deleting a project, retention, navigation. It takes facts and changes; it returns nouns of package sett. It never decides what a fact
// means, never logs, never reads the clock, and never returns the data of an owner who was not named in the call.
package store

import (
	"context"
	"slices"

	"sett/internal/store/account"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
	"sett/internal/store/fault"
	"sett/internal/store/intake"
	"sett/internal/store/outbox"
	"sett/internal/store/status"
	"sett/internal/store/uptime"
)

// Options configure where the data is stored.
type Options = db.Options

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*db.DB
	*outboxStore
	*accountStore
	*statusStore
	*uptimeStore
	*faultStore
	*intakeStore
	*deliveryStore
}

type (
	outboxStore   = outbox.Store
	accountStore  = account.Store
	statusStore   = status.Store
	uptimeStore   = uptime.Store
	faultStore    = fault.Store
	intakeStore   = intake.Store
	deliveryStore = delivery.Store
	outboxTx      = outbox.Tx
	accountTx     = account.Tx
	statusTx      = status.Tx
	uptimeTx      = uptime.Tx
	faultTx       = fault.Tx
	intakeTx      = intake.Tx
	deliveryTx    = delivery.Tx
)

// tx is a running write transaction.
type tx struct {
	*db.Tx
	outboxTx
	accountTx
	statusTx
	uptimeTx
	faultTx
	intakeTx
	deliveryTx
	s *Store
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	o.Sealed = db.SealedColumns{
		Columns: slices.Concat(outbox.Sealed, account.Sealed, status.Sealed, uptime.Sealed, delivery.Sealed),
		Masked:  fault.MaskedTables,
	}
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d}
	s.outboxStore = outbox.New(d)
	s.accountStore = account.New(d, s.outboxStore)
	s.statusStore = status.New(d, s.outboxStore)
	s.uptimeStore = uptime.New(d, s.outboxStore, s.statusStore)
	s.faultStore = fault.New(d, s.outboxStore, s.accountStore, s.statusStore)
	s.intakeStore = intake.New(d, s.outboxStore, s.accountStore, s.uptimeStore, s.faultStore)
	s.deliveryStore = delivery.New(d, s.outboxStore, s.accountStore, s.faultStore, s.intakeStore)
	return s, nil
}

func (s *Store) in(t *db.Tx) *tx {
	return &tx{
		t, s.outboxStore.In(t), s.accountStore.In(t), s.statusStore.In(t), s.uptimeStore.In(t), s.faultStore.In(t), s.intakeStore.In(t), s.deliveryStore.In(t), s,
	}
}

func (s *Store) inTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.DB.InTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(*tx) (int64, error)) error {
	return s.DB.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.in(t)) })
}
