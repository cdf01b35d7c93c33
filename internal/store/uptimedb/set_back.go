package uptimedb

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const forgetBlindWindows = `-- uptimedb.forgetBlindWindows
DELETE FROM blind_windows WHERE to_at > $1`

const forgetLateGaps = `-- uptimedb.forgetLateGaps
DELETE FROM site_gaps WHERE from_at > $1 OR to_at > $1`

const lateTurns = `-- uptimedb.lateTurns
UPDATE check_in_turns SET at = $1 WHERE at > $2`

const forgetLateDays = `-- uptimedb.forgetLateDays
DELETE FROM check_in_days WHERE day >= $1`

var lateCheckIns = `-- uptimedb.lateCheckIns
SELECT ` + checkInColumns + ` FROM check_ins c WHERE c.deadline_at > $1 OR c.reported_at > $1 OR c.run_started_at > $1 ORDER BY c.number {{for update}}`

// setBack corrects times that were recorded by a clock that was far ahead and has been set back, so that nothing waits for these times.
// Times that are read all the time, such as those of leases and sites, are corrected by the rules that read them.
func (t Tx) setBack(ctx context.Context, now time.Time) error {
	if err := t.ClockSetBack(ctx, now); err != nil {
		return err
	}
	latest := db.Micros(checks.LatestClock(now))
	if _, err := t.Exec(ctx, forgetBlindWindows, latest); err != nil {
		return db.Wrap("forget monitoring gaps", err)
	}
	if _, err := t.Exec(ctx, lateTurns, db.Micros(now), latest); err != nil {
		return db.Wrap("correct late turns of check-ins", err)
	}
	if _, err := t.Exec(ctx, forgetLateDays, db.Micros(accounts.Day(now))); err != nil {
		return db.Wrap("forget late days of check-ins", err)
	}
	if _, err := t.Exec(ctx, forgetLateGaps, latest); err != nil {
		return db.Wrap("forget late times without checks", err)
	}
	found, err := t.s.checkIns(ctx, t, lateCheckIns, latest)
	if err != nil {
		return db.Wrap("find late check-ins", err)
	}
	w := checkInWrites{Now: now}
	for _, c := range found {
		before := c.CheckIn
		var events []checks.CheckInEvent
		if c.CheckIn, events = c.SetBack(now); c.CheckIn != before {
			w.add(before.State, c, events)
		}
	}
	return w.write(ctx, t)
}
