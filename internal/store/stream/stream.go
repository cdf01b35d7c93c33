// Package stream reads what sett records about a project as structured events: the stream "internal" of queries. It takes a run of a query
// with its plan, and adds the notices, deploys, checks, outages, reports of check-ins and changes of alarms of its time, in frames that read only the columns that
// are asked for. It stores nothing, and copies nothing into the events of clients.
package stream

import (
	"context"
	"errors"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/payload"
	"sett/internal/sett/insight"
	"sett/internal/store/alarmdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/uptimedb"
)

// Store reads the stream. It is safe for concurrent use.
type Store struct {
	DB     *db.DB
	Blocks *block.Store
	Faults *faultdb.Store
	Uptime *uptimedb.Store
	Alarms *alarmdb.Store
}

// kind is one event_type.
type kind struct {
	name string
	has  func(key string) bool // whether its events may have a key
	read func(r *reading) error
}

// alarmKind is the event_type of changes of alarms.
const alarmKind = "alarm"

func (s *Store) kinds() []kind {
	return []kind{
		{"notice", isNoticeKey, s.notices},
		{"deploy", oneOf("environment", "revision", "repository", "local_username", "project_id"), s.deploys},
		{alarmKind, oneOf("id", "name", "state", "count", "error", "project_id"), s.alarms},
		{"check_in", isCheckInKey, s.checkIns},
		{"site", oneOf("id", "name", "url", "state", "reason", "duration", "project_id"), s.outages},
		{"uptime_check", oneOf("site.id", "site.name", "site.url", "location", "duration", "response.status_code", "up", "state", "reason", "project_id"), s.checks},
	}
}

// oneOf returns a function that holds of some keys.
func oneOf(keys ...string) func(string) bool {
	return func(key string) bool { return slices.Contains(keys, key) }
}

// may reports whether events of the kind may have what a plan needs.
func (k kind) may(p insight.Plan) bool {
	if k.name == alarmKind && p.WithoutAlarms {
		return false
	}
	facet := "\n" + payload.FacetLine(insight.KeyType, k.name) + "\n"
	for _, terms := range p.Needs() {
		any := slices.ContainsFunc(terms, func(t column.Term) bool {
			if t.Key() == insight.KeyType {
				return column.Match([]column.Term{t}, facet) != column.No
			}
			return k.has(t.Key())
		})
		if !any {
			return false
		}
	}
	return true
}

// reading is what the kinds of a query have in common.
type reading struct {
	ctx      context.Context //nolint:containedctx // a reading is one query
	q        db.Querier
	project  int64
	from, to time.Time
	until    time.Time
	run      *insight.Run
	kind     kind
	waiting  []insight.Event // newest first; they become a frame together
}

// Add adds the events of a project to a run, until a time comes. Run.Since says then from when on it has all.
func (s *Store) Add(ctx context.Context, until time.Time, project int64, run *insight.Run) error {
	return s.DB.Snapshot(ctx, "read what is recorded", func(q db.Querier) error {
		r := &reading{ctx: ctx, q: q, project: project, from: time.UnixMicro(run.From), to: time.UnixMicro(run.To), until: until, run: run}
		for _, r.kind = range s.kinds() {
			if !r.kind.may(run.Plan) {
				continue
			}
			err := r.kind.read(r)
			if err == nil {
				err = r.flush()
			}
			if err != nil && !errors.Is(err, errEnough) {
				return err
			}
		}
		return nil
	})
}

// errEnough ends the reading of a kind for which there is no time left.
var errEnough = errors.New("the time for the query is over")

// add adds a frame. When the time is over, the kind is complete from the given time on.
func (r *reading) add(f *insight.Frame, since int64) error {
	if err := r.run.Add(f); err != nil {
		return err
	}
	if time.Now().After(r.until) || r.ctx.Err() != nil {
		r.run.Since = max(r.run.Since, since)
		return errEnough
	}
	return nil
}

// mostTogether is how many events make a frame.
const mostTogether = 1024

// event adds an event with the fields that its kind has, to those that become a frame. Events come from the newest on, of one owner after another.
func (r *reading) event(at time.Time, fields ...insight.Field) error {
	if at.Before(r.from) || !at.Before(r.to) {
		return nil
	}
	if n := len(r.waiting); n == mostTogether || n > 0 && r.waiting[n-1].At < at.UnixMicro() {
		if err := r.flush(); err != nil {
			return err
		}
	}
	r.waiting = append(r.waiting, insight.Event{At: at.UnixMicro(), Fields: append([]insight.Field{insight.TextField(insight.KeyType, r.kind.name), {Key: "project_id", Value: number(r.project)}}, fields...)})
	return nil
}

// flush adds the events that wait.
func (r *reading) flush() error {
	if len(r.waiting) == 0 {
		return nil
	}
	events := slices.Clone(r.waiting)
	slices.Reverse(events)
	r.waiting = r.waiting[:0]
	f := insight.FrameOf(events)
	f.Stream = insight.Recorded
	return r.add(f, r.run.To) // what the owners to come have is not known
}
