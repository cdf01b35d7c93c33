package alarmdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/store/db"
)

// Due is an alarm that this process evaluates now.
type Due struct {
	alarm.Alarm
	number, version int64
}

const anyDue = `-- alarmdb.anyDue
SELECT EXISTS (SELECT 1 FROM alarms WHERE next_check <= $1 AND claimed_until <= $1)`

// An alarm that another node claims at the same moment does not meet the last condition any more.
var claimDue = `-- alarmdb.claimDue
UPDATE alarms SET claimed_until = $2 WHERE number IN (SELECT d.number FROM (
        SELECT o.number, o.next_check, row_number() OVER (PARTITION BY o.project_id ORDER BY o.next_check, o.number) AS turn
        FROM alarms o WHERE o.next_check <= $1 AND o.claimed_until <= $1) AS d
    WHERE d.turn <= $3 ORDER BY d.turn, d.next_check LIMIT $4) AND claimed_until <= $1
RETURNING number, ` + anAlarm.columns().Names()

// Claim returns alarms that are due, at most some of each project and some in all. No other node gets them until a time.
func (s *Store) Claim(ctx context.Context, now, until time.Time, ofProject, most int) (due []Due, err error) {
	var some bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(anyDue), db.Micros(now)).Scan(&some); err != nil || !some {
		return nil, s.db.Explain(db.Wrap("look for alarms", err))
	}
	err = s.inTx(ctx, "claim alarms", func(t Tx) error {
		rows, err := t.QueryContext(ctx, s.db.Text(claimDue), db.Micros(now), db.Micros(until), ofProject, most)
		all, err := db.Collect(rows, err, scanner())
		due = nil
		for _, a := range all {
			due = append(due, Due(a))
		}
		return err
	})
	return due, err
}

