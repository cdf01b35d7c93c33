package faultdb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

type (
	ManyChange = manyChange
)

const (
	ActiveFaults       = activeFaults
	AssignedFaultIDs   = assignedFaultIDs
	FaultBuckets       = faultBuckets
	FaultsInLot        = faultsInLot
	LotsAtOnce         = lotsAtOnce
	MergesInLot        = mergesInLot
	FaultsOfProject    = faultsOfProject
	IgnoredAt          = ignoredAt
	AffectedUsersOf    = affectedUsers
	CountAffectedUsers = countAffectedUsers
	LastResolved       = lastResolved
	ListNotices        = listNotices
	ListNoticesBack    = listNoticesBack
	ExplainedBlocks    = explainedBlocks
	FewBlocks          = fewBlocks
	MostExplained      = mostExplained
	ReopenedOf         = reopenedOf
	ResolvedAt         = resolvedAt
	SameClass          = sameClass
	SamePlace          = samePlace
	SignsOfFaults      = signsOfFaults
)

var (
	FaultsByReason  = faultsByReason
	TimelineEndings = timelineEndings
	Timelines       = timelines
	Unpack          = unpack
)

// AddLots adds the work of a change with lots that may be smaller than those of users.
func (t Tx) AddLots(ctx context.Context, projectID int64, m ManyChange, lots ...[]int64) error {
	_, err := t.work().Add(ctx, ChangesOfFaults, projectID, m, lots...)
	return err
}

// UndoOf is the undo of what a user did at a time.
func UndoOf(event faults.CommentEvent, at time.Time) *undoing { return &undoing{event, db.Micros(at)} }

func (s *Store) Own() *Store { return s }

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}

func (s *Store) PositionOfNotice(ctx context.Context, projectID, faultID int64, id sett.NoticeID) (p NoticePosition, err error) {
	owner, parts, err := s.ownerAndParts(ctx, s.db.Read, projectID, faultID)
	if err != nil {
		return p, err
	}
	return s.positionOf(ctx, s.db.Read, owner, parts, id)
}

func (s *Store) PauseOf(ctx context.Context, now time.Time, projectID, faultID int64) (triage.PauseUntil, triage.PauseProgress, error) {
	return s.pauseOf(ctx, s.db.Read, now, projectID, faultID)
}
