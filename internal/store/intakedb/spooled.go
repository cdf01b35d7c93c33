package intakedb

import (
	"context"
	"iter"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
)

// OfSpool returns a store that records reports which have waited in a spool, on PostgreSQL. Its notices have the times at which their reports
// were received, which may be long ago. Ids under one number only grow, and their times with them, so it has a number of its own, like another node.
func (s *Store) OfSpool() *Store {
	o := &Store{db: s.db, outbox: s.outbox, account: s.account, uptime: s.uptime, fault: s.fault, block: s.block, release: s.release, spooled: true}
	o.init()
	return o
}

// Leave counts everything that is recorded, and gives the number of this store back until it records again. Nothing may be recorded meanwhile.
func (s *Store) Leave(ctx context.Context) error {
	num, holder := s.node.Current()
	if holder == "" {
		return nil
	}
	if err := s.Settle(ctx); err != nil {
		return err
	}
	err := s.inTx(ctx, "leave node", func(t Tx) error {
		_, err := t.Exec(ctx, dropNode, num, holder)
		return err
	})
	if err != nil {
		return err
	}
	s.node.set(sett.FileNode, "")
	return s.node.close()
}

// acceptedAt returns the time that the id of a report has.
func (s *Store) acceptedAt(now time.Time, r *faults.Report) time.Time {
	if s.spooled {
		return r.ReceivedAt
	}
	return now
}

// startOfSpool is startOf for a number of a spool. If nothing is known of its previous holders, there were none: earlier versions took the lowest free
// numbers only.
const startOfSpool = `-- intakedb.startOfSpool
SELECT coalesce(max(upto), 0) FROM digests WHERE node = $1`

// startOf returns the statement that finds where the ids of a number begin.
func (s *Store) startOf() string {
	if s.spooled {
		return startOfSpool
	}
	return startOf
}

// numbers are those that a process may take, in the order in which it tries them. Nodes and spools begin at the opposite ends, so that a number stays
// one of a spool: the ids of a node would push the times of a spool forward.
func (s *Store) numbers() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for num := range int64(sett.MaxNodes) {
			if s.spooled {
				num = sett.MaxNodes - 1 - num
			}
			if !yield(num) {
				return
			}
		}
	}
}
