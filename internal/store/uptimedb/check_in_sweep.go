package uptimedb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const hasDueCheckIn = `-- uptimedb.hasDueCheckIn
SELECT EXISTS (SELECT 1 FROM check_ins WHERE deadline_at > 0 AND deadline_at <= $1)
    OR EXISTS (SELECT 1 FROM check_ins WHERE run_deadline_at > 0 AND run_deadline_at <= $1)`

var dueCheckIns = `-- uptimedb.dueCheckIns
SELECT ` + checkInColumns + ` FROM check_ins c WHERE c.deadline_at > 0 AND c.deadline_at <= $1
ORDER BY c.deadline_at LIMIT $2 {{for update skip locked}}`

var overdueRuns = `-- uptimedb.overdueRuns
SELECT ` + checkInColumns + ` FROM check_ins c WHERE c.run_deadline_at > 0 AND c.run_deadline_at <= $1
ORDER BY c.run_deadline_at LIMIT $2 {{for update skip locked}}`

// dueCheckIns locks at most limit check-ins of which a deadline has passed, and returns them with the earliest of these deadlines.
func (t Tx) dueCheckIns(ctx context.Context, now time.Time, limit int) (found []storedCheckIn, first time.Time, err error) {
	first = now
	for _, statement := range []string{dueCheckIns, overdueRuns} {
		due, err := t.s.checkIns(ctx, t, statement, db.Micros(now), limit-len(found))
		if err != nil {
			return nil, first, err
		}
		for _, c := range due {
			for _, at := range []time.Time{c.DeadlineAt, c.Run.DeadlineAt} {
				if !at.IsZero() && at.Before(first) {
					first = at
				}
			}
			if !slices.ContainsFunc(found, func(f storedCheckIn) bool { return f.number == c.number }) {
				found = append(found, c)
			}
		}
	}
	return found, first, nil
}

// SweepCheckIns handles at most limit check-ins of which a deadline has passed: each is missing, forgiven, or at the end of its pause. It
// returns the number of resulting events, and whether there is more to do at once. Call it only after a Beat of this process, which finds
// the monitoring gaps.
func (s *Store) SweepCheckIns(ctx context.Context, now time.Time, limit int) (more bool, events int, err error) {
	var due bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasDueCheckIn), db.Micros(now)).Scan(&due); err != nil || !due {
		return false, 0, s.db.Explain(db.Wrap("look for check-ins", err))
	}
	err = s.inTx(ctx, "sweep check-ins", func(t Tx) error {
		t.KeepsCaches = true
		found, first, err := t.dueCheckIns(ctx, now, limit)
		if err != nil || len(found) == 0 {
			return err
		}
		blind, err := s.status.BlindWindows(ctx, t, first)
		if err != nil {
			return err
		}
		w := checkInWrites{Now: now}
		for _, c := range found {
			before := c.State
			var happened []checks.CheckInEvent
			c.CheckIn, happened = c.Sweep(now, blind)
			w.add(before, c, happened)
		}
		outbox.Dated(now, w.alerts)
		more, events = len(found) == limit, len(w.kinds)
		return w.write(ctx, t)
	})
	return more, events, err
}
