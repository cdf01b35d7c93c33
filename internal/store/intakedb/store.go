// Package intakedb records what clients report, many notices in one transaction, and counts them afterwards. It takes packed reports; it
// produces receipts, the alerts that follow, and the counts in the tables that lists read. It never parses a report. It loses no count
// when a process dies: counts that were not written are computed again from the notices.
package intakedb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/outbox"
	"sett/internal/store/releasedb"
	"sett/internal/store/uptimedb"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	outbox  *outbox.Store
	account *accountdb.Store
	uptime  *uptimedb.Store
	fault   *faultdb.Store
	block   *block.Store
	release *releasedb.Store

	ids    sett.NoticeIDs
	seen   seen
	faults knownFaults

	node   node
	damage damage

	tokenFilter tokenFilter // SQLite only

	rollups rollups
	rates   rateWindows

	spooled bool // it records what has waited in a spool; see OfSpool
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, account *accountdb.Store, uptime *uptimedb.Store, fault *faultdb.Store, block *block.Store, release *releasedb.Store) *Store {
	s := &Store{db: d, outbox: outbox, account: account, uptime: uptime, fault: fault, block: block, release: release}
	s.init()
	account.ForgetEnvironments, fault.Counter = s.ForgetSeen, s
	d.Hook(db.Hooks{
		BeforeCommit: []func(context.Context, *db.Tx) error{
			func(_ context.Context, t *db.Tx) error { s.faults.before(t); return nil },
		},
		AfterRollback: []func(){s.faults.forget},
		Close: []func() error{
			func() error { s.tokenFilter.close(); return nil },
			func() error { return s.SaveRateWindows(context.Background()) },
			s.node.close,
		},
	})
	return s
}

func (s *Store) init() {
	s.node.Num = sett.FileNode
	s.seen.init()
	s.rollups.init(s)
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) inIntakeTx(ctx context.Context, what string, f func(Tx) error) error {
	if err := s.db.Roomy(); err != nil {
		return err
	}
	return s.db.InIntakeTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) inPipelinedTx(ctx context.Context, what string, f func(Tx) error) error {
	if err := s.db.Roomy(); err != nil {
		return err
	}
	return s.db.InPipelinedIntakeTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (s *Store) tryIntakeTx(ctx context.Context, f func(Tx) error) error {
	return s.db.TryIntakeTx(ctx, func(t *db.Tx) error { return f(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }

func (t Tx) account() accountdb.Tx { return t.s.account.In(t.Tx) }

func (t Tx) fault() faultdb.Tx { return t.s.fault.In(t.Tx) }

func (t Tx) block() block.Tx { return t.s.block.In(t.Tx) }

func (t Tx) release() releasedb.Tx { return t.s.release.In(t.Tx) }

// Sync returns once everything that is recorded is on disk.
func (s *Store) Sync() error { return s.db.Sync() }
