package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// The bounds of a run.
const (
	DefaultLimit = 30 * time.Minute    // of a job that did not say how long it runs, as with Sentry
	mostLimit    = 28 * 24 * time.Hour // as with Sentry
	MostID       = 64                  // bytes of an id
	mostEnded    = 4                   // ids that are remembered
)

// Open is a run that has started and not ended. The zero value is none.
type Open struct {
	ID         string // by the job; "" if it gave none
	StartedAt  time.Time
	DeadlineAt time.Time // when it must have ended
}

// IsOpen reports whether there is a run.
func (o Open) IsOpen() bool { return !o.StartedAt.IsZero() }

func (o Open) limit() time.Duration { return o.DeadlineAt.Sub(o.StartedAt) }

// Overdue says that the run has not ended in time.
func (o Open) Overdue() string {
	return fmt.Sprintf("The job started on %s and has not ended within %s.",
		o.StartedAt.UTC().Format("2 January 2006, 15:04:05 UTC"), phrase.Count(int64(o.limit()/time.Minute), "minute"))
}

// Watch is what is known of the runs of a job. Of runs that overlap, the one that started first is watched, until it ends or its time is
// over: if a later start replaced it, a job that starts often and never ends would never be noticed.
type Watch struct {
	Open
	Longest time.Duration // how long a run may take, as the job said last; 0: it never said
	Ended   string        // the ids of runs that ended last, with spaces between them: their starts may come later
}

// Report is what a job says of a run.
type Report struct {
	ID      string        // "" if the job gave none
	Started bool          // it began; otherwise, it ended
	Longest time.Duration // how long it may take; 0 if the job did not say
}

// Start is the rule for a run that began. The start of the watched run, sent again, gives it its whole time again.
func (w Watch) Start(r Report, at time.Time) Watch {
	w = w.limited(r)
	limit := w.Longest
	if limit == 0 {
		limit = DefaultLimit
	}
	switch id := cutID(r.ID); {
	case id != "" && slices.Contains(strings.Fields(w.Ended), id):
	case !w.IsOpen():
		w.Open = Open{id, at, at.Add(limit)}
	case id != "" && id == w.ID && at.Add(limit).After(w.DeadlineAt):
		w.DeadlineAt = at.Add(limit)
	}
	return w
}

// End is the rule for a run that ended. A report without an id ends the run that is watched, and so does any report if the run has none.
func (w Watch) End(r Report) Watch {
	w = w.limited(r)
	id := cutID(r.ID)
	if id != "" {
		ended := slices.DeleteFunc(strings.Fields(w.Ended), func(known string) bool { return known == id })
		ended = append(ended, id)
		w.Ended = strings.Join(ended[max(0, len(ended)-mostEnded):], " ")
	}
	if id == "" || w.ID == "" || id == w.ID {
		w.Open = Open{}
	}
	return w
}

// Extend gives the watched run time until a later moment.
func (w Watch) Extend(until time.Time) Watch {
	w.DeadlineAt = until
	return w
}

// SetBack is the rule for a clock that was far ahead and was set back to now: the run counts as begun now.
func (w Watch) SetBack(now time.Time) Watch {
	limit := w.limit()
	w.StartedAt, w.DeadlineAt = now, now.Add(limit)
	return w
}

func (w Watch) limited(r Report) Watch {
	if r.Longest > 0 {
		w.Longest = min(r.Longest, mostLimit)
	}
	return w
}

// cutID returns an id without spaces, of at most MostID bytes.
func cutID(id string) string {
	id = strings.ToValidUTF8(strings.ReplaceAll(id, "\x00", ""), "")
	id = strings.Join(strings.Fields(id), "")
	return strings.ToValidUTF8(id[:min(len(id), MostID)], "")
}
