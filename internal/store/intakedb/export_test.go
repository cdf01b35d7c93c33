package intakedb

import (
	"context"
	"sync"

	"sett/internal/store/rollupdb"
)

type (
	Batch       = batch
	FilterPart  = filterPart
	TokenFilter = tokenFilter
	TokenKey    = rollupdb.TokenKey
)

const (
	BitsPerToken  = bitsPerToken
	CountNotices  = countNotices
	FaultsByKey   = faultsByKey
	FirstBits     = firstBits
	KeptDays      = keptDays
	MostBits      = mostBits
	MostUnseen    = mostUnseen
	RateWatchers  = rateWatchers
	RatesAlerted  = ratesAlerted
	SampleFaults  = sampleFaults
	SampleNotices = sampleNotices
	SpikesAlerted = spikesAlerted
)

var (
	ErrUndecided = errUndecided
	NewBatch     = newBatch
)

func (s *Store) MakeSure(ctx context.Context) (bool, error) {
	return s.makeSure(ctx)
}

func (s *Store) TokenFilter() *tokenFilter { return &s.tokenFilter }

func (s *Store) Own() *Store { return s }

func (s *Store) Recording() *sync.Mutex { return &s.recording }

func (s *Store) InDoubt() *batch { return s.inDoubt }

func (s *Store) SetInDoubt(b *batch) { s.inDoubt = b }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}
