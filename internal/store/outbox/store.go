// Package outbox stores what is to be sent after a transaction has committed: alerts, which package delivery fans out to their receivers,
// and mails. It takes an alert or a mail and the transaction that causes it; it returns due mails, each claimed by one process. It never
// decides who receives an alert, and sends nothing.
package outbox

import (
	"context"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/queue"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	Queue *queue.Queue // of mails, by kind

	db *db.DB

	// MailFailed is called for mails of its kind that are given up. It is set before the store is used.
	MailFailed map[alerts.MailKind]MailFailed
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB) *Store {
	s := &Store{
		Queue: queue.New(d, queue.Rules{Table: "mails", Lane: "kind", Open: "NOT d.given_up", Topic: MailQueued}),
		db:    d, MailFailed: map[alerts.MailKind]MailFailed{},
	}
	d.Hook(db.Hooks{ClockSetBack: []func(context.Context, *db.Tx, time.Time) error{s.Queue.SetBack}})
	return s
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}
