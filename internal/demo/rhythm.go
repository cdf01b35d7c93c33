package demo

import (
	"math"
	"slices"
	"time"
)

// noticesOfScale is how many notices there are in the history, at scale 1 and but for chance.
const noticesOfScale = 60_000

// slotLength is how much time the notices of one transaction stand for; of the last days less, so that charts of minutes
// are not of heaps.
func (w *world) slotLength(at time.Time) time.Duration {
	switch age := w.to.Sub(at); {
	case age <= 2*time.Hour:
		return time.Minute
	case age <= 2*24*time.Hour:
		return 10 * time.Minute
	case slices.ContainsFunc(w.projects, func(p *project) bool { return p.runs(at).bad }):
		return 10 * time.Minute // the history of a bad deploy is told in minutes
	case age <= 14*24*time.Hour:
		return 30 * time.Minute
	}
	return time.Hour
}

// pace is how many notices a project has at a time, beside its mean.
func (p *project) pace(at time.Time) float64 {
	hour := float64(at.Hour()) + float64(at.Minute())/60
	pace := 1 - p.plan.byDay*math.Cos((hour-2.5)/24*2*math.Pi)
	if weekday := at.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		pace *= p.plan.weekend
	}
	if p.runs(at).bad {
		pace *= 6
	}
	return pace
}

// busyDay are the faults of a project that occur at a time, by how often they do.
type busyDay struct {
	faults []*fault
	upto   []float64
	sum    float64 // of the weights
}

// look finds the faults that occur at a time.
func (p *project) look(at time.Time) {
	p.busy = busyDay{faults: p.busy.faults[:0], upto: p.busy.upto[:0]}
	running := p.runs(at)
	for _, f := range p.faults {
		if f.occurs(at) {
			p.busy.sum += f.weight * f.heat(running)
			p.busy.faults, p.busy.upto = append(p.busy.faults, f), append(p.busy.upto, p.busy.sum)
		}
	}
}

// any returns one of them.
func (b busyDay) any(d dice) *fault {
	i, _ := slices.BinarySearch(b.upto, d.Float64()*b.sum)
	return b.faults[min(i, len(b.faults)-1)]
}

// slot is a short time in which a fixed lot of notices came.
type slot struct {
	from   time.Time
	length time.Duration
}

// slots cuts the history into slots.
func (w *world) slots() (all []slot) {
	for at := w.from; at.Before(w.to); {
		length := w.slotLength(at)
		if left := w.to.Sub(at); left < length {
			length = left
		}
		all, at = append(all, slot{at, length}), at.Add(length)
	}
	return all
}
