// Package movedb stores what moves in from other error trackers and monitors: projects, errors with their keys, events and comments, sites,
// check-ins, channels and status pages, and which of all that came from where. It takes records of package move and reports that are grouped like any other;
// whatever was stored before is not stored again, so a run may be repeated or go on after it was killed. No transaction
// has more than 1,000 rows. It raises no alert, and changes no key that an error has.
package movedb

import (
	"context"

	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/deliverydb"
	"sett/internal/store/releasedb"
	"sett/internal/store/statusdb"
	"sett/internal/store/uptimedb"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db      *db.DB
	account *accountdb.Store
	block   *block.Store
	release *releasedb.Store

	uptime     *uptimedb.Store
	status     *statusdb.Store
	deliveries *deliverydb.Store
}

// New returns the store of an open database.
func New(d *db.DB, account *accountdb.Store, block *block.Store, release *releasedb.Store, uptime *uptimedb.Store, status *statusdb.Store, deliveries *deliverydb.Store) *Store {
	return &Store{d, account, block, release, uptime, status, deliveries}
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

func (s *Store) inTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.db.InTx(ctx, what, func(t *db.Tx) error { return f(Tx{t, s}) })
}

// The kinds of what was imported.
const (
	kindProject = "project"
	kindFault   = "fault"
	kindComment = "comment"
	kindRelease = "release"
	kindDeploy  = "deploy"
	kindTeam    = "team"
	kindMember  = "member"
	kindCounts  = "counts"
	kindOwners  = "owners"
	kindMap     = "source map"
)
