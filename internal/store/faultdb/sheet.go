package faultdb

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// SheetAsk says whose sheet is wanted, and what of it.
type SheetAsk struct {
	ProjectID, FaultID int64
	UserID             int64  // of whom looks at it
	Notice             string // public id; "" for the newest
	Period             stats.Period
	History            sett.Page
	Similar            int // at most so many
}

// Sheet is all that is stored about a fault, as far as one page shows it.
type Sheet struct {
	Fault    faults.Fault
	Erased   string // see ErasureState
	Releases FaultReleases
	Until    triage.PauseUntil
	Progress triage.PauseProgress

	Notice   *faults.Notice // nil: no notice is stored any longer, or see Away
	Away     string         // why the notice cannot be read now, although it is stored; ""
	Position NoticePosition // of the notice

	Points []stats.Point

	Today, Yesterday int64 // notices of the last 24 hours, and of the 24 before

	Marks   stats.ChartMarks // in the time of the points
	Before  *faults.Deploy   // the last deploy before the first notice; nil: none is known that may have caused the fault
	History []faults.Comment
	Beside  sett.Marks // the pages of the history beside this one
	Similar []faults.Fault
	Reasons []triage.FaultReason
	Parts   []triage.FaultPart
	Said    []faults.Message // its different messages, the newest first
	Links   []triage.FaultLink
	Share   *faults.FaultShare // nil: there is none

	Followers Followers
}

// ReadSheet returns the sheet of a fault in a snapshot. The error is NotFound if the project has no such fault, or the fault no such notice.
func (s *Store) ReadSheet(ctx context.Context, q db.Querier, now time.Time, ask SheetAsk) (sh Sheet, err error) {
	r := sheetReader{s: s, q: q, now: now, ask: ask}
	if err := r.readEvent(ctx, &sh); err != nil { // first: a snapshot that has to fetch it from object storage is repeated
		return sh, err
	}
	if err := r.readState(ctx, &sh); err != nil {
		return sh, err
	}
	if err := r.readChart(ctx, &sh); err != nil {
		return sh, err
	}
	if err := r.readHistory(ctx, &sh); err != nil {
		return sh, err
	}
	return sh, r.readOthers(ctx, &sh)
}

// sheetReader reads the sheet of one fault.
type sheetReader struct {
	s     *Store
	q     db.Querier
	now   time.Time
	ask   SheetAsk
	parts []int64
}

func (r *sheetReader) readEvent(ctx context.Context, sh *Sheet) (err error) {
	if sh.Fault, err = r.s.ReadFault(ctx, r.q, r.ask.ProjectID, r.ask.FaultID); err != nil {
		return err
	}
	owner, parts, err := r.s.ownerAndParts(ctx, r.q, r.ask.ProjectID, r.ask.FaultID)
	if err != nil {
		return err
	}
	r.parts = parts
	sh.Notice, err = r.s.noticeOf(ctx, r.q, owner, parts, r.ask.Notice)
	if away, ok := errors.AsType[*sett.Error](err); ok && away.Code == sett.Unavailable {
		sh.Away = away.Message
		return nil
	}
	if err != nil || sh.Notice == nil {
		return err
	}
	sh.Position, err = r.s.positionOf(ctx, r.q, owner, parts, sh.Notice.Key)
	return err
}

func (r *sheetReader) readState(ctx context.Context, sh *Sheet) (err error) {
	if sh.Erased, err = r.s.erasureState(ctx, r.q, r.ask.ProjectID); err != nil {
		return err
	}
	if sh.Releases, err = r.s.readReleases(ctx, r.q, sh.Fault); err != nil {
		return err
	}
	if f := sh.Fault; f.PausedUntil.IsZero() || !f.Paused(r.now, f.NoticesCount) {
		return nil
	}
	sh.Until, sh.Progress, err = r.s.pauseOf(ctx, r.q, r.now, r.ask.ProjectID, r.ask.FaultID)
	return err
}

func (r *sheetReader) readChart(ctx context.Context, sh *Sheet) (err error) {
	sh.Points, err = r.s.seriesOf(ctx, r.q, r.ask.ProjectID, r.parts, r.ask.Period, r.now)
	if n := len(sh.Points); err == nil && n > 0 {
		from, to := sh.Points[0].At, sh.Points[n-1].At.Add(r.ask.Period.Width())
		sh.Marks, err = r.s.marksOf(ctx, r.q, []int64{r.ask.ProjectID}, from, to)
	}
	if err != nil {
		return err
	}
	if sh.Today, err = r.dayUntil(ctx, r.now); err != nil {
		return err
	}
	sh.Yesterday, err = r.dayUntil(ctx, r.now.Add(-24*time.Hour))
	return err
}

// dayUntil returns how many notices there were in the 24 hours until a time.
func (r *sheetReader) dayUntil(ctx context.Context, until time.Time) (n int64, err error) {
	points, err := r.s.seriesOf(ctx, r.q, r.ask.ProjectID, r.parts, stats.PastDay, until)
	for _, p := range points {
		n += p.Count
	}
	return n, err
}

func (r *sheetReader) readHistory(ctx context.Context, sh *Sheet) (err error) {
	if sh.History, sh.Beside, err = r.s.listComments(ctx, r.q, r.ask.ProjectID, r.ask.FaultID, r.ask.History); err != nil {
		return err
	}
	reader, err := r.s.reasonReader(ctx, r.q, r.now, r.ask.ProjectID, r.ask.UserID)
	if err != nil {
		return err
	}
	reasons, err := reader.reasons(ctx, []int64{r.ask.FaultID})
	sh.Reasons = reasons[r.ask.FaultID]
	return err
}

func (r *sheetReader) readOthers(ctx context.Context, sh *Sheet) (err error) {
	if sh.Before, err = r.s.deployBefore(ctx, r.q, sh.Fault); err != nil {
		return err
	}
	if sh.Similar, err = r.s.similarFaults(ctx, r.q, r.ask.ProjectID, r.ask.FaultID, r.ask.Similar); err != nil {
		return err
	}
	if sh.Parts, err = r.s.listParts(ctx, r.q, r.ask.ProjectID, r.ask.FaultID); err != nil {
		return err
	}
	if sh.Links, err = r.s.faultLinks(ctx, r.q, r.ask.ProjectID, r.ask.FaultID); err != nil {
		return err
	}
	followers, err := r.s.ReadFollowers(ctx, r.q, []int64{r.ask.FaultID})
	if err != nil {
		return err
	}
	sh.Followers = followers[r.ask.FaultID]
	said, err := r.s.messagesOf(ctx, r.q, r.ask.ProjectID, []faults.Fault{sh.Fault})
	if err != nil {
		return err
	}
	sh.Said = said[r.ask.FaultID]
	share, err := r.s.shareOfFault(ctx, r.q, r.ask.ProjectID, r.ask.FaultID)
	if sett.CodeOf(err) == sett.NotFound {
		return nil
	}
	sh.Share = &share
	return err
}
