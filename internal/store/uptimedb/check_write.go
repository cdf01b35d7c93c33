package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// checkRows holds checks to store, as columns.
type checkRows struct {
	sites, ats, locations, ups, durations, statuses []int64
	reasons                                         []string
}

// addCheck adds a report to the rows to write.
func (b *checkBatch) addCheck(c *checkedSite, r checks.CheckReport) {
	rows := &b.checks
	if r.Result.At.Before(checks.RolledUpTo(b.now.Add(time.Hour))) { // the clocks of two nodes differ
		rows = &b.late
	}
	check := r.Check()
	rows.sites, rows.ats = append(rows.sites, c.number), append(rows.ats, db.Micros(check.At))
	rows.locations, rows.ups = append(rows.locations, locationNumber(check.Location)), append(rows.ups, bit(check.Up))
	rows.durations = append(rows.durations, check.Duration.Microseconds())
	rows.statuses, rows.reasons = append(rows.statuses, int64(check.Status)), append(rows.reasons, check.Reason)
}

const insertChecks = `-- uptimedb.insertChecks
INSERT INTO uptime_checks (site_id, at, location, up, duration, status, reason)
SELECT k.site_id, k.at, k.location, k.up = 1, k.duration, k.status, k.reason
FROM {{rows k(site_id bigint, at bigint, location bigint, up bigint, duration bigint, status bigint, reason text)}} WHERE true
ON CONFLICT (site_id, at, location) DO NOTHING`

const insertLateChecks = insertChecks + ` RETURNING site_id, at, location, up, duration, status, reason`

func (r *checkRows) each(ctx context.Context, t Tx, statement string, scan func(*sql.Rows) error) error {
	return t.EachRow(ctx, statement, scan, r.sites, r.ats, r.locations, r.ups, r.durations, r.statuses, r.reasons)
}

// writeChecks adds checks to the history of sites; those of rolled-up days are also added to their day.
func (b *checkBatch) writeChecks(ctx context.Context) error {
	if err := b.checks.each(ctx, b.t, insertChecks, nil); err != nil {
		return err
	}
	if len(b.late.sites) == 0 {
		return nil
	}
	upto, err := b.t.holdProgress(ctx)
	if err != nil {
		return err
	}
	days := dayRows{}
	err = b.late.each(ctx, b.t, insertLateChecks, func(rows *sql.Rows) error {
		var number int64
		c, err := scanCheck(rows, &number)
		if err == nil && upto.has(number, c.At) {
			days.add(number, c)
		}
		return err
	})
	if err != nil {
		return err
	}
	return b.t.addDays(ctx, days)
}

// progress is the position of the rollup of checks.
type progress struct {
	day    time.Time // the first unfinished day
	number int64     // the last site that is done for that day
}

func (p progress) has(number int64, at time.Time) bool {
	day := accounts.Day(at)
	return day.Before(p.day) || day.Equal(p.day) && number <= p.number
}

const holdProgress = `-- uptimedb.holdProgress
SELECT day, site_id FROM uptime_progress {{for update}}`

// holdProgress returns the position of the rollup and locks it against other processes.
func (t Tx) holdProgress(ctx context.Context) (p progress, err error) {
	var day int64
	err = t.QueryRowContext(ctx, t.s.db.Text(holdProgress)).Scan(&day, &p.number)
	p.day = time.UnixMicro(day).UTC()
	return p, err
}
