package intakedb

import (
	"context"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/nodedb"
	"sett/internal/store/rollupdb"
)

// OfSpool returns a store that records reports which have waited in a spool, on PostgreSQL, under a number of its own.
func (s *Store) OfSpool() *Store {
	o := &Store{db: s.db, outbox: s.outbox, account: s.account, uptime: s.uptime, fault: s.fault, block: s.block, release: s.release, spooled: true}
	o.node = nodedb.New(s.db, true)
	o.rollups = rollupdb.New(s.db, o.node, s.fault, s.block, s.release)
	o.seen.init()
	return o
}

// Leave counts everything that is recorded, and gives the number of this store back until it records again. Nothing may be recorded meanwhile.
func (s *Store) Leave(ctx context.Context) error {
	if _, holder := s.node.Current(); holder == "" {
		return nil
	}
	if err := s.Settle(ctx); err != nil {
		return err
	}
	return s.node.Leave(ctx)
}

// acceptedAt returns the time that the id of a report has.
func (s *Store) acceptedAt(now time.Time, r *faults.Report) time.Time {
	if s.spooled {
		return r.ReceivedAt
	}
	return now
}
