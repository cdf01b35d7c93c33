package loop

import (
	"sync"
	"time"
)

// Record is how a loop does: of its last round and of its last failure.
type Record struct {
	Name     string
	Does     string        // a sentence
	Every    time.Duration // the longest rest; 0: it waits to be woken
	Running  bool
	Began    time.Time     // the round that runs, or the last; zero before the first
	Took     time.Duration // the last round that has ended
	Next     time.Time     // when the next is due at the latest; zero while one runs, and when it waits to be woken
	Failures int           // in a row, up to the last round
	FailedAt time.Time     // the last failure; zero: there was none
	Problem  string        // of the last failure
}

// records keeps the Record of a loop.
type records struct {
	mu   sync.Mutex
	last Record
}

func (r *records) begin(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last.Running, r.last.Began, r.last.Next = true, now, time.Time{}
}

func (r *records) end(now time.Time, err error, failures int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last.Running, r.last.Took, r.last.Failures = false, now.Sub(r.last.Began), failures
	if err != nil {
		r.last.FailedAt, r.last.Problem = now, err.Error()
	}
}

func (r *records) rest(until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last.Next = until
}

// Record returns how the loop does.
func (l *Loop) Record() Record {
	l.records.mu.Lock()
	defer l.records.mu.Unlock()
	r := l.records.last
	r.Name, r.Does, r.Every = l.Name, l.Does, l.Every
	return r
}

// Records returns how each loop of the group does, in the order in which they were started.
func (g *Group) Records() (all []Record) {
	for _, l := range g.loops {
		all = append(all, l.Record())
	}
	return all
}
