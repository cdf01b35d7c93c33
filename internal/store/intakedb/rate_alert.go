package intakedb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/rollupdb"
)

const (
	mostLookedBack = time.Hour // how far back the first check after a long break goes
	mostRateFaults = 2000      // of a project in one check
	mostSpareCount = 1000      // notices beyond the threshold that are counted one by one
	raisedAtOnce   = 200       // alerts in one transaction, so that intake never waits long for its turn
)

// rateWatcher is an integration that wants an alert when a fault occurs more often than its threshold.
type rateWatcher struct {
	id, project, threshold int64
	rate                   alerts.AlertRate
}

const rateWatchers = `-- intakedb.rateWatchers
SELECT i.id, i.project_id, i.threshold, i.rate FROM integrations i JOIN projects p ON p.id = i.project_id
WHERE i.threshold > 0 AND i.rate <> '' AND i.active AND p.active AND i.events LIKE '%"rate_exceeded"%' ORDER BY i.project_id, i.id`

func (s *Store) rateWatchers(ctx context.Context) (byProject [][]rateWatcher, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(rateWatchers))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var w rateWatcher
		err := rows.Scan(&w.id, &w.project, &w.threshold, &w.rate)
		last := len(byProject) - 1
		if last < 0 || byProject[last][0].project != w.project {
			byProject, last = append(byProject, nil), last+1
		}
		byProject[last] = append(byProject[last], w)
		return err
	})
	return byProject, err
}

// RaiseRates raises rate_exceeded for each fault that exceeds the threshold of an integration, and returns the number of alerts. It
// checks faults that had notices since the last check, and only in projects with such integrations.
//
// It counts the notices in the span that ends with the newest notice of the fault. All buckets but the oldest lie entirely in the span.
// The part of the oldest bucket that lies in the span – a bucket is a minute for rates of a minute and an hour, and an hour for longer
// rates – is counted notice by notice. So the count is exact to the microsecond at that notice. A rate that was exceeded at an earlier
// notice and no longer is at the newest one – by a few notices, for a few seconds – may be missed between two checks. So may notices in
// the oldest bucket that were deleted because they are older than the project's retention.
func (s *Store) RaiseRates(ctx context.Context, now time.Time) (raised int, err error) {
	projects, err := s.rateWatchers(ctx)
	if err != nil || len(projects) == 0 {
		return 0, s.db.Explain(db.Wrap("look for integrations with a rate", err))
	}
	since, err := s.ratesSince(ctx, now)
	if err != nil {
		return 0, s.db.Explain(db.Wrap("find the last look at rates", err))
	}
	active := false
	for _, watchers := range projects {
		found, had, err := s.exceededRates(ctx, now, since, watchers)
		if err != nil {
			return raised, s.db.Explain(err)
		}
		n, err := s.raiseRates(ctx, now, found)
		if raised += n; err != nil {
			return raised, err
		}
		active = active || had
	}
	if !active {
		return raised, nil // the next check covers a longer time, and finds just as little
	}
	return raised, s.inTx(ctx, "note look at rates", func(t Tx) error {
		t.KeepsCaches, t.Unsynced = true, true
		_, err := t.Exec(ctx, faultdb.MoveLook, string(alerts.AlertRateExceeded), db.Micros(now))
		return err
	})
}

// ratesSince returns the time since which a fault must have had notices to be checked.
func (s *Store) ratesSince(ctx context.Context, now time.Time) (time.Time, error) {
	var looked int64
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(faultdb.LookedAt), string(alerts.AlertRateExceeded)).Scan(&looked)
	since := now.Add(-mostLookedBack)
	if last := db.FromMicros(looked); last.After(since) {
		since = last
	}
	return since.Add(-rollupdb.FlushesWithin), err
}

// exceededRate is a rate that a fault has exceeded.
type exceededRate struct {
	faultdb.ActiveFault
	rateWatcher
	count int64
}

const ratesAlerted = `-- intakedb.ratesAlerted
SELECT fault_id, at FROM rate_alerts WHERE integration_id = $1 AND fault_id IN `

