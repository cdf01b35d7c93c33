// Package insightdb stores structured events of projects. It takes batches of events from intake, and plans; it returns what a plan finds and
// how much a project sent. Events arrive in a batch, which is durable at once. Later they are packed into chunks of some thousand events by
// column (see package insight), which are dropped whole when they are too old. It never decides what an event means, and never touches a
// fault.
package insightdb

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"sett/internal/base/turn"
	"sett/internal/sett/insight"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// Store is this package's part of an open database. It is safe for concurrent use.
type Store struct {
	db *db.DB

	// Sizes may be set before the store is used.
	Sizes Sizes

	// QueryTime is how long a query of the API or an export may read events; it may be set before the store is used.
	QueryTime time.Duration

	// Recorded adds the events that sett records about a project to a run, until a time comes; Run.Since says from when on it has all. It is set
	// before the store is used.
	Recorded func(ctx context.Context, until time.Time, project int64, run *insight.Run) error

	queries *turn.Places // of projects
}

// mostQueries is how many queries are evaluated at the same time, each of another project; each may take some 50 MB of memory.
const mostQueries = 3

// Sizes are how many events are packed together.
type Sizes struct {
	Enough int64 // that wait: they are packed at once
	Most   int64 // that are packed in one step
}

// New returns the store of an open database.
func New(d *db.DB) *Store {
	return &Store{db: d, Sizes: Sizes{4096, 8192}, QueryTime: 10 * time.Second, queries: turn.New(mostQueries, 1)}
}

// Tx is a running write transaction with this package's methods.
type Tx struct {
	*db.Tx
	s *Store
}

// In wraps a running transaction in this package's Tx.
func (s *Store) In(t *db.Tx) Tx { return Tx{t, s} }

// Day is how much a project sent on one day, UTC.
type Day struct {
	Start                  time.Time
	Events, Bytes, Refused int64
}

// Batch is some events of a project that were received together.
type Batch struct {
	ProjectID   int64
	Count       int64
	Bytes       int64 // of the events as JSON
	First, Last int64 // times of the first and the last event, in microseconds
	body        []byte
}

// MostInBatch is how many bytes of events, in the form of insight.Event.Append, make a batch at most, but for a single event.
const MostInBatch = 256 << 10

// NewBatch returns a batch of events in the form of insight.Event.Append.
func NewBatch(project, count, bytes, first, last int64, events []byte) *Batch {
	return &Batch{project, count, bytes, first, last, block.AppendCompressed(nil, events, block.CompressedTogether)}
}

// dayOf returns the start of the day of a time, UTC, as it is stored.
func dayOf(t time.Time) int64 { return db.Micros(t.UTC().Truncate(24 * time.Hour)) }

const insertBatches = `-- insightdb.insertBatches
INSERT INTO insight_batches (project_id, received_at, first_at, last_at, count, body)
SELECT k.project_id, k.received_at, k.first_at, k.last_at, k.count, k.body
FROM {{rows k(project_id bigint, received_at bigint, first_at bigint, last_at bigint, count bigint, body bytea)}} JOIN projects p ON p.id = k.project_id WHERE p.active`

const countSent = `-- insightdb.countSent
INSERT INTO insight_days (project_id, day, events, bytes, refused, refused_from, refused_to)
SELECT k.project_id, k.day, k.events, k.bytes, k.refused, k.refused_from, k.refused_to
FROM {{rows k(project_id bigint, day bigint, events bigint, bytes bigint, refused bigint, refused_from bigint, refused_to bigint)}} JOIN projects p ON p.id = k.project_id WHERE p.active
ON CONFLICT (project_id, day) DO UPDATE SET events = insight_days.events + excluded.events, bytes = insight_days.bytes + excluded.bytes,
    refused = insight_days.refused + excluded.refused,
    refused_from = CASE WHEN excluded.refused_to = 0 OR insight_days.refused_to > excluded.refused_from - 600000000 THEN insight_days.refused_from ELSE excluded.refused_from END,
    refused_to = CASE WHEN excluded.refused_to > insight_days.refused_to THEN excluded.refused_to ELSE insight_days.refused_to END`

