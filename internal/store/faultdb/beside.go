package faultdb

import (
	"context"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// Beside is what a list shows beside faults, by their ids.
type Beside struct {
	Sparks  map[int64][]int64              // see FaultSparks
	Reasons map[int64][]triage.FaultReason // see FaultReasons
	Users   map[int64]int64                // affected users, at most one more than MostCountedUsers
	Newest  map[int64]faults.Newest        // messages of those whose messages differ
	Chart   stats.ChartMarks               // the marks on the sparks
}

// BesideFaults reads what a list shows beside faults of a project, to a user. Faults are new as fresh says.
func (s *Store) BesideFaults(ctx context.Context, q db.Querier, now time.Time, projectID, userID int64, fresh triage.NewFaults, found []faults.Fault) (b Beside, err error) {
	if len(found) == 0 {
		return b, nil
	}
	var ids []int64
	last := map[int64]time.Time{}
	for _, f := range found {
		ids, last[f.ID] = append(ids, f.ID), f.LastNoticeAt
	}
	if b.Sparks, err = s.sparks(ctx, q, now, last); err != nil {
		return b, err
	}
	r := reasonReader{s, q, now, projectID, userID, fresh}
	if b.Reasons, err = r.reasons(ctx, ids); err != nil {
		return b, err
	}
	if b.Users, err = s.usersOf(ctx, q, ids); err != nil {
		return b, err
	}
	if b.Newest, err = s.newestMessages(ctx, q, projectID, found); err != nil {
		return b, err
	}
	b.Chart, err = s.marksOf(ctx, q, []int64{projectID}, now.Add(-24*time.Hour), now)
	return b, err
}
