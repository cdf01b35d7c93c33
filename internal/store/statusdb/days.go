package statusdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// statusDays adds their days to the components of a page, with the outages that people report of components. The number of statements does
// not depend on the number of components.
func (s *Store) statusDays(ctx context.Context, q db.Querier, now time.Time, components []watchedComponent, reported map[int64][]checks.SiteOutage) error {
	var sites, checkIns []int64
	ofSite, ofCheckIn := map[int64][]checks.SiteOutage{}, map[int64][]checks.SiteOutage{}
	for _, c := range components {
		if c.IsSite() {
			sites, ofSite[c.number] = append(sites, c.number), reported[c.ID]
		} else {
			checkIns, ofCheckIn[c.number] = append(checkIns, c.number), reported[c.ID]
		}
	}
	ofSites, err := s.daysOfSites(ctx, q, now, sites, ofSite)
	if err != nil {
		return fmt.Errorf("read days of sites: %w", err)
	}
	ofCheckIns, err := s.daysOfCheckIns(ctx, q, now, checkIns, ofCheckIn)
	if err != nil {
		return fmt.Errorf("read days of check-ins: %w", err)
	}
	for i, c := range components {
		if c.IsSite() {
			components[i].Days = ofSites[c.number]
		} else {
			components[i].Days = ofCheckIns[c.number]
		}
	}
	return nil
}

// DaysOfCheckIns returns the days of check-ins, by number.
func (s *Store) DaysOfCheckIns(ctx context.Context, q db.Querier, now time.Time, numbers []int64) (map[int64][]checks.StatusDay, error) {
	return s.daysOfCheckIns(ctx, q, now, numbers, nil)
}

func (s *Store) daysOfCheckIns(ctx context.Context, q db.Querier, now time.Time, numbers []int64, reported map[int64][]checks.SiteOutage) (map[int64][]checks.StatusDay, error) {
	days := map[int64][]checks.StatusDay{}
	if len(numbers) == 0 {
		return days, nil
	}
	first := checks.FirstStatusDay(now)
	histories, err := s.checkInHistories(ctx, q, numbers, first)
	if err != nil {
		return nil, err
	}
	blind, err := s.BlindWindows(ctx, q, first)
	for number, h := range histories {
		h.Said = reported[number]
		days[number] = h.Days(now, blind)
	}
	return days, err
}

// DaysOfSites returns the days of sites, by number.
func (s *Store) DaysOfSites(ctx context.Context, q db.Querier, now time.Time, numbers []int64) (map[int64][]checks.StatusDay, error) {
	return s.daysOfSites(ctx, q, now, numbers, nil)
}

func (s *Store) daysOfSites(ctx context.Context, q db.Querier, now time.Time, numbers []int64, reported map[int64][]checks.SiteOutage) (map[int64][]checks.StatusDay, error) {
	days := map[int64][]checks.StatusDay{}
	if len(numbers) == 0 {
		return days, nil
	}
	histories, err := s.siteHistories(ctx, q, now, numbers)
	for number, h := range histories {
		h.Said = reported[number]
		days[number] = h.Days(now)
	}
	return days, err
}

// SitesOfDays reads what the days of sites begin with.
const SitesOfDays = `-- statusdb.SitesOfDays
SELECT s.id, s.created_at, s.frequency, s.timeout, st.last_checked_at FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.id IN `

