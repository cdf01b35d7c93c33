package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

const awaitPauseEnds = `-- faultdb.awaitPauseEnds
UPDATE fault_counts SET paused_count = k.n, resumes_at = k.at FROM {{rows k(id bigint, n bigint, at bigint)}} WHERE fault_id = k.id`

// Await sets the end of a pause after which the next notice of the faults raises an alert. It replaces an earlier one.
func (t Tx) Await(ctx context.Context, end faults.PauseEnd, faultIDs ...int64) error {
	n := len(faultIDs)
	return db.Wrap("await end of pause", t.Each(ctx, awaitPauseEnds, faultIDs, db.Repeated(end.Count, n), db.Repeated(db.Micros(end.At), n)))
}

// EndedPauses holds the faults whose pause ended with the notices that are being counted, and the facts of their alerts.
type EndedPauses map[int64]alerts.AlertFacts

const routedFaultsByIDs = faultsByIDs + ` WHERE NOT f.resolved AND NOT f.ignored`

// Raise raises an alert, once per pause, that the faults occur again. A fault that was resolved or ignored before its notices were
// counted keeps waiting: its alert is raised when it occurs again.
func (e EndedPauses) Raise(ctx context.Context, t Tx) error {
	found, err := t.faultsNotified(ctx, routedFaultsByIDs, db.Sorted(e, cmp.Compare[int64]))
	if err != nil || len(found) == 0 {
		return err
	}
	var last sett.NoticeID
	var ids []int64
	var raised []alerts.Alert
	for _, f := range found {
		id := e[f.ID].NoticeID
		last, ids = max(last, id), append(ids, f.ID)
		raised = append(raised, f.Alert(alerts.AlertOccurred, id.Time(), e[f.ID]))
	}
	if err := t.Await(ctx, faults.PauseEnd{}, ids...); err != nil {
		return err
	}
	return t.outbox().RaiseHere(ctx, last.Time(), raised...)
}

