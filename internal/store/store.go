// Package store remembers: faults, notices, projects, people and every count, in one embedded SQLite file or in
// PostgreSQL, from the same statements. In come facts and changes, each by one method that is one transaction – rows
// are read, a rule of package sett decides, rows are written; out come nouns of package sett. It holds every SQL
// statement of the program. It never decides what a fact means, never logs, never reads the clock, and never answers
// with the data of an owner who was not named in the call.
package store

import (
	"context"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*DB

	ids    *sett.NoticeIDs
	seen   seen
	faults knownFaults

	node    node
	mourned mourned
	damage  damage

	tokenFilter tokenFilter // SQLite only

	statusRevision atomic.Int64 // the newest that this process has committed

	digests    digests
	rates      rateWindows
	searchTime searchTime
}

// tx is a running transaction that writes.
type tx struct {
	*Tx
	s *Store
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o Options) (*Store, error) {
	o.Sealed = sealedColumns
	d, err := openDB(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d, searchTime: defaultSearchTime()}
	s.ids = sett.NewNoticeIDs(0)
	s.node.num = sqliteNode
	s.seen.init()
	s.digests.init(d.SQLite())
	d.Hook(s.hooks())
	return s, nil
}

// hooks are what belongs to every transaction, whoever runs it.
func (s *Store) hooks() Hooks {
	in := func(t *Tx) *tx { return &tx{t, s} }
	return Hooks{
		BeforeCommit: []func(context.Context, *Tx) error{
			func(ctx context.Context, t *Tx) error {
				s.faults.before(t)
				return in(t).storeAudit(ctx, pendingAudit(ctx))
			},
			func(ctx context.Context, t *Tx) error { return in(t).publishPages(ctx) },
		},
		AfterCommit: []func(context.Context, *Tx){
			func(ctx context.Context, _ *Tx) { pendingAudit(ctx).settle() },
			func(_ context.Context, t *Tx) { s.noteStatusRevision(in(t).pages().revision) },
		},
		AfterRollback: []func(){s.faults.forget},
		ClockSetBack: []func(context.Context, *Tx, time.Time) error{
			func(ctx context.Context, t *Tx, now time.Time) error { return in(t).setBackDeliveries(ctx, now) },
			func(ctx context.Context, t *Tx, now time.Time) error { return in(t).setBackStatusNotices(ctx, now) },
		},
		FirstKey: []func(context.Context) error{s.maskOld},
		Close: []func() error{
			func() error { s.tokenFilter.close(); return nil },
			func() error { return s.SaveRateWindows(context.Background()) },
			s.node.close,
		},
	}
}

func (s *Store) inTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.DB.inTx(ctx, what, func(t *Tx) error { return f(&tx{t, s}) })
}

func (s *Store) inIntakeTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.DB.inIntakeTx(ctx, what, func(t *Tx) error { return f(&tx{t, s}) })
}

func (s *Store) tryIntakeTx(ctx context.Context, f func(*tx) error) error {
	return s.DB.tryIntakeTx(ctx, func(t *Tx) error { return f(&tx{t, s}) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(*tx) (int64, error)) error {
	return s.DB.sweep(ctx, what, most, func(t *Tx) (int64, error) { return step(&tx{t, s}) })
}
