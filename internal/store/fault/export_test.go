package fault

import (
	"context"
	"time"

	"sett/internal/triage"
)

type (
	FaultList = faultList
)

const (
	ActiveFaults       = activeFaults
	AssignedFaultIDs   = assignedFaultIDs
	BuryFaults         = insertTombstones
	CompressedTogether = compressedTogether
	CountMine          = countMine
	FaultBuckets       = faultBuckets
	FaultsByReason     = faultsByReason
	FaultsInLot        = faultsInLot
	FaultsOfProject    = faultsOfProject
	IgnoredAt          = ignoredAt
	ListNotices        = listNotices
	ListNoticesBack    = listNoticesBack
	MostProofs         = mostProofs
	MostProofsOfFault  = mostProofsOfFault
	ReopenedOf         = reopenedOf
	ResolvedAt         = resolvedAt
	SameClass          = sameClass
	SamePlace          = samePlace
	SignsOfFaults      = signsOfFaults
)

var (
	AppendLengths   = appendLengths
	PayloadAt       = payloadAt
	TimelineEndings = timelineEndings
	Timelines       = timelines
	Unpack          = unpack
)

func (s *Store) ChangeChosen(ctx context.Context, now time.Time, userID int64, projectID int64, which FaultChoice, c triage.BulkChange) (BulkOutcome, error) {
	return s.changeChosen(ctx, now, userID, projectID, which, c)
}

func (s *Store) Choose(ctx context.Context, now time.Time, projectID int64, which FaultChoice) (FaultChoice, error) {
	return s.choose(ctx, now, projectID, which)
}

func (s *Store) ProvenFaults(ctx context.Context, f FaultFilter, ids []int64) ([]int64, error) {
	return s.provenFaults(ctx, f, ids)
}

func (s *Store) Proves(ctx context.Context, f FaultFilter, parts []int64, most int) (bool, int, error) {
	return s.proves(ctx, f, parts, most)
}

func (s *Store) Own() *Store { return s }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}
