// Package store stores everything: faults, notices, projects, users and all counts, in one embedded SQLite file or in PostgreSQL, with
// the same statements. It combines the packages below it, each of which stores one kind of nouns, and contains what concerns all of them:
// deleting a project, retention, navigation. It takes facts and changes; it returns nouns of package sett. It never decides what a fact
// means, never logs, never reads the clock, and never returns the data of an owner who was not named in the call.
package store

import (
	"context"
	"slices"

	"sett/internal/store/account"
	"sett/internal/store/attachment"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/delivery"
	"sett/internal/store/fault"
	"sett/internal/store/insight"
	"sett/internal/store/intake"
	"sett/internal/store/outbox"
	"sett/internal/store/release"
	"sett/internal/store/sourcemap"
	"sett/internal/store/status"
	"sett/internal/store/uptime"
	"sett/internal/store/work"
)

// Store is an open database and the packages that store something in it. It is safe for concurrent use.
type Store struct {
	*db.DB
	Work       *work.Store
	Outbox     *outbox.Store
	Accounts   *account.Store
	Status     *status.Store
	Uptime     *uptime.Store
	Blocks     *block.Store
	Releases   *release.Store
	Faults     *fault.Store
	Intake     *intake.Store
	Deliveries *delivery.Store
	SourceMaps *sourcemap.Store
	Insights   *insight.Store

	Attachments *attachment.Store
}

// tx is a running write transaction.
type tx struct {
	*db.Tx
	work     work.Tx
	outbox   outbox.Tx
	account  account.Tx
	status   status.Tx
	uptime   uptime.Tx
	block    block.Tx
	release  release.Tx
	fault    fault.Tx
	intake   intake.Tx
	delivery delivery.Tx
	maps     sourcemap.Tx
	insight  insight.Tx
	attached attachment.Tx
	s        *Store
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	o.Sealed = db.SealedColumns{
		Columns: slices.Concat(outbox.Sealed, account.Sealed, status.Sealed, uptime.Sealed, delivery.Sealed, Sealed),
		Masked:  fault.MaskedTables,
	}
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d}
	s.Work = work.New(d)
	s.Outbox = outbox.New(d)
	s.Accounts = account.New(d, s.Outbox, s.Work)
	s.Status = status.New(d, s.Outbox, s.Work)
	s.Uptime = uptime.New(d, s.Outbox, s.Status, s.Work)
	s.Blocks = block.New(d)
	s.Blocks.UserOf, s.Blocks.Known = intake.UserOf, fault.KnownFacets
	s.Releases = release.New(d, s.Work)
	s.Faults = fault.New(d, s.Outbox, s.Accounts, s.Status, s.Blocks, s.Releases, s.Work)
	s.Intake = intake.New(d, s.Outbox, s.Accounts, s.Uptime, s.Faults, s.Blocks, s.Releases)
	s.Deliveries = delivery.New(d, s.Outbox, s.Accounts, s.Faults, s.Work)
	s.SourceMaps = sourcemap.New(d, s.Work)
	s.Insights = insight.New(d)
	s.Attachments = attachment.New(d, s.Faults)
	s.Work.Handle(deletionOfProject, s.continueDeletion)
	return s, nil
}

func (s *Store) in(t *db.Tx) *tx {
	return &tx{
		t, s.Work.In(t), s.Outbox.In(t), s.Accounts.In(t), s.Status.In(t), s.Uptime.In(t), s.Blocks.In(t), s.Releases.In(t), s.Faults.In(t), s.Intake.In(t), s.Deliveries.In(t), s.SourceMaps.In(t), s.Insights.In(t), s.Attachments.In(t), s,
	}
}

func (s *Store) inTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.InTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(*tx) (int64, error)) error {
	return s.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.in(t)) })
}
