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
	"sett/internal/store/db"
)

// Options say where the data is.
type Options = db.Options

// Store is an open database. It is safe for concurrent use.
type Store struct {
	*db.DB

	ids    *sett.NoticeIDs
	seen   seen
	faults knownFaults

	node    node
	mourned mourned
	damage  damage

	counter            Counter
	mailFailed         map[sett.MailKind]MailFailed
	forgetEnvironments func(projectID int64) // of a project whose environments were renamed or deleted

	tokenFilter tokenFilter // SQLite only

	statusRevision atomic.Int64 // the newest that this process has committed

	digests    digests
	rates      rateWindows
	searchTime searchTime
}

// tx is a running transaction that writes.
type tx struct {
	*db.Tx
	s *Store
}

// Open opens the database without touching its schema; see Migrate.
func Open(ctx context.Context, o db.Options) (*Store, error) {
	o.Sealed = sealedColumns
	d, err := db.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d, searchTime: defaultSearchTime()}
	s.ids = sett.NewNoticeIDs(0)
	s.node.num = sqliteNode
	s.seen.init()
	s.digests.init(d.SQLite())
	s.counter, s.forgetEnvironments = s, s.seen.forget
	s.mailFailed = map[sett.MailKind]MailFailed{sett.SubscriptionMail: noteNotAsked}
	d.Hook(s.hooks())
	return s, nil
}

// hooks are what belongs to every transaction, whoever runs it.
func (s *Store) hooks() db.Hooks {
	in := func(t *db.Tx) *tx { return &tx{t, s} }
	return db.Hooks{
		BeforeCommit: []func(context.Context, *db.Tx) error{
			func(ctx context.Context, t *db.Tx) error {
				s.faults.before(t)
				return in(t).storeAudit(ctx, pendingAudit(ctx))
			},
			func(ctx context.Context, t *db.Tx) error { return in(t).publishPages(ctx) },
		},
		AfterCommit: []func(context.Context, *db.Tx){
			func(ctx context.Context, _ *db.Tx) { pendingAudit(ctx).settle() },
			func(_ context.Context, t *db.Tx) { s.noteStatusRevision(in(t).pages().revision) },
		},
		AfterRollback: []func(){s.faults.forget},
		ClockSetBack: []func(context.Context, *db.Tx, time.Time) error{
			func(ctx context.Context, t *db.Tx, now time.Time) error { return in(t).setBackDeliveries(ctx, now) },
			func(ctx context.Context, t *db.Tx, now time.Time) error { return in(t).setBackStatusNotices(ctx, now) },
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
	return s.DB.InTx(ctx, what, func(t *db.Tx) error { return f(&tx{t, s}) })
}

func (s *Store) inIntakeTx(ctx context.Context, what string, f func(*tx) error) error {
	return s.DB.InIntakeTx(ctx, what, func(t *db.Tx) error { return f(&tx{t, s}) })
}

func (s *Store) tryIntakeTx(ctx context.Context, f func(*tx) error) error {
	return s.DB.TryIntakeTx(ctx, func(t *db.Tx) error { return f(&tx{t, s}) })
}

func (s *Store) sweep(ctx context.Context, what string, most int64, step func(*tx) (int64, error)) error {
	return s.DB.Sweep(ctx, what, most, func(t *db.Tx) (int64, error) { return step(&tx{t, s}) })
}