// exceededRates returns the rates that faults of a project exceed, and whether any fault had notices at all. It reads everything in one
// snapshot, so that all counts include the same notices.
func (s *Store) exceededRates(ctx context.Context, now, since time.Time, watchers []rateWatcher) (found []exceededRate, active bool, err error) {
	err = s.db.Snapshot(ctx, "count notices for rates", func(q db.Querier) error {
		faults, err := s.fault.ActiveFaults(ctx, q, now, watchers[0].project, since, mostRateFaults)
		if active = len(faults) > 0; err != nil {
			return err
		}
		for _, w := range watchers {
			exceeded, err := s.exceeding(ctx, q, w, faults)
			if err != nil {
				return err
			}
			found = append(found, exceeded...)
		}
		return nil
	})
	return found, active, err
}

// exceeding returns the faults that exceed the watcher's threshold and for which it has not had an alert yet.
func (s *Store) exceeding(ctx context.Context, q db.Querier, w rateWatcher, active []faultdb.ActiveFault) (found []exceededRate, err error) {
	var faults []faultdb.ActiveFault
	for _, f := range active {
		if f.Notices > w.threshold {
			faults = append(faults, f)
		}
	}
	if err := s.fault.ReadNotifiedAt(ctx, q, faults, ratesAlerted, w.id); err != nil {
		return nil, err
	}
	faults = w.due(faults)
	var buckets map[int64]map[int64]int64
	widths := w.rate.Widths()
	for _, width := range widths {
		if buckets, err = s.fault.FaultBuckets(ctx, q, width, w.starts(faults, width), faults); err != nil {
			return nil, err
		}
		faults = w.above(faults, width, buckets)
	}
	for _, f := range faults {
		n, err := s.countSpan(ctx, q, w, f, widths[len(widths)-1], buckets[f.ID])
		if err := errors.Join(err, s.fault.ReadNewest(ctx, q, &f)); err != nil {
			return nil, err
		}
		if n > w.threshold {
			found = append(found, exceededRate{f, w, n})
		}
	}
	return found, nil
}

// due returns the faults for which the watcher may get an alert now.
func (w rateWatcher) due(faults []faultdb.ActiveFault) (due []faultdb.ActiveFault) {
	for _, f := range faults {
		if !w.rate.Quiet(f.NotifiedAt, f.Newest) {
			due = append(due, f)
		}
	}
	return due
}

// starts returns the starts of all buckets that the spans of faults touch.
func (w rateWatcher) starts(faults []faultdb.ActiveFault, width time.Duration) []int64 {
	if len(faults) == 0 {
		return nil
	}
	// They are sorted by their newest notices.
	span := w.rate.Before(faults[len(faults)-1].Newest)
	span.To = faults[0].Newest
	return span.Starts(width)
}

// above returns the faults whose buckets hold more notices than the watcher's threshold.
func (w rateWatcher) above(faults []faultdb.ActiveFault, width time.Duration, buckets map[int64]map[int64]int64) (above []faultdb.ActiveFault) {
	for _, f := range faults {
		var n int64
		for _, at := range w.rate.Before(f.Newest).Starts(width) {
			n += buckets[f.ID][at]
		}
		if n > w.threshold {
			above = append(above, f)
		}
	}
	return above
}

const countNotices = `-- intakedb.countNotices
SELECT count(*) FROM (SELECT 1 FROM fault_notices WHERE fault_id = $1 AND id >= $2 AND id < $3 LIMIT $4) n`

// countSpan counts the notices of a fault in the span that ends with its newest notice, from its buckets except the first. That one is
// counted notice by notice, and only as far as it matters.
func (s *Store) countSpan(ctx context.Context, q db.Querier, w rateWatcher, f faultdb.ActiveFault, width time.Duration, buckets map[int64]int64) (int64, error) {
	span := w.rate.Before(f.Newest)
	starts := span.Starts(width)
	var whole, part int64
	for _, at := range starts[1:] {
		whole += buckets[at]
	}
	end := time.Unix(starts[0], 0).Add(width)
	most := max(w.threshold-whole, 0) + mostSpareCount
	parts, err := s.fault.PartsOf(ctx, q, f.ID)
	for _, id := range parts {
		var n int64
		row := q.QueryRowContext(ctx, s.db.Text(countNotices), id, int64(sett.NoticeIDAt(span.First())), int64(sett.NoticeIDAt(end)), most)
		if err := row.Scan(&n); err != nil {
			return 0, err
		}
		part += n
	}
	return whole + part, err
}
