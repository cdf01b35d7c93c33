// Package repodb stores the repositories of projects, and what their hosts say: changes (pull and merge requests), the commits of default
// branches, which of them are about which errors, the commit that an error most likely came from, and which deploys and errors are yet to be
// compared with repositories. It takes webhooks that were read and checked. It never asks a host, and never resolves an error.
package repodb

import (
	"context"

	"sett/internal/store/db"
)

// The encrypted columns.
var (
	sealedToken  = &db.SealedColumn{Table: "repositories", Column: "token", Row: "id", Lost: `UPDATE repositories SET token = ''`}
	sealedSecret = &db.SealedColumn{Table: "repositories", Column: "secret", Row: "id", Lost: `UPDATE repositories SET secret = {{random}}`}
)

// Sealed lists all of them.
var Sealed = []*db.SealedColumn{sealedToken, sealedSecret}

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct{ db *db.DB }

// New returns the store of an open database.
func New(d *db.DB) *Store { return &Store{d} }

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.Explain(s.db.InTx(ctx, what, func(t *db.Tx) error {
		t.KeepsCaches = true
		return f(s.In(t))
	}))
}