const dropConditions = `-- faultdb.dropConditions
DELETE FROM pause_conditions WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const insertCondition = `-- faultdb.insertCondition
INSERT INTO pause_conditions (fault_id, users, users_before, notices, per, created_at, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)`

// mostUsersBefore is up to how many affected users a fault can have when a pause begins to wait for more.
const mostUsersBefore = 10_000

// awaitCondition replaces what ends the pause of a fault before its time; the zero PauseUntil for nothing.
func (t Tx) awaitCondition(ctx context.Context, now time.Time, userID, faultID int64, until triage.PauseUntil) error {
	if err := t.Each(ctx, dropConditions, []int64{faultID}); err != nil || until == (triage.PauseUntil{}) {
		return db.Wrap("drop condition of pause", err)
	}
	var before int64
	if until.Users > 0 {
		parts, err := t.s.PartsOf(ctx, t, faultID)
		if err != nil {
			return err
		}
		if before, err = t.s.usersOfParts(ctx, t, parts, mostUsersBefore+1); err != nil {
			return err
		}
		if before > mostUsersBefore {
			return sett.Errorf(sett.Invalid, "This error already affects more than %d users, so more of them cannot be counted. Pause it for a time, or until it has a number of events.", mostUsersBefore)
		}
	}
	_, err := t.Exec(ctx, insertCondition, faultID, until.Users, before, until.Notices, seconds(until.Per), db.Micros(now), userID)
	return db.Wrap("store condition of pause", err)
}

// usersOfParts counts the users that parts of a fault affected, up to most.
func (s *Store) usersOfParts(ctx context.Context, q db.Querier, parts []int64, most int64) (n int64, err error) {
	list, args := db.In(s.db, 1, parts)
	err = q.QueryRowContext(ctx, s.db.Text(fmt.Sprintf("%s%s LIMIT %d) AS few", countUsersOfParts, list, most)), args...).Scan(&n)
	return n, db.Wrap("count users of fault", err)
}

const waitsForUsers = `-- faultdb.waitsForUsers
SELECT EXISTS (SELECT 1 FROM pause_conditions WHERE fault_id = $1 AND users > 0)`

// usersWaitedFor counts the users that a fault affects, if its pause waits for more; else it returns 0.
func (t Tx) usersWaitedFor(ctx context.Context, faultID int64) (n int64, err error) {
	var waits bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(waitsForUsers), faultID).Scan(&waits); err != nil || !waits {
		return 0, db.Wrap("read condition of pause", err)
	}
	parts, err := t.s.PartsOf(ctx, t, faultID)
	if err != nil {
		return 0, err
	}
	return t.s.usersOfParts(ctx, t, parts, mostUsersBefore+1)
}

const shiftCondition = `-- faultdb.shiftCondition
UPDATE pause_conditions SET users_before = CASE WHEN users_before + $2 > 0 THEN users_before + $2 ELSE 0 END WHERE fault_id = $1`

// shiftUsers lets the pause of a fault wait for as many users as before it gained or lost parts, when it affected so many. With more users than
// are counted, the pause ends.
func (t Tx) shiftUsers(ctx context.Context, faultID, before int64) error {
	after, err := t.usersWaitedFor(ctx, faultID)
	if err != nil || after == before || after > mostUsersBefore {
		return err
	}
	_, err = t.Exec(ctx, shiftCondition, faultID, after-before)
	return db.Wrap("shift condition of pause", err)
}

// The notices of a merged fault count from the merge on.
const noticesOfParts = `-- faultdb.noticesOfParts
SELECT count(*), coalesce(max(id), 0) FROM (SELECT n.id FROM fault_notices n LEFT JOIN merged_faults m ON m.id = n.fault_id
    WHERE n.id >= $1 AND n.id >= coalesce(m.merged_at, 0) * $2 AND n.fault_id IN %s ORDER BY n.id DESC LIMIT %d) AS few`

// condition is what ends the pause of a fault before its time.
type condition struct {
	fault, project, usersBefore int64
	until                       triage.PauseUntil
	since                       time.Time
	by                          *sett.Person
}

const conditionColumns = `k.fault_id, f.project_id, k.users, k.users_before, k.notices, k.per, k.created_at, u.id, u.email, u.name
FROM pause_conditions k JOIN faults f ON f.id = k.fault_id LEFT JOIN users u ON u.id = k.created_by`

const conditionOf = `-- faultdb.pauseOf
SELECT ` + conditionColumns + ` WHERE f.project_id = $1 AND k.fault_id = $2`

const dueConditions = `-- faultdb.dueConditions
SELECT ` + conditionColumns + ` JOIN fault_counts c ON c.fault_id = k.fault_id
WHERE k.fault_id > $1 AND c.last_notice_at >= $2 AND NOT f.resolved AND NOT f.ignored AND f.paused_until > $3 ORDER BY k.fault_id LIMIT $4`

func scanCondition(row db.Row) (c condition, err error) {
	var per, created int64
	var by sql.NullInt64
	var email, name sql.NullString
	err = row.Scan(&c.fault, &c.project, &c.until.Users, &c.usersBefore, &c.until.Notices, &per, &created, &by, &email, &name)
	if c.until.Per, c.since = time.Duration(per)*time.Second, db.FromMicros(created); by.Valid {
		c.by = &sett.Person{ID: by.Int64, Email: email.String, Name: name.String}
	}
	return c, err
}

// progress counts what the pause waits for, and returns the newest notice of those that count.
func (s *Store) progress(ctx context.Context, q db.Querier, now time.Time, c condition) (p triage.PauseProgress, last sett.NoticeID, err error) {
	p = triage.PauseProgress{Since: c.since, By: c.by}
	parts, err := s.PartsOf(ctx, q, c.fault)
	if err != nil {
		return p, 0, err
	}
	if c.until.Users > 0 {
		n, err := s.usersOfParts(ctx, q, parts, c.usersBefore+c.until.Users)
		if p.Users = max(n-c.usersBefore, 0); err != nil {
			return p, 0, err
		}
	}
	list, args := db.In(s.db, 3, parts)
	statement := fmt.Sprintf(noticesOfParts, list, max(c.until.Notices, 1))
	err = q.QueryRowContext(ctx, s.db.Text(statement), append([]any{NoticeIDAt(c.until.Start(c.since, now)), int64(sett.MaxNodes)}, args...)...).Scan(&p.Notices, &last)
	return p, last, db.Wrap("count notices of fault", err)
}

// pauseOf returns what ends the pause of a fault before its time, and how far that is; the zero PauseUntil for nothing.
func (s *Store) pauseOf(ctx context.Context, q db.Querier, now time.Time, projectID, faultID int64) (until triage.PauseUntil, p triage.PauseProgress, err error) {
	c, err := scanCondition(q.QueryRowContext(ctx, s.db.Text(conditionOf), projectID, faultID))
	if errors.Is(err, sql.ErrNoRows) {
		return until, p, nil
	}
	if err != nil {
		return until, p, err
	}
	p, _, err = s.progress(ctx, q, now, c)
	return c.until, p, err
}

// conditionsAtOnce is how many conditions are read with one statement.
const conditionsAtOnce = 500

const lapsedConditions = `-- faultdb.lapsedConditions
SELECT k.fault_id FROM pause_conditions k JOIN faults f ON f.id = k.fault_id WHERE f.paused_until <= $1 ORDER BY k.fault_id LIMIT $2`

// dropLapsed drops the conditions of pauses that are over, up to conditionsAtOnce.
func (s *Store) dropLapsed(ctx context.Context, now time.Time) error {
	lapsed, err := s.db.ListIDs(ctx, s.db.Read, lapsedConditions, db.Micros(now), conditionsAtOnce)
	if err != nil || len(lapsed) == 0 {
		return db.Wrap("find conditions of pauses that are over", err)
	}
	return s.inTx(ctx, "drop conditions of pauses", func(t Tx) error {
		return t.Each(ctx, dropLapsedConditions, lapsed, db.Repeated(db.Micros(now), len(lapsed)))
	})
}

// A user may have paused it again.
const dropLapsedConditions = `-- faultdb.dropLapsedConditions
DELETE FROM pause_conditions WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint, at bigint)}} JOIN faults f ON f.id = k.id AND f.paused_until <= k.at)`

// EndPauses ends the pauses of faults that have the users or notices which they wait for, and raises an alert for each, once. It looks at
// faults with notices since a time.
func (s *Store) EndPauses(ctx context.Context, now, since time.Time) error {
	if err := s.dropLapsed(ctx, now); err != nil {
		return err
	}
	for after := int64(0); ; {
		rows, err := s.db.Read.QueryContext(ctx, s.db.Text(dueConditions), after, db.Micros(since), db.Micros(now), conditionsAtOnce)
		due, err := db.Collect(rows, err, scanCondition)
		if err != nil {
			return db.Wrap("read conditions of pauses", err)
		}
		for _, c := range due {
			after = c.fault
			p, _, err := s.progress(ctx, s.db.Read, now, c)
			if err != nil {
				return err
			}
			if c.until.Reached(p) {
				if err := s.endPause(ctx, now, c); err != nil {
					return err
				}
			}
		}
		if len(due) < conditionsAtOnce {
			return nil
		}
	}
}

const dropCondition = `-- faultdb.dropCondition
DELETE FROM pause_conditions WHERE fault_id = $1 AND created_at = $2 RETURNING fault_id`

// endPause ends a pause, unless a user or another process ended it first.
func (s *Store) endPause(ctx context.Context, now time.Time, c condition) error {
	err := s.inTx(ctx, "end pause", func(t Tx) error {
		f, err := t.readState(ctx, c.project, c.fault)
		if err != nil || f.Resolved || f.Ignored {
			return err
		}
		_, last, err := s.progress(ctx, t, now, c)
		if err != nil || last == 0 {
			return err
		}
		ended, err := s.db.ListIDs(ctx, t, dropCondition, c.fault, db.Micros(c.since))
		if err != nil || len(ended) == 0 {
			return err
		}
		f.PausedUntil, f.PausedCount = time.Time{}, 0
		if err := t.writeState(ctx, c.project, c.fault, f); err != nil {
			return err
		}
		if err := t.addEntry(ctx, now, 0, c.until.EndedEntry(), c.fault); err != nil {
			return err
		}
		return EndedPauses{c.fault: {NoticeID: last, NoticesCount: f.notices}}.Raise(ctx, t)
	})
	if sett.CodeOf(err) == sett.NotFound { // it was deleted
		return nil
	}
	return err
}
