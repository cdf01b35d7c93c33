package uptime

import (
	"context"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const hasDueCheckIn = `-- store.hasDueCheckIn
SELECT EXISTS (SELECT 1 FROM check_ins WHERE deadline_at > 0 AND deadline_at <= $1)`

const dueCheckIns = `-- store.dueCheckIns
SELECT ` + checkInColumns + ` FROM check_ins c WHERE c.deadline_at > 0 AND c.deadline_at <= $1
ORDER BY c.deadline_at LIMIT $2 {{for update skip locked}}`

// SweepCheckIns handles at most limit check-ins whose deadline has passed: each is missing, forgiven, or at the end of its pause. It
// returns the number of resulting events, and whether there is more to do at once. Call it only after a Beat of this process, which finds
// the monitoring gaps.
func (s *Store) SweepCheckIns(ctx context.Context, now time.Time, limit int) (more bool, events int, err error) {
	var due bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasDueCheckIn), db.Micros(now)).Scan(&due); err != nil || !due {
		return false, 0, s.db.Explain(db.Wrap("look for check-ins", err))
	}
	err = s.inTx(ctx, "sweep check-ins", func(t Tx) error {
		t.KeepsCaches = true
		found, err := s.checkIns(ctx, t, dueCheckIns, db.Micros(now), limit)
		if err != nil || len(found) == 0 {
			return err
		}
		blind, err := s.status.BlindWindows(ctx, t, found[0].DeadlineAt)
		if err != nil {
			return err
		}
		w := checkInWrites{Now: now}
		for _, c := range found {
			before := c.State
			var happened []sett.CheckInEvent
			c.CheckIn, happened = c.Sweep(now, blind)
			w.add(before, c, happened)
		}
		outbox.Dated(now, w.alerts)
		more, events = len(found) == limit, len(w.kinds)
		return w.write(ctx, t)
	})
	return more, events, err
}