// Record stores batches durably, each unless its project had sent most bytes that day before, and returns which are refused for that. Several nodes
// together may exceed the limit by what they receive at the same moment.
func (s *Store) Record(ctx context.Context, now time.Time, most int64, batches []*Batch) (full []bool, err error) {
	if err := s.db.Roomy(); err != nil {
		return nil, err
	}
	err = s.db.InIntakeTx(ctx, "store events", func(t *db.Tx) error {
		t.KeepsCaches = true
		full = make([]bool, len(batches))
		sent, err := s.sent(ctx, t, now, batches)
		if err != nil {
			return err
		}
		var taken []*Batch
		for i, b := range batches {
			d := sent[b.ProjectID]
			if full[i] = d.before+d.Bytes >= most; full[i] {
				d.Refused += b.Count
				continue
			}
			d.Events, d.Bytes = d.Events+b.Count, d.Bytes+b.Bytes
			taken = append(taken, b)
		}
		return s.In(t).insert(ctx, now, taken, sent)
	})
	return full, err
}

// sending is what a transaction adds to the day of a project.
type sending struct {
	Day
	before int64 // bytes
}

func (s *Store) sent(ctx context.Context, t *db.Tx, now time.Time, batches []*Batch) (map[int64]*sending, error) {
	sent := map[int64]*sending{}
	for _, b := range batches {
		sent[b.ProjectID] = &sending{}
	}
	list, ids := db.In(s.db, 2, db.Sorted(sent, cmp.Compare))
	rows, err := t.QueryContext(ctx, s.db.Text(daysOf+list), append([]any{dayOf(now)}, ids...)...)
	return sent, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var project, bytes int64
		err := rows.Scan(&project, &bytes)
		if d := sent[project]; d != nil {
			d.before = bytes
		}
		return err
	})
}

const daysOf = `-- insightdb.daysOf
SELECT project_id, bytes FROM insight_days WHERE day = $1 AND project_id IN `

func (t Tx) insert(ctx context.Context, now time.Time, batches []*Batch, sent map[int64]*sending) error {
	var projects, firsts, lasts, counts []int64
	var bodies [][]byte
	for _, b := range batches {
		projects, firsts, lasts, counts = append(projects, b.ProjectID), append(firsts, b.First), append(lasts, b.Last), append(counts, b.Count)
		bodies = append(bodies, b.body)
	}
	if err := t.Each(ctx, insertBatches, projects, db.Repeated(db.Micros(now), len(projects)), firsts, lasts, counts, bodies); err != nil {
		return db.Wrap("insert events", err)
	}
	var events, bytes, refused, from, to []int64
	projects = db.Sorted(sent, cmp.Compare)
	for _, project := range projects {
		d := sent[project]
		events, bytes, refused = append(events, d.Events), append(bytes, d.Bytes), append(refused, d.Refused)
		var first, last int64
		if d.Refused > 0 { // and from now on all of the day
			first, last = db.Micros(now), dayOf(now)+(24*time.Hour).Microseconds()
		}
		from, to = append(from, first), append(to, last)
	}
	return db.Wrap("count events", t.Each(ctx, countSent, projects, db.Repeated(dayOf(now), len(projects)), events, bytes, refused, from, to))
}

// Refusal is a time in which the server was too busy to take all events of a project.
type Refusal struct {
	ProjectID int64
	From, To  time.Time
}

// NoteRefusals records times in which events were refused. Of each day, the newest is kept.
func (s *Store) NoteRefusals(ctx context.Context, all []Refusal) error {
	var projects, days, from, to []int64
	for _, r := range all {
		projects, days = append(projects, r.ProjectID), append(days, dayOf(r.To))
		from, to = append(from, db.Micros(r.From)), append(to, db.Micros(r.To))
	}
	none := db.Repeated(0, len(all))
	return s.db.InTx(ctx, "note refused events", func(t *db.Tx) error {
		t.KeepsCaches = true
		return t.Each(ctx, countSent, projects, days, none, none, none, from, to)
	})
}

const listDays = `-- insightdb.Days
SELECT day, events, bytes, refused FROM insight_days WHERE project_id = $1 AND day >= $2 ORDER BY day`

// Days returns how much a project sent on each day from that of a time on; days without events are left out.
func (s *Store) Days(ctx context.Context, project int64, from time.Time) (days []Day, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listDays), project, dayOf(from))
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var d Day
		var start int64
		err := rows.Scan(&start, &d.Events, &d.Bytes, &d.Refused)
		d.Start = db.FromMicros(start)
		days = append(days, d)
		return err
	})
	return days, db.Wrap("list days of events", err)
}

// openBatch returns the events of a stored batch.
func openBatch(body []byte) ([]insight.Event, error) {
	text, err := block.Decompress(body)
	if err != nil {
		return nil, err
	}
	return insight.ReadEvents(string(text))
}