const (
	lockDue = `-- alarmdb.lockDue
SELECT number FROM alarms WHERE number = $1 AND version = $2 {{for update}}`

	insertChange = `-- alarmdb.insertChange
INSERT INTO alarm_changes (alarm, at, state, from_at, to_at, count, error, query, condition) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

	insertResult = `-- alarmdb.insertResult
INSERT INTO alarm_results (alarm, at, count, note) VALUES ($1, $2, $3, $4) ON CONFLICT (alarm, at) DO UPDATE SET count = excluded.count, note = excluded.note`

	dropResults = `-- alarmdb.dropResults
DELETE FROM alarm_results WHERE alarm = $1 AND at < $2`

	unclaim = `-- alarmdb.unclaim
UPDATE alarms SET claimed_until = 0 WHERE number = $1 AND version = $2`
)

var writeProgress = "-- alarmdb.writeProgress\nUPDATE alarms SET version = version + 1, claimed_until = 0, " + anAlarm.progress().Set(2) + " WHERE number = $1"

// Found is what was found of an alarm that was due.
type Found struct {
	Due
	alarm.Evaluation
}

// Record stores evaluations with their changes and alerts, all at once. What was changed, deleted or evaluated by others since it was claimed is
// left out.
func (s *Store) Record(ctx context.Context, now time.Time, found []Found) error {
	if len(found) == 0 {
		return nil
	}
	return s.inTx(ctx, "record evaluations of alarms", func(t Tx) error {
		for _, f := range found {
			if err := t.record(ctx, now, f); err != nil {
				return db.Wrap("record evaluation of alarm", err)
			}
		}
		return nil
	})
}

func (t Tx) record(ctx context.Context, now time.Time, f Found) error {
	var number int64
	switch err := t.QueryRowContext(ctx, t.s.db.Text(lockDue), f.number, f.version).Scan(&number); {
	case err == sql.ErrNoRows:
		return nil
	case err != nil:
		return err
	}
	after, change, event := f.Alarm.Evaluated(f.Evaluation)
	row := stored{Alarm: after}
	if _, err := t.Exec(ctx, writeProgress, row.progress().Values(f.number)...); err != nil {
		return err
	}
	count, note := f.Count, f.Skipped+f.Error
	if note != "" {
		count = -1
	}
	if _, err := t.Exec(ctx, insertResult, f.number, db.Micros(f.To), count, note); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, dropResults, f.number, db.Micros(f.To.Add(-alarm.KeepResults))); err != nil {
		return err
	}
	if change != nil {
		w := change.Window
		if _, err := t.Exec(ctx, insertChange, f.number, db.Micros(change.At), string(change.State), db.Micros(w.From), db.Micros(w.To), change.Count, change.Error, change.Query, change.Condition); err != nil {
			return err
		}
	}
	if event == "" {
		return nil
	}
	return t.s.outbox.In(t.Tx).Raise(ctx, now, after.Alert(event, f.Evaluation))
}

// GiveBack lets any node evaluate alarms that were claimed and not evaluated.
func (s *Store) GiveBack(ctx context.Context, due []Due) error {
	if len(due) == 0 {
		return nil
	}
	return s.inTx(ctx, "give alarms back", func(t Tx) error {
		for _, d := range due {
			if _, err := t.Exec(ctx, unclaim, d.number, d.version); err != nil {
				return err
			}
		}
		return nil
	})
}

const refusals = `-- alarmdb.refusals
SELECT refused_from, refused_to FROM insight_days WHERE project_id = $1 AND refused_to >= $2`

// Gaps returns the times in which no server ran, as far as they end at a time or later. For the events that clients send, it also returns those
// in which events of the project were refused.
func (s *Store) Gaps(ctx context.Context, project int64, from time.Time, sent bool) (gaps []alarm.Gap, err error) {
	blind, err := s.status.BlindWindows(ctx, s.db.Read, from)
	if err != nil {
		return nil, db.Wrap("list monitoring gaps", err)
	}
	for _, b := range blind {
		gaps = append(gaps, alarm.Gap{Window: alarm.Window{From: b.From, To: b.To}})
	}
	if !sent {
		return gaps, nil
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(refusals), project, db.Micros(from))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var from, to int64
		err := rows.Scan(&from, &to)
		gaps = append(gaps, alarm.Gap{Window: alarm.Window{From: db.FromMicros(from), To: db.FromMicros(to)}, Refused: true})
		return err
	})
	return gaps, db.Wrap("list refused events", err)
}

// Result is what an evaluation found.
type Result struct {
	At    time.Time // the end of the time whose events were counted
	Count int64     // -1: unknown
	Note  string    // why it is unknown
}

const resultsOf = `-- alarmdb.Results
SELECT r.at, r.count, r.note FROM alarms a JOIN alarm_results r ON r.alarm = a.number WHERE a.project_id = $1 AND a.id = $2 AND r.at >= $3 ORDER BY r.at`

// Results returns what the evaluations of an alarm found since a time, the oldest first.
func (s *Store) Results(ctx context.Context, project int64, id string, since time.Time) ([]Result, error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(resultsOf), project, id, db.Micros(since))
	found, err := db.Collect(rows, err, func(row db.Row) (r Result, err error) {
		var at int64
		err = row.Scan(&at, &r.Count, &r.Note)
		r.At = db.FromMicros(at)
		return r, err
	})
	return found, db.Wrap("list results of alarm", err)
}

const pruneChanges = `-- alarmdb.Prune
DELETE FROM alarm_changes WHERE id IN (SELECT id FROM alarm_changes WHERE at < $1 ORDER BY at LIMIT $2)`

// Prune deletes changes that are older than they are kept, some at a time.
func (s *Store) Prune(ctx context.Context, now time.Time) error {
	return s.db.Sweep(ctx, "delete old changes of alarms", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
		return t.Changed(ctx, pruneChanges, db.Micros(now.Add(-alarm.KeepHistory)), db.RowsAtOnce)
	})
}

const sweepProject = `-- alarmdb.SweepProject
DELETE FROM alarms WHERE number IN (SELECT number FROM alarms WHERE project_id = $1 LIMIT 1)`

// SweepProject deletes the alarms of a project that is being deleted, one at a time: each has up to some thousand rows.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	return s.db.Sweep(ctx, "delete alarms", 1, func(t *db.Tx) (int64, error) { return t.Changed(ctx, sweepProject, project) })
}
