package ingest

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/insight"
	"sett/internal/sett/scrub"
	"sett/internal/store/insightdb"
)

// The bounds of events that wait to be stored.
const (
	mostEventBytes = 32 << 20              // of all, in memory
	eventPause     = 20 * time.Millisecond // in which events are collected for one transaction, so that notices hardly wait for it
)

// eventRecorder is what Events needs of the store; a test puts a failing one in its place.
type eventRecorder interface {
	Record(ctx context.Context, now time.Time, most int64, batches []*insightdb.Batch) (full []bool, err error)
}

// Events passes structured events to the store: those that arrive together share a transaction.
type Events struct {
	store     eventRecorder
	most      int64 // bytes of a project and day
	now       func() time.Time
	committer *committer[*sentEvents, bool]
	bytes     atomic.Int64

	mu   sync.Mutex
	full map[int64]time.Time         // projects that have reached their limit, with the end of the day
	lost map[int64]insightdb.Refusal // of projects whose events could not be stored, since they were last saved
}

// sentEvents are the events of one request.
type sentEvents struct {
	project     int64
	count       int64
	bytes       int64 // as JSON
	first, last int64
	body        []byte // in the form of insight.Event.Append

	rules    *scrub.Rules // what is removed from the events
	scrubbed scrub.Counts
}

// NewEvents returns running Events, which store at most so many bytes of JSON a project and day (UTC); 0: none. Close ends them.
func NewEvents(r eventRecorder, most int64, now func() time.Time, log *slog.Logger) *Events {
	e := &Events{store: r, most: most, now: now, full: map[int64]time.Time{}, lost: map[int64]insightdb.Refusal{}}
	failures := trouble{message: "structured events cannot be stored, so clients get an error"}
	e.committer = newPausingCommitter(eventPause, func(ctx context.Context, sent []*sentEvents) ([]bool, error) {
		full, err := e.record(ctx, sent)
		failures.note(log, now(), err)
		return full, err
	})
	return e
}

// Close takes nothing more, stores what is queued and returns when that is done.
func (e *Events) Close() { e.committer.close() }

// Queued returns how many requests with events wait for the next commit.
func (e *Events) Queued() int { return len(e.committer.queue) }

// On reports whether events are stored at all.
func (e *Events) On() bool { return e.most > 0 }

// add adds an event that has so many bytes as JSON, without what the rules of the project match.
func (s *sentEvents) add(event insight.Event, bytes int) {
	s.rules.Fields(func(yield func(string, *string) bool) {
		for i := range event.Fields {
			if !yield(event.Fields[i].Key, &event.Fields[i].Value) {
				return
			}
		}
	}, &s.scrubbed)
	if s.first = min(s.first, event.At); s.count == 0 {
		s.first = event.At
	}
	s.last = max(s.last, event.At)
	s.count, s.bytes, s.body = s.count+1, s.bytes+int64(bytes), event.Append(s.body)
}

// submit stores events. It returns once they are durable. The error is TooMany if the project has sent too many today, and Unavailable if there is
// no room, or the store does not respond.
func (e *Events) submit(s *sentEvents) error {
	if s.count == 0 {
		return nil
	}
	err := e.take(s)
	if err != nil && sett.CodeOf(err) != sett.TooMany { // the store records those
		e.lose(s.project)
	}
	return err
}

// lose notes that events of a project were not stored now.
func (e *Events) lose(project int64) {
	now := e.now()
	e.mu.Lock()
	defer e.mu.Unlock()
	lost, known := e.lost[project]
	if !known {
		lost = insightdb.Refusal{ProjectID: project, From: now}
	}
	lost.To = now
	e.lost[project] = lost
}

// SaveRefusals calls store with the times in which events were not stored since it was last called, if there are any. What store fails to keep is
// noted with the next call.
func (e *Events) SaveRefusals(store func([]insightdb.Refusal) error) error {
	e.mu.Lock()
	lost := e.lost
	e.lost = map[int64]insightdb.Refusal{}
	e.mu.Unlock()
	if len(lost) == 0 {
		return nil
	}
	err := store(slices.Collect(maps.Values(lost)))
	if err != nil {
		e.mu.Lock()
		for project, r := range lost {
			if later, known := e.lost[project]; known {
				r.To = later.To
			}
			e.lost[project] = r
		}
		e.mu.Unlock()
	}
	return err
}

func (e *Events) take(s *sentEvents) error {
	if err := e.check(s.project); err != nil {
		return err
	}
	size := int64(len(s.body))
	defer e.bytes.Add(-size)
	if e.bytes.Add(size) > mostEventBytes {
		return &sett.Error{Code: sett.Unavailable, Message: "The server is overloaded. Try again in a moment.", RetryAfter: time.Second}
	}
	full, err := e.committer.do(s)
	if err != nil || !full {
		return err
	}
	e.mu.Lock()
	e.full[s.project] = e.now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	e.mu.Unlock()
	return e.check(s.project)
}

// retryEvents is how long clients are to wait before they send events again, beyond the limit of the day.
const retryEvents = time.Hour

// check returns the TooMany error of a project that has sent too many events today.
func (e *Events) check(project int64) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	end, full := e.full[project]
	now := e.now()
	switch {
	case !full:
		return nil
	case !now.Before(end):
		delete(e.full, project)
		return nil
	}
	return &sett.Error{
		Code: sett.TooMany, RetryAfter: min(retryEvents, end.Sub(now)),
		Message: "The project has sent as many events today as it may. Events are stored again from midnight UTC.",
	}
}

// record stores events, those of a project together.
func (e *Events) record(ctx context.Context, sent []*sentEvents) (full []bool, err error) {
	var batches []*insightdb.Batch
	in := make([]int, len(sent))
	open := map[int64]*gatheredEvents{}
	end := func(g *gatheredEvents) {
		for _, i := range g.members {
			in[i] = len(batches)
		}
		batches = append(batches, insightdb.NewBatch(g.project, g.count, g.bytes, g.first, g.last, g.body))
	}
	for i, s := range sent {
		g := open[s.project]
		if g != nil && len(g.body)+len(s.body) > insightdb.MostInBatch {
			end(g)
			g = nil
		}
		if g == nil {
			g = &gatheredEvents{sentEvents: sentEvents{project: s.project, first: s.first}}
			open[s.project] = g
		}
		g.members = append(g.members, i)
		g.first, g.last, g.count, g.bytes = min(g.first, s.first), max(g.last, s.last), g.count+s.count, g.bytes+s.bytes
		g.body = append(g.body, s.body...)
	}
	for _, g := range open {
		end(g)
	}
	refused, err := e.store.Record(ctx, e.now(), e.most, batches)
	if err != nil {
		return nil, err
	}
	for _, batch := range in {
		full = append(full, refused[batch])
	}
	return full, nil
}

// gatheredEvents are events of several requests.
type gatheredEvents struct {
	sentEvents
	members []int
}
