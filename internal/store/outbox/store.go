// Package outbox stores what is to be sent once a transaction has committed: alerts, which package delivery fans out to
// their receivers, and mails. In come an alert or a mail and the transaction that causes it; out come mails that are due,
// each claimed by one process. It never decides who receives an alert, and sends nothing.
package outbox

import (
	"context"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// Store is the part of an open database that this package knows. It is safe for concurrent use.
type Store struct {
	db *db.DB

	// MailFailed is called for a mail of its kind that is given up. It is set before the store is used.
	MailFailed map[sett.MailKind]MailFailed
}

// Tx is a running transaction that writes, with what this package does in one.
type Tx struct {
	*db.Tx
	s *Store
}

// New returns the store of an open database.
func New(d *db.DB) *Store {
	return &Store{db: d, MailFailed: map[sett.MailKind]MailFailed{}}
}

// In returns a running transaction with what this package does in one.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(s.In(t)) })
}
