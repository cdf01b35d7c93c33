// Package statusdb stores status pages, their components, incidents and subscribers, and the notices that subscribers receive. It takes
// changes of pages and incidents, and changes of what a page shows; it returns pages as visitors see them, and due notices. It never
// checks a site and sends nothing.
package statusdb

import (
	"context"
	"sync/atomic"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/queue"
	"sett/internal/store/work"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	Queue *queue.Queue // of notices, by NoticeLane

	db     *db.DB
	outbox *outbox.Store
	work   *work.Store

	statusRevision atomic.Int64 // the newest that this process has committed
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, work *work.Store) *Store {
	s := &Store{Queue: newQueue(d), db: d, outbox: outbox, work: work}
	work.Handle(deletionOfPage, s.continuePage)
	outbox.MailFailed[alerts.SubscriptionMail] = noteNotAsked
	d.Hook(db.Hooks{
		BeforeCommit: []func(context.Context, *db.Tx) error{
			func(ctx context.Context, t *db.Tx) error { return s.In(t).publishPages(ctx) },
		},
		AfterCommit: []func(context.Context, *db.Tx){
			func(_ context.Context, t *db.Tx) {
				if changes := changesOf(t); changes != nil {
					s.noteStatusRevision(changes.revision)
				}
			},
		},
		ClockSetBack: []func(context.Context, *db.Tx, time.Time) error{s.Queue.SetBack},
	})
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}

func (t Tx) outbox() outbox.Tx { return t.s.outbox.In(t.Tx) }
