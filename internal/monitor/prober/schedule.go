package prober

import (
	"container/heap"
	"slices"
	"time"

	"sett/internal/sett"
)

// catchUp is how long it takes at most until every site was checked once after a start.
const catchUp = 30 * time.Second

// schedule knows when each site is due at one location. It is used by one goroutine at a time.
type schedule struct {
	location string
	sites    map[sett.UUID]*entry
	due      dueHeap
}

// entry is one site of the schedule.
type entry struct {
	Target
	phase   time.Duration
	due     time.Time
	index   int    // in the heap; -1 while a check of it runs
	host    string // that the check which runs, or waits to, is counted with
	again   bool   // a check is wanted as soon as the one that runs has ended
	removed bool

	outOfTurn bool // the check that runs was not due in a slot
}

func newSchedule(location string) *schedule {
	return &schedule{location: location, sites: map[sett.UUID]*entry{}}
}

// apply updates the schedule. New, edited and requested targets are due now; but the targets at startup are spread, those
// not checked for the longest time first.
func (s *schedule) apply(c Changes, now time.Time) {
	if c.All {
		s.keepOnly(c.Targets)
	}
	if len(s.sites) == 0 {
		s.begin(c.Targets, now)
	} else {
		for _, t := range c.Targets {
			s.put(t, now)
		}
	}
	for _, id := range c.Gone {
		s.remove(id)
	}
}

func (s *schedule) keepOnly(targets []Target) {
	kept := make(map[sett.UUID]bool, len(targets))
	for _, t := range targets {
		kept[t.ID] = true
	}
	for id := range s.sites {
		if !kept[id] {
			s.remove(id)
		}
	}
}

func (s *schedule) begin(targets []Target, now time.Time) {
	oldest := slices.SortedStableFunc(slices.Values(targets), func(a, b Target) int { return a.CheckedAt.Compare(b.CheckedAt) })
	for i, t := range oldest {
		within := min(catchUp, t.Frequency)
		s.add(t, now.Add(within*time.Duration(i)/time.Duration(len(oldest))))
	}
}

func (s *schedule) add(t Target, due time.Time) *entry {
	e := &entry{Target: t, phase: phase(t.ID, s.location, t.Frequency), due: due}
	s.sites[t.ID] = e
	heap.Push(&s.due, e)
	return e
}

// put adds a site, or replaces one. One that was merely listed again stays as it is due.
func (s *schedule) put(t Target, now time.Time) {
	e, known := s.sites[t.ID]
	if !known {
		s.add(t, now)
		return
	}
	same := e.Revision == t.Revision && e.Frequency == t.Frequency && (t.AskedAt.IsZero() || e.AskedAt.Equal(t.AskedAt))
	e.Target, e.phase = t, phase(t.ID, s.location, t.Frequency)
	switch {
	case same:
	case e.index < 0:
		e.again = true
	default:
		e.due = now
		heap.Fix(&s.due, e.index)
	}
}

func (s *schedule) remove(id sett.UUID) {
	e, known := s.sites[id]
	if !known {
		return
	}
	delete(s.sites, id)
	e.removed = true
	if e.index >= 0 {
		heap.Remove(&s.due, e.index)
	}
}

// next returns when the next site is due; ok is false when none is.
func (s *schedule) next() (at time.Time, ok bool) {
	if len(s.due) == 0 {
		return time.Time{}, false
	}
	return s.due[0].due, true
}

// take returns the sites that are due. Each is checked once however late it is, and comes back with done.
func (s *schedule) take(now time.Time) (due []*entry) {
	for len(s.due) > 0 && !s.due[0].due.After(now) {
		e := heap.Pop(&s.due).(*entry)
		e.outOfTurn = !slotAfter(e.due.Add(-1), e.phase, e.Frequency).Equal(e.due)
		due = append(due, e)
	}
	return due
}

// done says that a check of a taken site has ended: it is due again in its next slot. Slots that passed meanwhile are
// merged into that one.
func (s *schedule) done(e *entry, now time.Time) {
	if e.removed {
		return
	}
	after := now
	if e.outOfTurn {
		after = now.Add(e.Frequency / 6) // a second check so soon adds nothing
	}
	e.due = slotAfter(after, e.phase, e.Frequency)
	if e.again {
		e.due, e.again = now, false
	}
	heap.Push(&s.due, e)
}

// dueHeap is a heap of entries, the one that is due first on top.
type dueHeap []*entry

func (h dueHeap) Len() int           { return len(h) }
func (h dueHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h dueHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push is called by container/heap.
func (h *dueHeap) Push(x any) {
	e := x.(*entry)
	e.index = len(*h)
	*h = append(*h, e)
}

// Pop is called by container/heap.
func (h *dueHeap) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	e.index = -1
	return e
}
