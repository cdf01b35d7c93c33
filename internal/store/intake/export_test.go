package intake

import (
	"context"

	"sett/internal/sett"
)

type (
	Batch       = batch
	Digest      = digest
	Digests     = digests
	FilterPart  = filterPart
	Node        = node
	TokenFilter = tokenFilter
	TokenKey    = tokenKey
)

const (
	BitsPerToken    = bitsPerToken
	BusyBatch       = busyBatch
	ClassDigest     = classDigest
	CountNotices    = countNotices
	DropFaultUsers  = dropFaultUsers
	FaultDigest     = faultDigest
	FirstBits       = firstBits
	KeptDays        = keptDays
	LocationDigest  = locationDigest
	LowerFaultUsers = lowerFaultUsers
	MostAhead       = mostAhead
	MostBits        = mostBits
	MostUncounted   = mostUncounted
	MostUnseen      = mostUnseen
	ProjectDigest   = projectDigest
	RateWatchers    = rateWatchers
	RatesTold       = ratesTold
	SampleFaults    = sampleFaults
	SampleNotices   = sampleNotices
	SpikesTold      = spikesTold
	UserDigest      = userDigest
	UserNameDigest  = userNameDigest
)

var (
	ErrFenced      = errFenced
	ErrUndecided   = errUndecided
	KindsOfDigests = kindsOfDigests
	NewBatch       = newBatch
	SumsOf         = sumsOf
)

func (s *Store) CatchUp(ctx context.Context, node int64, holder string) (int, error) {
	return s.catchUp(ctx, node, holder)
}

func (s *Store) Digests() *digests { return &s.digests }

func (s *Store) FoldWhere(ctx context.Context, wanted func(*digest) bool) error {
	return s.foldWhere(ctx, wanted)
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

func (t Tx) Fold(ctx context.Context, node int64, sums map[*digest]sum, upto sett.NoticeID) error {
	return t.fold(ctx, node, sums, upto)
}

func (s *Store) Own() *Store { return s }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}