// siteHistories returns the histories of sites, by number, since the first day of a status page.
func (s *Store) siteHistories(ctx context.Context, q db.Querier, now time.Time, numbers []int64) (map[int64]*checks.SiteHistory, error) {
	of := map[int64]*checks.SiteHistory{}
	list, args := db.In(s.db, 1, numbers)
	rows, err := q.QueryContext(ctx, s.db.Text(SitesOfDays+list), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, created, timeout, checked int64
		var settings checks.SiteSettings
		err := rows.Scan(&number, &created, &settings.Frequency, &timeout, &checked)
		settings.Timeout = time.Duration(timeout) * time.Second
		of[number] = &checks.SiteHistory{
			CreatedAt: db.FromMicros(created), LastCheckedAt: db.FromMicros(checked), Patience: settings.Patience(),
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := s.checkedDays(ctx, q, now, numbers, of); err != nil {
		return nil, err
	}
	if err := s.uncheckedTimes(ctx, q, now, numbers, of); err != nil {
		return nil, err
	}
	return of, s.outageTimes(ctx, q, now, numbers, of)
}

// DaysWithChecks looks for the first check of each day that is not rolled up yet, with one index lookup per day, however many checks
// there are.
const DaysWithChecks = `-- statusdb.DaysWithChecks
WITH RECURSIVE days(day) AS (
    SELECT CASE WHEN day < $1 THEN $1 WHEN day > $2 THEN $2 ELSE day END FROM uptime_progress
    UNION ALL SELECT day + 86400000000 FROM days WHERE day < $3)
SELECT s.id, d.day, coalesce((SELECT c.at FROM uptime_checks c WHERE c.site_id = s.id AND c.at >= d.day AND c.at < d.day + 86400000000
    ORDER BY c.at LIMIT 1), -1)
FROM sites s CROSS JOIN days d WHERE s.id IN `

// checkedDays notes the days of sites that have a check.
func (s *Store) checkedDays(ctx context.Context, q db.Querier, now time.Time, numbers []int64, of map[int64]*checks.SiteHistory) error {
	first := checks.FirstStatusDay(now)
	if err := s.rolledDaysOf(ctx, q, first, numbers, of); err != nil {
		return err
	}
	list, args := db.In(s.db, 4, numbers)
	bounds := []any{db.Micros(first), db.Micros(checks.RolledUpTo(now)), db.Micros(accounts.Day(now))}
	rows, err := q.QueryContext(ctx, s.db.Text(DaysWithChecks+list), append(bounds, args...)...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, day, check int64
		err := rows.Scan(&number, &day, &check)
		if check >= 0 {
			of[number].Checked = append(of[number].Checked, db.FromMicros(day))
		}
		return err
	})
}

const uncheckedTimes = `-- statusdb.uncheckedTimes
SELECT site_id, from_at, to_at FROM site_gaps WHERE (to_at = 0 OR to_at > $1) AND site_id IN `

// uncheckedTimes adds the times in which no location checked sites to their histories.
func (s *Store) uncheckedTimes(ctx context.Context, q db.Querier, now time.Time, numbers []int64, of map[int64]*checks.SiteHistory) error {
	list, args := db.In(s.db, 2, numbers)
	args = append([]any{db.Micros(checks.FirstStatusDay(now))}, args...)
	rows, err := q.QueryContext(ctx, s.db.Text(uncheckedTimes+list+" ORDER BY from_at"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, from, to int64
		err := rows.Scan(&number, &from, &to)
		h := of[number]
		h.Unchecked = append(h.Unchecked, checks.BlindWindow{From: db.FromMicros(from), To: db.FromMicros(to)})
		return err
	})
}

// FreshOutages and OutageBefore are one statement. Of the outages that were confirmed before the first day, only the last of each site is read:
// no earlier one can still have lasted.
const (
	FreshOutages = `-- statusdb.outageTimes
SELECT site_id, down_at, up_at FROM outages WHERE created_at >= $1 AND site_id IN `

	OutageBefore = `
UNION ALL SELECT site_id, down_at, up_at FROM outages WHERE id IN (
    SELECT (SELECT o.id FROM outages o WHERE o.site_id = s.id AND o.created_at < $1 ORDER BY o.created_at DESC, o.id DESC LIMIT 1)
    FROM sites s WHERE s.id IN `
)

// outageTimes adds the outages of sites to their histories.
func (s *Store) outageTimes(ctx context.Context, q db.Querier, now time.Time, numbers []int64, of map[int64]*checks.SiteHistory) error {
	list, args := db.In(s.db, 2, numbers)
	args = append([]any{db.Micros(checks.FirstStatusDay(now))}, args...)
	rows, err := q.QueryContext(ctx, s.db.Text(FreshOutages+list+OutageBefore+list+")"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, down, up int64
		err := rows.Scan(&number, &down, &up)
		h := of[number]
		h.Outages = append(h.Outages, checks.SiteOutage{DownAt: db.FromMicros(down), UpAt: db.FromMicros(up)})
		return err
	})
}
