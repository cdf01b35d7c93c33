package uptimedb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const daysOfSite = `-- uptimedb.UptimeDays
SELECT day, location, checks, failed, total, latencies FROM uptime_days WHERE site_id = $1 AND day >= $2 AND day < $3
ORDER BY day, location`

const checksOfDays = `-- uptimedb.checksOfDays
SELECT site_id, at, location, up, duration, status, reason FROM uptime_checks WHERE site_id = $1 AND at >= $2 AND at < $3`

const readProgress = `-- uptimedb.readProgress
SELECT day, site_id FROM uptime_progress`

// UptimeDays returns the summaries of a site's checks in the UTC days from one time until before another, by day and location. The error
// is NotFound if the project has no such site.
func (s *Store) UptimeDays(ctx context.Context, projectID int64, siteID sett.UUID, from, to time.Time) (days []checks.UptimeDay, err error) {
	from, to = accounts.Day(from), accounts.Day(to.Add(24*time.Hour-1))
	err = s.db.Snapshot(ctx, "read uptime", func(q db.Querier) error {
		days = nil
		number, err := s.siteNumber(ctx, q, projectID, siteID)
		if err != nil {
			return err
		}
		var day, rolled int64
		if err := q.QueryRowContext(ctx, s.db.Text(readProgress)).Scan(&day, &rolled); err != nil {
			return err
		}
		open := time.UnixMicro(day).UTC()
		if number <= rolled {
			open = open.Add(24 * time.Hour)
		}
		if days, err = s.rolledDays(ctx, q, number, from, to); err != nil {
			return err
		}
		fresh, err := s.openDays(ctx, q, number, later(from, open), to)
		days = append(days, fresh...)
		return err
	})
	return days, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (s *Store) rolledDays(ctx context.Context, q db.Querier, number int64, from, to time.Time) (days []checks.UptimeDay, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(daysOfSite), number, db.Micros(from), db.Micros(to))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var day, location, total int64
		var latencies []byte
		d := checks.UptimeDay{Latencies: checks.Latencies{}}
		if err := rows.Scan(&day, &location, &d.Checks, &d.Failed, &total, &latencies); err != nil {
			return err
		}
		d.Day, d.Location, d.Total = db.FromMicros(day), locationOf(location), time.Duration(total)*time.Microsecond
		days = append(days, d)
		return d.Latencies.AddEncoded(latencies)
	})
	return days, err
}

// openDays sums up the checks of days that are not rolled up.
func (s *Store) openDays(ctx context.Context, q db.Querier, number int64, from, to time.Time) ([]checks.UptimeDay, error) {
	sums := dayRows{}
	rows, err := q.QueryContext(ctx, s.db.Text(checksOfDays), number, db.Micros(from), db.Micros(to))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		c, err := scanCheck(rows, &number)
		sums.add(number, c)
		return err
	})
	var days []checks.UptimeDay
	for _, k := range db.Sorted(sums, dayKey.compare) {
		days = append(days, *sums[k])
	}
	return days, err
}

// dayRows holds sums of checks by site, day and location.
type dayRows map[dayKey]*checks.UptimeDay

type dayKey struct{ number, day, location int64 }

func (k dayKey) compare(o dayKey) int {
	return cmp.Or(cmp.Compare(k.number, o.number), cmp.Compare(k.day, o.day), cmp.Compare(k.location, o.location))
}

func (d dayRows) add(number int64, c checks.UptimeCheck) {
	day := accounts.Day(c.At)
	k := dayKey{number, db.Micros(day), locationNumber(c.Location)}
	if d[k] == nil {
		d[k] = &checks.UptimeDay{Day: day, Location: c.Location}
	}
	d[k].Add(c)
}

const dayByKey = `-- uptimedb.dayByKey
SELECT checks, failed, total, latencies FROM uptime_days WHERE site_id = $1 AND day = $2 AND location = $3`

