// Package alarmdb stores alarms: what people write, their states, the history of these, and what the evaluations of the last day found. It takes
// changes and evaluations. It returns alarms, and which are due, each to one node at a time. An evaluation is recorded with its alert in one
// transaction. The package never evaluates a query, and decides by the rules of package alarm.
package alarmdb

import (
	"context"

	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
)

// Changed is the topic of alarms that may be due sooner than was known.
const Changed db.Topic = "alarm changed"

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db     *db.DB
	outbox *outbox.Store
	status *statusdb.Store
}

// New returns the store of an open database.
func New(d *db.DB, outbox *outbox.Store, status *statusdb.Store) *Store {
	return &Store{d, outbox, status}
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error {
		t.KeepsCaches = true
		return f(Tx{t, s})
	})
}
