package uptimedb

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

type (
	CheckInSync   = checkInSync
	CheckInWrites = checkInWrites
	Pinged        = pinged
	StoredCheckIn = storedCheckIn
)

const (
	CheckInNameTaken       = checkInNameTaken
	CheckInSlugTaken       = checkInSlugTaken
	DropRolledUpTurns      = dropRolledUpTurns
	FoldableCheckIns       = rollableCheckIns
	HasDueCheckIn          = hasDueCheckIn
	ListCheckInEvents      = listCheckInEvents
	MostCheckInEvents      = mostCheckInEvents
	MostCheckInTurns       = mostCheckInTurns
	NotDeleted             = notDeleted
	PruneManyCheckInEvents = pruneManyCheckInEvents
	SitesRolledAtOnce      = sitesRolledAtOnce
	SweepCheckInEvents     = sweepCheckInEvents
	SweepCheckInDays       = sweepCheckInDays
	SweepCheckInTurns      = sweepCheckInTurns
	DropsAtOnce            = dropsAtOnce
	SweepProjectCheckIns   = sweepProjectCheckIns
	TurnsToFold            = turnsToRollUp
)

var (
	DueCheckIns    = dueCheckIns
	OverdueRuns    = overdueRuns
	PingedCheckIns = pingedCheckIns
	AskPinged      = askPinged
	NewPinged      = newPinged
)

func (t Tx) BurySites(ctx context.Context, numbers []int64, ids []sett.UUID) error {
	_, err := t.deleteSites(ctx, numbers, ids)
	return err
}

func (t Tx) DeleteCheckIn(ctx context.Context, projectID int64, id string) error {
	return t.deleteCheckIn(ctx, projectID, id)
}

func (t Tx) DeleteCheckIns(ctx context.Context, projectID int64) (int64, error) {
	return t.deleteCheckIns(ctx, projectID)
}

func (t Tx) FoldCheckIn(ctx context.Context, number int64, since time.Time, now time.Time) error {
	return t.rollUpCheckIn(ctx, number, since, now)
}

func (t Tx) LockSite(ctx context.Context, projectID int64, id sett.UUID) (numberedSite, error) {
	return t.lockSite(ctx, projectID, id)
}

func (t Tx) RecordChecks(ctx context.Context, now time.Time, reports []checks.CheckReport) ([]checks.SiteEvent, error) {
	return t.recordChecks(ctx, now, reports)
}

func (t Tx) RollUp(ctx context.Context, until time.Time) (bool, error) {
	return t.rollUp(ctx, until)
}

func (s *Store) InOwnTx(ctx context.Context, what string, f func(Tx) error) error {
	return s.inTx(ctx, what, f)
}

func (s *Store) TryInOwnTx(ctx context.Context, f func(Tx) error) error {
	return s.db.TryIntakeTx(ctx, func(t *db.Tx) error { return f(s.In(t)) })
}