// addDays adds checks to days that are already rolled up.
func (t Tx) addDays(ctx context.Context, days dayRows) error {
	for _, k := range db.Sorted(days, dayKey.compare) {
		var results, failed, total int64
		var latencies []byte
		err := t.QueryRowContext(ctx, t.s.db.Text(dayByKey), k.number, k.day, k.location).Scan(&results, &failed, &total, &latencies)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		d := days[k]
		d.Checks, d.Failed, d.Total = d.Checks+results, d.Failed+failed, d.Total+time.Duration(total)*time.Microsecond
		if d.Latencies == nil {
			d.Latencies = checks.Latencies{}
		}
		if err := d.Latencies.AddEncoded(latencies); err != nil {
			return fmt.Errorf("add to day: %w", err)
		}
	}
	return t.writeDays(ctx, days)
}

const writeDays = `-- uptimedb.writeDays
INSERT INTO uptime_days (site_id, day, location, checks, failed, total, latencies)
SELECT k.site_id, k.day, k.location, k.checks, k.failed, k.total, k.latencies
FROM {{rows k(site_id bigint, day bigint, location bigint, checks bigint, failed bigint, total bigint, latencies bytea)}} WHERE true
ON CONFLICT (site_id, day, location) DO UPDATE SET checks = excluded.checks, failed = excluded.failed, total = excluded.total,
    latencies = excluded.latencies`

func (t Tx) writeDays(ctx context.Context, days dayRows) error {
	var sites, at, locations, checks, failed, total []int64
	var latencies [][]byte
	for _, k := range db.Sorted(days, dayKey.compare) {
		d := days[k]
		sites, at, locations = append(sites, k.number), append(at, k.day), append(locations, k.location)
		checks, failed, total = append(checks, d.Checks), append(failed, d.Failed), append(total, d.Total.Microseconds())
		latencies = append(latencies, d.Latencies.Encode())
	}
	if err := t.Each(ctx, writeDays, sites, at, locations, checks, failed, total, latencies); err != nil {
		return err
	}
	return t.noteChecked(ctx, days)
}

// sitesRolledAtOnce is how many sites one step rolls up: with a check per minute from five locations, a day of one site is 7,200 rows, or
// some 20 ms in which SQLite writes nothing else.
const sitesRolledAtOnce = 2

const nextSites = `-- uptimedb.nextSites
SELECT id FROM sites WHERE id > $1 ORDER BY id LIMIT $2`

const moveProgress = `-- uptimedb.moveProgress
UPDATE uptime_progress SET day = $1, site_id = $2`

// RollUpChecks rolls up past days, in small steps. Several processes may do so at the same time.
func (s *Store) RollUpChecks(ctx context.Context, now time.Time) error {
	for more := true; more; {
		err := s.inTx(ctx, "roll up checks", func(t Tx) (err error) {
			t.KeepsCaches, t.Unsynced = true, true // it is repeated if it is lost
			more, err = t.rollUp(ctx, checks.RolledUpTo(now))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// rollUp rolls up a day of some sites, or moves on to the next day.
func (t Tx) rollUp(ctx context.Context, until time.Time) (more bool, err error) {
	p, err := t.holdProgress(ctx)
	if err != nil {
		return false, err
	}
	if p.day.UnixMicro() == 0 { // on the first run, there are no earlier days
		p.day = until.Add(-checks.OldestCheck)
	}
	if !p.day.Before(until) {
		return false, nil
	}
	numbers, err := t.s.db.ListIDs(ctx, t, nextSites, p.number, sitesRolledAtOnce)
	if err != nil {
		return false, err
	}
	for _, number := range numbers {
		if err := t.rollUpDay(ctx, number, p.day); err != nil {
			return false, err
		}
	}
	if len(numbers) < sitesRolledAtOnce {
		p = progress{p.day.Add(24 * time.Hour), 0}
	} else {
		p.number = slices.Max(numbers)
	}
	_, err = t.Exec(ctx, moveProgress, db.Micros(p.day), p.number)
	return true, err
}

func (t Tx) rollUpDay(ctx context.Context, number int64, day time.Time) error {
	sums := dayRows{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(checksOfDays), number, db.Micros(day), db.Micros(day.Add(24*time.Hour)))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		c, err := scanCheck(rows, &number)
		sums.add(number, c)
		return err
	})
	if err != nil {
		return err
	}
	return t.writeDays(ctx, sums)
}
