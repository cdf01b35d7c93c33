package rollupdb

import (
	"context"
	"time"
)

type (
	Rollup = rollup
	Step   = step
	Tx     = tx
)

const (
	BusyBatch       = busyBatch
	DropFaultUsers  = dropFaultUsers
	FaultRollup     = faultRollup
	LowerFaultUsers = lowerFaultUsers
	MostAhead       = mostAhead
	MostUncounted   = mostUncounted
)

var RollupKinds = rollupKinds

func (s *Store) Each() []*rollup { return s.each }

func (s *Store) Kind(kind int) []*rollup { return s.kinds[kind] }

func (s *Store) FlushWhere(ctx context.Context, wanted func(*rollup) bool) error {
	return s.flushWhere(ctx, mostAhead, wanted)
}

func (s *Store) Take(wanted func(*rollup) bool, parts ...*rollup) []step {
	return s.take(wanted, parts...)
}

func (s *Store) Done(all []step) { s.done(all) }

func (s *Store) Pending(kind int) int { return s.pending(kind) }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(tx) error) error {
	return s.inTx(ctx, what, f)
}

func (t tx) Flush(ctx context.Context, node int64, all []step) error { return t.flush(ctx, node, all) }

// SavedAt sets when positions were last saved.
func (s *Store) SavedAt(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.advanced = at
}
