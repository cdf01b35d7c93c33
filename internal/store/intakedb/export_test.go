package intakedb

import (
	"context"
	"time"

	"sett/internal/sett"
)

type (
	Batch       = batch
	Rollup      = rollup
	Rollups     = rollups
	FilterPart  = filterPart
	Node        = node
	TokenFilter = tokenFilter
	TokenKey    = tokenKey
)

const (
	BitsPerToken    = bitsPerToken
	BusyBatch       = busyBatch
	CountNotices    = countNotices
	DropFaultUsers  = dropFaultUsers
	FaultRollup     = faultRollup
	FaultsByKey     = faultsByKey
	FirstBits       = firstBits
	KeptDays        = keptDays
	LowerFaultUsers = lowerFaultUsers
	MostAhead       = mostAhead
	MostBits        = mostBits
	MostUncounted   = mostUncounted
	MostUnseen      = mostUnseen
	RateWatchers    = rateWatchers
	RatesAlerted    = ratesAlerted
	SampleFaults    = sampleFaults
	SampleNotices   = sampleNotices
	SpikesAlerted   = spikesAlerted
)

var (
	ErrFenced    = errFenced
	ErrUndecided = errUndecided
	RollupKinds  = rollupKinds
	NewBatch     = newBatch
	SumsOf       = sumsOf
)

func (s *Store) CatchUp(ctx context.Context, node int64, holder string) (int, error) {
	return s.catchUp(ctx, node, holder)
}

func (s *Store) Rollups() *rollups { return &s.rollups }

func (s *Store) FlushWhere(ctx context.Context, wanted func(*rollup) bool) error {
	return s.flushWhere(ctx, mostAhead, wanted)
}

func (s *Store) IDs() *sett.NoticeIDs { return &s.ids }

func (s *Store) MakeSure(ctx context.Context) (bool, error) {
	return s.makeSure(ctx)
}

func (s *Store) Node() *node { return &s.node }

func (s *Store) RenewNode(ctx context.Context, lost string) error {
	return s.renewNode(ctx, lost)
}

func (s *Store) TakeNode(ctx context.Context) error {
	return s.takeNode(ctx)
}

func (s *Store) TokenFilter() *tokenFilter { return &s.tokenFilter }

func (t Tx) Flush(ctx context.Context, node int64, sums map[*rollup]sum, upto sett.NoticeID) error {
	return t.flush(ctx, node, sums, upto)
}

func (s *Store) Own() *Store { return s }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}

func (d *rollups) Done(sums map[*rollup]sum) { d.done(sums) }

func (d *rollups) Pending(kind int) int { return d.pending(kind) }

// SavedAt sets when positions were last saved.
func (d *rollups) SavedAt(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.advanced = at
}
