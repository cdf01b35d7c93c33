// Package store stores everything: faults, notices, projects, users and all counts, in one embedded SQLite file or in PostgreSQL, with
// the same statements. It combines the packages below it, each of which stores one kind of nouns, and contains what concerns all of them:
// deleting a project, retention, navigation. It takes facts and changes; it returns nouns of package sett. It never decides what a fact
// means, never logs, never reads the clock, and never returns the data of an owner who was not named in the call.
package store

import (
	"context"
	"slices"

	"sett/internal/store/accountdb"
	"sett/internal/store/alarmdb"
	"sett/internal/store/archivedb"
	"sett/internal/store/attachmentdb"
	"sett/internal/store/block"
	"sett/internal/store/dashboarddb"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/faultdb"
	"sett/internal/store/insightdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/movedb"
	"sett/internal/store/nodedb"
	"sett/internal/store/outbox"
	"sett/internal/store/releasedb"
	"sett/internal/store/repodb"
	"sett/internal/store/rollupdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/sheet"
	"sett/internal/store/sourcemapdb"
	"sett/internal/store/statusdb"
	"sett/internal/store/stream"
	"sett/internal/store/uptimedb"
	"sett/internal/store/work"
)

// Store is an open database and the packages that store something in it. It is safe for concurrent use.
type Store struct {
	*db.DB
	Work       *work.Store
	Outbox     *outbox.Store
	Accounts   *accountdb.Store
	Status     *statusdb.Store
	Uptime     *uptimedb.Store
	Blocks     *block.Store
	Releases   *releasedb.Store
	Repos      *repodb.Store
	Faults     *faultdb.Store
	Search     *searchdb.Store
	Node       *nodedb.Node
	Rollups    *rollupdb.Store
	Intake     *intakedb.Store
	Deliveries *deliverydb.Store
	SourceMaps *sourcemapdb.Store
	Insights   *insightdb.Store
	Dashboards *dashboarddb.Store
	Alarms     *alarmdb.Store
	Sheets     *sheet.Store
	Moves      *movedb.Store
	Archive    *archivedb.Store

	Attachments *attachmentdb.Store
}

// tx is a running write transaction.
type tx struct {
	*db.Tx
	work     work.Tx
	outbox   outbox.Tx
	account  accountdb.Tx
	status   statusdb.Tx
	uptime   uptimedb.Tx
	block    block.Tx
	release  releasedb.Tx
	repo     repodb.Tx
	fault    faultdb.Tx
	delivery deliverydb.Tx
	maps     sourcemapdb.Tx
	insight  insightdb.Tx
	attached attachmentdb.Tx
	s        *Store
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	o.Sealed = db.SealedColumns{
		Columns: slices.Concat(outbox.Sealed, accountdb.Sealed, statusdb.Sealed, uptimedb.Sealed, deliverydb.Sealed, movedb.Sealed, repodb.Sealed, Sealed),
		Masked:  faultdb.MaskedTables,
	}
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d}
	s.Work = work.New(d)
	s.Outbox = outbox.New(d)
	s.Accounts = accountdb.New(d, s.Outbox, s.Work)
	s.Accounts.NameObject = s.nameObject
	s.Status = statusdb.New(d, s.Outbox, s.Work)
	s.Uptime = uptimedb.New(d, s.Outbox, s.Status, s.Work)
	s.Blocks = block.New(d)
	s.Blocks.UserOf, s.Blocks.Known = rollupdb.UserOf, faultdb.KnownFacets
	s.Releases = releasedb.New(d, s.Work)
	s.Repos = repodb.New(d)
	s.Faults = faultdb.New(d, s.Outbox, s.Accounts, s.Status, s.Blocks, s.Releases, s.Work)
	s.Search = searchdb.New(d, s.Blocks, s.Faults)
	s.Node = nodedb.New(d, false)
	s.Rollups = rollupdb.New(d, s.Node, s.Faults, s.Blocks, s.Releases)
	s.Intake = intakedb.New(d, s.Outbox, s.Accounts, s.Uptime, s.Faults, s.Blocks, s.Releases, s.Node, s.Rollups)
	s.Deliveries = deliverydb.New(d, s.Outbox, s.Accounts, s.Repos, s.Faults, s.Search, s.Work)
	s.SourceMaps = sourcemapdb.New(d, s.Work)
	s.Insights = insightdb.New(d)
	s.Dashboards = dashboarddb.New(d)
	s.Alarms = alarmdb.New(d, s.Outbox, s.Status)
	s.Insights.Recorded = (&stream.Store{DB: d, Blocks: s.Blocks, Faults: s.Faults, Uptime: s.Uptime, Alarms: s.Alarms}).Add
	s.Attachments = attachmentdb.New(d, s.Faults)
	s.Sheets = &sheet.Store{DB: d, Accounts: s.Accounts, Uptime: s.Uptime, Faults: s.Faults, Attachments: s.Attachments, Deliveries: s.Deliveries, Repos: s.Repos, Insights: s.Insights}
	s.Moves = movedb.New(d, s.Accounts, s.Blocks, s.Releases, s.Uptime, s.Status, s.Deliveries)
	s.Archive = archivedb.New(d, s.Blocks, s.Faults)
	s.Work.Handle(deletionOfProject, s.continueDeletion)
	return s, nil
}

func (s *Store) in(t *db.Tx) *tx {
	return &tx{
		t, s.Work.In(t), s.Outbox.In(t), s.Accounts.In(t), s.Status.In(t), s.Uptime.In(t), s.Blocks.In(t), s.Releases.In(t), s.Repos.In(t), s.Faults.In(t), s.Deliveries.In(t), s.SourceMaps.In(t), s.Insights.In(t), s.Attachments.In(t), s,
	}
}

func (s *Store) inTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.InTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(*tx) (int64, error)) error {
	return s.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(s.in(t)) })
}
