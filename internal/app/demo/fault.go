package demo

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
)

// faultsOfProject is how many faults a project has beside its mistakes, at scale 1.
const faultsOfProject = 195

// fault is what makes notices of one kind.
type fault struct {
	mistake
	id          int64 // once it has occurred; -1: a user handled it before
	environment string
	weight      float64
	born, gone  time.Time // it occurs from then on, and not from then on
	again       time.Time // it occurs once more then, although it is gone; zero: it does not
	trace       json.RawMessage
	causes      json.RawMessage
}

// makeFaults makes the faults of a project: its mistakes, and many small ones.
func (w *world) makeFaults(p *project, d dice) {
	for i, m := range p.plan.mistakes {
		f := &fault{mistake: m, environment: "production", weight: m.share, born: w.from}
		if m.seen > 0 {
			f.born = w.daysAgo(m.seen, "13:00")
		} else if i > 3 {
			f.born = w.from.Add(d.between(0, w.to.Sub(w.from)*2/3))
		}
		if m.fate == resolved {
			f.gone = w.ago(d.between(3*24*time.Hour, 12*24*time.Hour))
		}
		p.faults = append(p.faults, f)
	}
	share := 1.0
	for _, f := range p.faults {
		share -= f.weight
	}
	n := max(faultsOfProject*w.scale/w.thin, 1)
	var sum float64
	for i := range n {
		sum += 1 / math.Pow(float64(i+4), 0.8)
	}
	for i := range n {
		p.faults = append(p.faults, w.makeSmallFault(p, d, i, share/math.Pow(float64(i+4), 0.8)/sum))
	}
	for _, f := range p.faults {
		f.prepare(p)
	}
}

// What functions do: each small fault has one of its own, as one function of a file is one place.
var (
	verbs = []string{"apply", "build", "check", "find", "load", "map", "merge", "parse", "send", "store"}
	nouns = []string{
		"address", "batch", "carrier", "coupon", "discount", "form", "images", "items", "labels", "notes",
		"parcel", "price", "quota", "receipt", "refund", "session", "stock", "supplier", "tax", "totals",
	}
)

// makeSmallFault makes the i-th of the many: the same kinds of errors at other places.
func (w *world) makeSmallFault(p *project, d dice, i int, weight float64) *fault {
	f := &fault{mistake: pick(d, p.plan.mistakes), weight: weight, environment: "production"}
	f.calls, f.fate, f.share, f.tags = nil, "", 0, nil
	f.component, f.action = pick(d, p.plan.components), pick(d, p.plan.actions)
	if f.path != "" {
		f.path = "/" + strings.ToLower(f.action) + "/{order}"
	}
	if d.chance(0.14) {
		f.environment = "staging"
	}
	l := p.language
	step := l.step(verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)])
	f.calls = []call{{l.method(f.component, step), l.file(f.component), 8 + d.IntN(900), l.code(step, f.fix)}}
	if d.chance(0.6) {
		other := pick(d, p.plan.components)
		f.calls = append(f.calls, call{l.method(other, "call"), l.file(other), 8 + d.IntN(300), l.code("call", f.action+"(record)")})
	}
	f.born = w.from.Add(d.between(-10*24*time.Hour, time.Duration(w.days)*24*time.Hour))
	if f.born.Before(w.from) {
		f.born = w.from
	}
	if d.chance(0.82) {
		f.gone = f.born.Add(d.between(6*time.Hour, 25*24*time.Hour))
		f.fate = resolved
		if d.chance(0.1) {
			f.again = f.gone.Add(d.between(24*time.Hour, 20*24*time.Hour))
		}
	}
	return f
}

// prepare makes what is the same in all notices of the fault.
func (f *fault) prepare(p *project) {
	if f.calls == nil {
		l := p.language
		f.calls = []call{
			{l.method(f.component, f.action), l.file(f.component), 31 + len(f.class)*3, l.code(f.action, f.fix)},
			{l.method(p.plan.components[0], "call"), l.file(p.plan.components[0]), 12 + len(f.message), l.code("call", f.action+"(record)")},
		}
	}
	f.trace = p.language.trace(f.calls, 7)
	f.causes = json.RawMessage("[]")
	if f.cause != nil {
		f.causes = json.RawMessage(fmt.Sprintf(`[{"class":%s,"message":%s,"backtrace":%s}]`, quoted(f.cause.class), quoted(f.cause.message), p.language.trace(f.calls[len(f.calls)-1:], 2)))
	}
}

// occurs reports whether notices of the fault can come at a time.
func (f *fault) occurs(at time.Time) bool {
	return !at.Before(f.born) && (f.gone.IsZero() || at.Before(f.gone))
}

// heat is how much more often than usual the fault occurs on a deploy: what came with a bad one nearly occurs on it alone.
func (f *fault) heat(running *deploy) float64 {
	switch {
	case f.fate == worse && running.bad:
		return 30
	case f.fate == worse:
		return 0.15
	}
	return 1
}
