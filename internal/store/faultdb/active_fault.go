package faultdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// ActiveFault is a fault that had notices recently.
type ActiveFault struct {
	ID, project int64
	environment string
	CreatedAt   time.Time
	Notices     int64
	Newest      time.Time // of the newest counted notice, to the microsecond
	newestID    sett.NoticeID
	NotifiedAt  time.Time // for rates: the newest notice at the last alert; for spikes: volume_spikes.high_at
	state       faults.FaultState
}

// silent reports whether users have paused, ignored or resolved the fault.
func (f ActiveFault) silent(now time.Time) bool {
	s := f.state
	return s.Resolved || s.Ignored || s.Paused(now, f.Notices)
}

// Alert returns an alert about the fault.
func (f ActiveFault) Alert(event alerts.AlertEvent, at time.Time, facts alerts.AlertFacts) alerts.Alert {
	facts.NoticeID, facts.NoticesCount = f.newestID, f.Notices
	return alerts.Alert{
		ProjectID: f.project, Event: event, Subject: alerts.FaultSubject(f.ID), FaultID: f.ID, Environment: f.environment, At: at, Facts: facts,
	}
}

const activeFaults = `-- faultdb.activeFaults
SELECT f.id, f.environment, f.created_at, f.resolved, f.ignored, f.paused_until, f.paused_count, c.notices_count, c.last_notice_at
FROM fault_counts c JOIN faults f ON f.id = c.fault_id
WHERE c.project_id = $1 AND c.last_notice_at >= $2 ORDER BY c.last_notice_at DESC, c.fault_id DESC LIMIT $3`

// ActiveFaults returns the faults of a project that had notices since the given time and are not silent. It checks at most that many of
// the most recent faults.
func (s *Store) ActiveFaults(ctx context.Context, q db.Querier, now time.Time, project int64, since time.Time, most int) (found []ActiveFault, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(activeFaults), project, db.Micros(since), most)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f := ActiveFault{project: project}
		var created, paused, newest int64
		state := &f.state
		err := rows.Scan(&f.ID, &f.environment, &created, &state.Resolved, &state.Ignored, &paused, &state.PausedCount, &f.Notices, &newest)
		f.CreatedAt, state.PausedUntil, f.Newest = db.FromMicros(created), db.FromMicros(paused), db.FromMicros(newest)
		if !f.silent(now) {
			found = append(found, f)
		}
		return err
	})
	return found, err
}

const faultBuckets = `-- faultdb.faultBuckets
SELECT fault_id, at, count FROM fault_buckets WHERE width = $1 AND at IN `

// mostLookups is how many buckets one statement looks up.
const mostLookups = 20_000

// FaultBuckets returns the counts of faults in some buckets of a width, by fault and by the start of the bucket. It looks up each bucket,
// so the cost does not depend on other faults that occur at these times.
func (s *Store) FaultBuckets(ctx context.Context, q db.Querier, width time.Duration, starts []int64, faults []ActiveFault) (map[int64]map[int64]int64, error) {
	counts := map[int64]map[int64]int64{}
	list, ats := db.In(s.db, 2, starts)
	parts, of, err := s.withParts(ctx, q, FaultIDs(faults))
	if err != nil {
		return nil, err
	}
	for some := range slices.Chunk(parts, max(1, mostLookups/max(1, len(starts)))) {
		these, ids := db.In(s.db, 2+len(ats), some)
		args := append(append([]any{seconds(width)}, ats...), ids...)
		rows, err := q.QueryContext(ctx, faultBuckets+list+" AND fault_id IN "+these, args...)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var part, at, n int64
			err := rows.Scan(&part, &at, &n)
			fault := of[part]
			if counts[fault] == nil {
				counts[fault] = map[int64]int64{}
			}
			counts[fault][at] += n
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return counts, nil
}

func FaultIDs(faults []ActiveFault) (ids []int64) {
	for _, f := range faults {
		ids = append(ids, f.ID)
	}
	return ids
}

// ReadNotifiedAt reads the time of each fault's last alert into NotifiedAt. The statement returns fault and time, and ends where the list of
// faults is inserted.
func (s *Store) ReadNotifiedAt(ctx context.Context, q db.Querier, faults []ActiveFault, statement string, args ...any) error {
	for some := range slices.Chunk(faults, 1000) {
		notified := map[int64]int64{}
		list, ids := db.In(s.db, len(args)+1, FaultIDs(some))
		rows, err := q.QueryContext(ctx, statement+list, append(slices.Clone(args), ids...)...)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var fault, at int64
			err := rows.Scan(&fault, &at)
			notified[fault] = at
			return err
		})
		if err != nil {
			return err
		}
		for i := range some {
			some[i].NotifiedAt = db.FromMicros(notified[some[i].ID])
		}
	}
	return nil
}

// ReadNewest reads the id of the newest notice.
func (s *Store) ReadNewest(ctx context.Context, q db.Querier, f *ActiveFault) error {
	parts, err := s.PartsOf(ctx, q, f.ID)
	if err != nil {
		return err
	}
	newest, err := s.newestNotice(ctx, q, parts)
	f.newestID = sett.NoticeID(newest)
	return err
}

const LookedAt = `-- faultdb.lookedAt
SELECT at FROM alert_looks WHERE name = $1`

const MoveLook = `-- faultdb.moveLook
UPDATE alert_looks SET at = $2 WHERE name = $1 AND at < $2`

const lockFaultStates = `-- faultdb.lockFaultStates
SELECT f.id, f.resolved, f.ignored, f.paused_until, f.paused_count FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id
ORDER BY f.id {{for no key update of f}}`

// HoldActive locks the results of a check for an event: other nodes wait before they raise theirs, and changes to these faults wait. It
// returns the faults that still exist and are not silent.
func (t Tx) HoldActive(ctx context.Context, now time.Time, event alerts.AlertEvent, open []ActiveFault) (held []ActiveFault, err error) {
	if _, err := t.Exec(ctx, LookedAt+" {{for update}}", string(event)); err != nil {
		return nil, err
	}
	states := map[int64]faults.FaultState{}
	err = t.EachRow(ctx, lockFaultStates, func(rows *sql.Rows) error {
		var id, paused int64
		var state faults.FaultState
		err := rows.Scan(&id, &state.Resolved, &state.Ignored, &paused, &state.PausedCount)
		state.PausedUntil = db.FromMicros(paused)
		states[id] = state
		return err
	}, FaultIDs(open))
	for _, f := range open {
		var there bool
		if f.state, there = states[f.ID]; there && !f.silent(now) {
			held = append(held, f)
		}
	}
	return held, err
}
