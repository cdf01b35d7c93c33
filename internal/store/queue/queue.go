// Package queue hands out the rows of a table that wait to be sent: alerts, emails and notices of status pages. It takes the rules of a
// table and the outcome of attempts; it returns the ids of due rows, each claimed by one process, in the order that the rules demand. It
// never knows what a row means and sends nothing.
package queue

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// Rules describe a table whose rows wait to be sent. Conditions are about a row named d.
type Rules struct {
	Table string   // has the columns id, due_at, trying, tries, claims, claimed_by and created_at
	Lane  string   // the column with the lane of a row: rows of one lane do not delay those of another
	Open  string   // holds for rows that an index by lane and due_at contains; "" for all
	First string   // holds for open rows that can be claimed as soon as they are due; "": all
	Topic db.Topic // of the loops that send the rows

	// Prepare is called before rows of a lane are claimed; nil: never.
	Prepare func(ctx context.Context, t *db.Tx, now time.Time, lane string) error
}

// Queue is a table whose rows wait to be sent. It is safe for concurrent use.
type Queue struct {
	db    *db.DB
	rules Rules

	lanes, due, claim, claimers, free, drop, postpone, setBack, backlog string // statements

	mu   sync.Mutex
	dead map[string]time.Time // when this process first noticed that a process with claims is dead
}

// Claim identifies one claim of a row.
type Claim struct {
	ID     int64
	Number int64 // how often the row had been claimed; grows with each claim
}

// Lane is a lane with an open row, and when its next row can be claimed.
type Lane struct {
	Name string
	At   time.Time
}

// New returns the queue of a table.
func New(d *db.DB, r Rules) *Queue {
	if r.Open == "" {
		r.Open = "true"
	}
	if r.First == "" {
		r.First = "true"
	}
	q := &Queue{db: d, rules: r}
	fill := strings.NewReplacer("@table", r.Table, "@lane", r.Lane, "@open", r.Open, "@first", r.First)
	for at, text := range map[*string]string{
		&q.lanes: lanes, &q.due: due, &q.claim: claim, &q.claimers: deadClaimers, &q.free: free, &q.drop: drop, &q.postpone: postpone, &q.setBack: setBack, &q.backlog: backlog,
	} {
		*at = fill.Replace(text)
	}
	return q
}

// lanes looks up one lane after another, so that no query reads all waiting rows of a lane.
const lanes = `-- queue.lanes of @table
WITH RECURSIVE r(lane) AS (
    SELECT (SELECT d.@lane FROM @table d WHERE @open ORDER BY d.@lane LIMIT 1)
    UNION ALL
    SELECT (SELECT d.@lane FROM @table d WHERE @open AND d.@lane > r.lane ORDER BY d.@lane LIMIT 1) FROM r WHERE r.lane IS NOT NULL)
SELECT x.lane, x.due_at FROM (SELECT r.lane, (SELECT d.due_at FROM @table d
    WHERE d.@lane = r.lane AND @open AND @first ORDER BY d.due_at, d.id LIMIT 1) AS due_at FROM r WHERE r.lane IS NOT NULL) x
WHERE x.due_at IS NOT NULL ORDER BY x.due_at, x.lane`

// Lanes returns the lanes with a row that can be claimed now or later, sorted by that time.
func (q *Queue) Lanes(ctx context.Context) (found []Lane, err error) {
	rows, err := q.db.Keyed().QueryContext(ctx, q.db.Text(q.lanes))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var l Lane
		var at int64
		err := rows.Scan(&l.Name, &at)
		l.At = db.FromMicros(at)
		found = append(found, l)
		return err
	})
	if err != nil {
		return nil, q.db.Explain(fmt.Errorf("look for lanes of %s: %w", q.rules.Table, err))
	}
	return found, nil
}

// Due returns the lanes with a row that can be claimed now and for which there is room, the one that has waited longest first.
func (q *Queue) Due(ctx context.Context, now time.Time, room func(lane string) int) (found []Lane, err error) {
	all, err := q.Lanes(ctx)
	for _, l := range all {
		if !l.At.After(now) && room(l.Name) > 0 {
			found = append(found, l)
		}
	}
	return found, err
}

const due = `-- queue.due of @table
SELECT d.id FROM @table d WHERE d.@lane = $1 AND d.due_at <= $2 AND @open AND @first ORDER BY d.due_at, d.id LIMIT $3 {{for update skip locked}}`

