package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/stats"
	"sett/internal/store/db"
)

// SiteLines returns a page of the sites of a project as a list shows them, in order of creation, and its cursors. An invalid cursor is an
// Invalid error.
func (s *Store) SiteLines(ctx context.Context, now time.Time, projectID int64, p sett.Page) (lines []stats.SiteLine, marks sett.Marks, err error) {
	err = s.db.Snapshot(ctx, "list lines of sites", func(q db.Querier) error {
		var found []numberedSite
		if found, marks, err = s.listSites(ctx, q, projectID, p); err != nil || len(found) == 0 {
			return err
		}
		lines = make([]stats.SiteLine, len(found))
		of, numbers := map[int64]*stats.SiteLine{}, []int64{}
		for i, n := range found {
			lines[i].Site, of[n.Number], numbers = n.Site, &lines[i], append(numbers, n.Number)
		}
		if err := s.recentChecks(ctx, q, numbers, of); err != nil {
			return err
		}
		if err := s.lastOutages(ctx, q, numbers, of); err != nil {
			return err
		}
		days, err := s.status.DaysOfSites(ctx, q, now, numbers)
		for n, d := range days {
			of[n].Month = checks.ShareOf(stats.PulseDays, d)
		}
		return err
	})
	return lines, marks, err
}

// The time of the oldest check to show is found in the key, so that no older check is read.
const recentChecks = `-- uptimedb.recentChecks
SELECT s.id, c.at, c.location, c.up, c.duration, c.status, c.reason FROM sites s JOIN uptime_checks c ON c.site_id = s.id
    AND c.at >= coalesce((SELECT k.at FROM uptime_checks k WHERE k.site_id = s.id ORDER BY k.at DESC LIMIT 1 OFFSET $1), 0)
WHERE s.id IN `

func (s *Store) recentChecks(ctx context.Context, q db.Querier, numbers []int64, of map[int64]*stats.SiteLine) error {
	list, args := db.In(s.db, 2, numbers)
	rows, err := q.QueryContext(ctx, s.db.Text(recentChecks+list+" ORDER BY c.at, c.location"), append([]any{stats.RecentChecks - 1}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		c, err := scanCheck(rows, &number)
		of[number].Recent = append(of[number].Recent, c)
		return err
	})
	for _, line := range of { // other checks of the same time as the oldest are read as well
		line.Recent = line.Recent[max(0, len(line.Recent)-stats.RecentChecks):]
	}
	return err
}

const lastOutages = `-- uptimedb.lastOutages
SELECT o.site_id, o.down_at, o.up_at, o.reason FROM outages o WHERE o.id IN (
    SELECT (SELECT l.id FROM outages l WHERE l.site_id = s.id ORDER BY l.created_at DESC, l.id DESC LIMIT 1) FROM sites s WHERE s.id IN `

func (s *Store) lastOutages(ctx context.Context, q db.Querier, numbers []int64, of map[int64]*stats.SiteLine) error {
	list, args := db.In(s.db, 1, numbers)
	rows, err := q.QueryContext(ctx, s.db.Text(lastOutages+list+")"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, down, up int64
		var reason string
		err := rows.Scan(&number, &down, &up, &reason)
		of[number].LastOutage = checks.Outage{DownAt: db.FromMicros(down), UpAt: db.FromMicros(up), Reason: reason}
		return err
	})
}

const checksSince = `-- uptimedb.SitePulse
SELECT at, location, up, duration, status, reason FROM uptime_checks WHERE site_id = $1 AND at >= $2 ORDER BY at, location`

// SitePulse returns the current state of a site of a project, or a NotFound error.
func (s *Store) SitePulse(ctx context.Context, now time.Time, projectID int64, id sett.UUID) (p stats.SitePulse, err error) {
	err = s.db.Snapshot(ctx, "read pulse of site", func(q db.Querier) error {
		n, err := s.site(ctx, q, projectID, id)
		if err != nil {
			return err
		}
		p = stats.SitePulse{Site: n.Site}
		rows, err := q.QueryContext(ctx, s.db.Text(checksSince), n.Number, db.Micros(now.Add(-24*time.Hour)))
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			c, err := scanCheck(rows)
			p.Checks = append(p.Checks, c)
			return err
		})
		if err != nil {
			return err
		}
		days, err := s.status.DaysOfSites(ctx, q, now, []int64{n.Number})
		p.Days = days[n.Number]
		return err
	})
	return p, err
}

const responseTimes = `-- uptimedb.ResponseTimes
SELECT location, (at - $2) / $3, sum(duration), count(*) FROM uptime_checks WHERE site_id = $1 AND at >= $2 AND at < $4 AND up
GROUP BY 1, 2`

// ResponseTimes returns the durations of a site's checks, by location in the order of the contract; locations without checks are omitted.
// A month consists of the rolled-up days. The error is NotFound if the project has no such site.
func (s *Store) ResponseTimes(ctx context.Context, now time.Time, projectID int64, id sett.UUID, span stats.ResponseSpan) ([]stats.ResponseLine, error) {
	from, width, n := span.Steps(now)
	if span == stats.ResponseMonth {
		days, err := s.UptimeDays(ctx, projectID, id, from, now)
		return responseDays(days, from, n), err
	}
	lines := map[checks.Location]stats.ResponseLine{}
	err := s.db.Snapshot(ctx, "read response times", func(q db.Querier) error {
		number, err := s.siteNumber(ctx, q, projectID, id)
		if err != nil {
			return err
		}
		end := db.Micros(from.Add(time.Duration(n) * width))
		rows, err := q.QueryContext(ctx, s.db.Text(responseTimes), number, db.Micros(from), width.Microseconds(), end)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var location, step, sum, count int64
			err := rows.Scan(&location, &step, &sum, &count)
			addResponse(lines, locationOf(location), int(step), n, time.Duration(sum/max(count, 1))*time.Microsecond)
			return err
		})
	})
	return inContractOrder(lines), err
}

func responseDays(days []checks.UptimeDay, from time.Time, n int) []stats.ResponseLine {
	lines := map[checks.Location]stats.ResponseLine{}
	for _, d := range days {
		if d.Checks > d.Failed {
			addResponse(lines, d.Location, int(d.Day.Sub(from)/(24*time.Hour)), n, d.Total/time.Duration(d.Checks-d.Failed))
		}
	}
	return inContractOrder(lines)
}

func addResponse(lines map[checks.Location]stats.ResponseLine, l checks.Location, step, n int, mean time.Duration) {
	if _, ok := lines[l]; !ok {
		lines[l] = stats.NewResponseLine(l, n)
	}
	if step >= 0 && step < n {
		lines[l].Means[step] = mean
	}
}

func inContractOrder(lines map[checks.Location]stats.ResponseLine) (found []stats.ResponseLine) {
	for _, l := range checks.Locations() {
		if line, ok := lines[l]; ok {
			found = append(found, line)
		}
	}
	return found
}
