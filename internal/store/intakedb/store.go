// Package intakedb records what clients report, many notices in one transaction, and hands them over to be counted. It takes packed reports;
// it produces receipts and the alerts that follow. It never parses a report, and counts nothing itself but what leaves no notice: those that
// were refused or ignored, what clients discarded, what was scrubbed.
package intakedb

import (
	"context"
	"sync"

	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/nodedb"
	"sett/internal/store/outbox"
	"sett/internal/store/releasedb"
	"sett/internal/store/rollupdb"
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

	node    *nodedb.Node
	rollups *rollupdb.Store

	recording sync.Mutex // held while a batch is recorded, so that notices are stored in the order of their ids
	inDoubt   *batch     // a batch with an in-doubt commit; guarded by recording
	damage    damage

	seen        seen
	said        laterSaid
	faults      knownFaults
	tokenFilter tokenFilter // SQLite only

	rates rateWindows

	spooled bool // it records what has waited in a spool; see OfSpool
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, account *accountdb.Store, uptime *uptimedb.Store, fault *faultdb.Store, block *block.Store, release *releasedb.Store, node *nodedb.Node, rollups *rollupdb.Store) *Store {
	s := &Store{db: d, outbox: outbox, account: account, uptime: uptime, fault: fault, block: block, release: release, node: node, rollups: rollups}
	s.seen.init()
	account.ForgetEnvironments, fault.Counter = s.ForgetSeen, s
	d.Hook(db.Hooks{
		BeforeCommit: []func(context.Context, *db.Tx) error{
			func(_ context.Context, t *db.Tx) error { s.faults.before(t); return nil },
		},
		AfterRollback: []func(){s.faults.forget},
		Close: []func() error{
			func() error { s.tokenFilter.close(); return nil },
			func() error { return s.SaveRateWindows(context.Background()) },
			func() error { return s.flushMessages(context.Background()) },
			s.node.Close,
		},
	})
	return s
}

func (s *Store) in(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (s *Store) inIntakeTx(ctx context.Context, what string, f func(Tx) error) error {
	if err := s.db.Roomy(); err != nil {
		return err
	}
	return s.db.InIntakeTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (s *Store) inPipelinedTx(ctx context.Context, what string, f func(Tx) error) error {
	if err := s.db.Roomy(); err != nil {
		return err
	}
	return s.db.InPipelinedIntakeTx(ctx, what, func(t *db.Tx) error { return f(s.in(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }

func (t Tx) account() accountdb.Tx { return t.s.account.In(t.Tx) }

func (t Tx) fault() faultdb.Tx { return t.s.fault.In(t.Tx) }

func (t Tx) block() block.Tx { return t.s.block.In(t.Tx) }

func (t Tx) release() releasedb.Tx { return t.s.release.In(t.Tx) }

// Sync returns once everything that is recorded is on disk.
func (s *Store) Sync() error { return s.db.Sync() }