const claim = `-- queue.claim of @table
UPDATE @table SET due_at = k.due_at, trying = true, tries = tries + 1, claims = claims + 1, claimed_by = k.process
FROM {{rows k(id bigint, due_at bigint, process text)}} WHERE @table.id = k.id`

// Claim claims at most limit due rows of some lanes, of each at most as many as room allows, and returns their ids, lane by lane. No
// process can claim them again until the lease ends, unless Record or Free releases them before.
func (q *Queue) Claim(ctx context.Context, t *db.Tx, now time.Time, lease time.Duration, limit int, from []Lane, room func(lane string) int) (ids []int64, err error) {
	for _, lane := range from {
		fit := min(room(lane.Name), limit-len(ids))
		if fit <= 0 {
			continue
		}
		if q.rules.Prepare != nil {
			if err := q.rules.Prepare(ctx, t, now, lane.Name); err != nil {
				return nil, err
			}
		}
		found, err := q.db.ListIDs(ctx, t, q.due, lane.Name, db.Micros(now), fit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	n := len(ids)
	return ids, t.Each(ctx, q.claim, ids, db.Repeated(db.Micros(now.Add(lease)), n), slices.Repeat([]string{q.db.Process}, n))
}

const drop = `-- queue.drop of @table
DELETE FROM @table WHERE trying AND (id, claims) IN (SELECT k.id, k.claims FROM {{rows k(id bigint, claims bigint)}}) RETURNING id`

const postpone = `-- queue.postpone of @table
UPDATE @table SET due_at = k.due_at, trying = false FROM {{rows k(id bigint, claims bigint, due_at bigint)}}
WHERE @table.id = k.id AND @table.claims = k.claims AND @table.trying RETURNING @table.id`

// Outcome is the outcome of an attempt to send a claimed row.
type Outcome struct {
	Claim
	DueAt time.Time // when to retry; zero: the row is deleted
}

// Record deletes or postpones claimed rows, and returns those whose claims were still valid; the others have been claimed again since.
// Rows are locked in the order of the outcomes: sort them by id.
func (q *Queue) Record(ctx context.Context, t *db.Tx, outcomes []Outcome) (recorded map[int64]bool, err error) {
	recorded = map[int64]bool{}
	note := db.ScanID(func(id int64) { recorded[id] = true })
	var done, doneClaims, later, laterClaims, dues []int64
	for _, o := range outcomes {
		if o.DueAt.IsZero() {
			done, doneClaims = append(done, o.ID), append(doneClaims, o.Number)
		} else {
			later, laterClaims, dues = append(later, o.ID), append(laterClaims, o.Number), append(dues, db.Micros(o.DueAt))
		}
	}
	if err := t.EachRow(ctx, q.drop, note, done, doneClaims); err != nil {
		return nil, fmt.Errorf("drop from %s: %w", q.rules.Table, err)
	}
	if err := t.EachRow(ctx, q.postpone, note, later, laterClaims, dues); err != nil {
		return nil, fmt.Errorf("postpone in %s: %w", q.rules.Table, err)
	}
	t.Wake(q.rules.Topic) // rows that waited for these may be due
	return recorded, nil
}

// longestWait is longer than any wait between two attempts.
const longestWait = 30 * time.Hour

const setBack = `-- queue.late in @table
UPDATE @table AS d SET due_at = $1 WHERE d.due_at > $2 AND @open AND (d.created_at > $2 OR d.trying OR d.due_at > $3)`

// SetBack makes rows due that a clock that was far ahead has claimed, postponed or created; see db.Hooks.ClockSetBack.
func (q *Queue) SetBack(ctx context.Context, t *db.Tx, now time.Time) error {
	latest := db.Micros(checks.LatestClock(now))
	t.Wake(q.rules.Topic)
	_, err := t.Exec(ctx, q.setBack, db.Micros(now), latest, latest+longestWait.Microseconds())
	return db.Wrap("retry late rows of "+q.rules.Table+" now", err)
}

// Texts returns the statements that run however much waits, so that tests can examine their plans.
func (q *Queue) Texts() (lanes, due, claim, deadClaimers, free string) {
	return q.lanes, q.due, q.claim, q.claimers, q.free
}
