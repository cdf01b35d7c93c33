// Package trial tries grouping rules on events that are stored. It takes the bodies of events with the errors that they belong to, the present rules of their
// project and other ones, and returns which errors would join, which would part, and which keys lead where if the other rules are applied. It groups by the code
// of intake and decides by the rules by which events continue errors. The package reads no store and changes nothing.
package trial

import (
	"cmp"
	"slices"
	"time"

	"sett/internal/ingest/event"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/regroup"
)

// Key is a key of an error.
type Key = [16]byte

// Stored is an event of the project.
type Stored struct {
	Fault, Part int64 // under which it is counted
	Body        []byte
}

// Trial collects events. The newest must come first.
type Trial struct {
	present, proposed event.Options
	facets            event.Facets
	moves             []*move
	byMove            map[moveKey]*move
	unreadable        int64
}

// move is what all events have in common that change from one key to another.
type move struct {
	moveKey
	old, now faults.Grouping
	former   Key // by which its error may be known too
	count    int64
	last     time.Time
}

type moveKey struct {
	fault, part int64
	old, now    Key
}

// New returns a trial of rules in place of the present ones of a project.
func New(p accounts.KeyedProject, present *regroup.Compiled, proposed *regroup.Rules) *Trial {
	return &Trial{
		present:  event.Options{Project: p, Rules: present.Rules, Before: present.Before, ChangedAt: present.ChangedAt},
		proposed: event.Options{Project: p, Rules: proposed}, byMove: map[moveKey]*move{},
	}
}

// Add takes in an event, which came at a time.
func (t *Trial) Add(e Stored, at time.Time) {
	old, _, err := event.Parse(e.Body, t.present, &t.facets)
	if err != nil {
		t.unreadable++
		return
	}
	now, _, err := event.Parse(e.Body, t.proposed, &t.facets)
	if err != nil {
		t.unreadable++
		return
	}
	k := moveKey{e.Fault, e.Part, old.Grouping.Key, now.Grouping.Key}
	m := t.byMove[k]
	if m == nil {
		m = &move{moveKey: k, old: old.Grouping, now: now.Grouping, former: old.Former.Key, last: at}
		t.byMove[k] = m
		t.moves = append(t.moves, m)
	}
	m.count++
}

// Keys returns the keys of which Outcome needs to know the faults.
func (t *Trial) Keys() (keys []Key) {
	for _, m := range t.moves {
		keys = append(keys, m.moveKey.old, m.former, m.moveKey.now)
	}
	slices.SortFunc(keys, compareKeys)
	return slices.Compact(keys)
}

func compareKeys(a, b Key) int { return slices.Compare(a[:], b[:]) }

// Outcome is what would come of the rules.
type Outcome struct {
	Looked int64 // events
	Unsure int64 // of these: events whose group depends on what is not stored with them
	Joins  []Join
	Parts  []Parting
	Adopts []Adopt
}

// Join is several errors that become one.
type Join struct {
	Into   Side
	Others []Side
}

// Parting is one error that becomes several.
type Parting struct {
	Fault  int64
	Pieces []Side // the one that stays first
}

// Side is some events of an error.
type Side struct {
	Fault int64 // that they belong to
	Into  int64 // that they would belong to; 0 for a new one
	Count int64
	All   bool // the error has no others
	As    faults.Grouping
}

// Adopt is a key that is to belong to an error, so that later events go where the trial said.
type Adopt struct {
	Grouping    faults.Grouping
	Fault, Part int64
}

// Outcome decides, where known are the faults of the keys that Keys returned; 0 for none.
func (t *Trial) Outcome(known map[Key]int64) Outcome {
	o := Outcome{Looked: t.unreadable, Unsure: t.unreadable}
	near := map[placeOf]bool{} // where errors are known: of very many keys of a place, some are not stored
	for _, m := range t.moves {
		near[placeOf{m.old.Near, m.fault}] = near[placeOf{m.old.Near, m.fault}] || m.isKnown(known)
	}
	var sure []*move
	for _, m := range t.moves {
		o.Looked += m.count
		if m.moveKey.old != m.moveKey.now && !m.isKnown(known) && !near[placeOf{m.old.Near, m.fault}] {
			o.Unsure += m.count
			continue
		}
		sure = append(sure, m)
	}
	clusters := clustersOf(sure, known)
	settle(clusters)
	o.Joins, o.Adopts = joinsOf(clusters), adoptsOf(clusters, known)
	o.Parts = partsOf(clusters)
	return o
}

type placeOf struct {
	near  Key
	fault int64
}

// isKnown reports whether the error of its events is known by a key that their bodies give them.
func (m *move) isKnown(known map[Key]int64) bool {
	return known[m.moveKey.old] == m.fault || known[m.former] == m.fault
}

// cluster is events that would be one error.
type cluster struct {
	moves   []*move
	counts  map[int64]int64 // by the error that they belong to
	keyed   int64           // the error that one of their keys is known by
	into    int64           // the error that they will be; 0 for a new one
	entries map[int64]*move // of each error, what has the most events
}

// clustersOf puts events together that have one key, that go on with one another, or that stay with their error.
func clustersOf(moves []*move, known map[Key]int64) []*cluster {
	byKey, byFault, near := map[Key]*cluster{}, map[int64]*cluster{}, map[Key][]*move{}
	of := map[*move]*cluster{}
	var all []*cluster
	put := func(c *cluster, m *move) {
		c.moves, of[m], byKey[m.moveKey.now] = append(c.moves, m), c, c
	}
	merge := func(into, from *cluster) {
		for _, m := range from.moves {
			put(into, m)
		}
		for f, c := range byFault {
			if c == from {
				byFault[f] = into
			}
		}
		from.moves = nil
	}
	for _, m := range moves {
		c, stays := byKey[m.moveKey.now], known[m.moveKey.now]
		if m.moveKey.old == m.moveKey.now {
			stays = m.fault
		}
		if c == nil && stays == 0 {
			c = goesOnWith(near[m.now.Near], m, of)
		}
		if there := byFault[stays]; stays != 0 && there != nil {
			if c != nil && c != there {
				merge(there, c)
			}
			c = there
		}
		if c == nil {
			c = &cluster{}
			all = append(all, c)
		}
		if stays != 0 {
			byFault[stays], c.keyed = c, stays
		}
		put(c, m)
		near[m.now.Near] = append(near[m.now.Near], m)
	}
	return slices.DeleteFunc(all, func(c *cluster) bool { return len(c.moves) == 0 })
}

// goesOnWith returns the cluster of events near others that these would go on with; nil for none.
func goesOnWith(near []*move, m *move, of map[*move]*cluster) *cluster {
	known := make([]faults.KnownGrouping, len(near))
	for i, other := range near {
		known[i] = faults.KnownGrouping{Grouping: other.now, Here: other.now.Revision == m.now.Revision, Late: other.last.Sub(m.last) < day}
	}
	if i, why := faults.Continues(known, m.now); why != "" {
		return of[near[i]]
	}
	return nil
}

const day = 24 * time.Hour

// settle decides which error each cluster becomes: the one that a key is known by, else the one of which it has the most events; but no two become the same one, and
// of two that could, the one with more of its events does.
func settle(clusters []*cluster) {
	for _, c := range clusters {
		c.counts, c.entries = map[int64]int64{}, map[int64]*move{}
		for _, m := range c.moves {
			c.counts[m.fault] += m.count
			if best := c.entries[m.fault]; best == nil || m.count > best.count {
				c.entries[m.fault] = m
			}
		}
	}
	taken := map[int64]bool{}
	for _, c := range clusters {
		if c.keyed != 0 && !taken[c.keyed] {
			c.into, taken[c.keyed] = c.keyed, true
		}
	}
	type bid struct {
		c     *cluster
		fault int64
		count int64
	}
	var bids []bid
	for _, c := range clusters {
		for fault, n := range c.counts {
			bids = append(bids, bid{c, fault, n})
		}
	}
	slices.SortStableFunc(bids, func(a, b bid) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.fault, b.fault)) })
	for _, b := range bids {
		if b.c.into == 0 && !taken[b.fault] {
			b.c.into, taken[b.fault] = b.fault, true
		}
	}
}

// sides returns the events of a cluster by their errors, those of the error that it becomes first, then the most.
func (c *cluster) sides(total map[int64]int64) (sides []Side) {
	for fault, n := range c.counts {
		sides = append(sides, Side{Fault: fault, Into: c.into, Count: n, All: total[fault] == n, As: c.entries[fault].now})
	}
	slices.SortFunc(sides, func(a, b Side) int {
		return cmp.Or(firstIf(a.Fault == c.into, b.Fault == c.into), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Fault, b.Fault))
	})
	return sides
}

// firstIf puts what is true first.
func firstIf(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func totals(clusters []*cluster) map[int64]int64 {
	total := map[int64]int64{}
	for _, c := range clusters {
		for fault, n := range c.counts {
			total[fault] += n
		}
	}
	return total
}

func joinsOf(clusters []*cluster) (joins []Join) {
	total := totals(clusters)
	for _, c := range clusters {
		sides := c.sides(total)
		switch {
		case len(sides) > 1 && sides[0].Fault == c.into:
			joins = append(joins, Join{sides[0], sides[1:]})
		case c.into != 0 && sides[0].Fault != c.into: // an error that has no event among them, or that has gone elsewhere
			joins = append(joins, Join{Side{Fault: c.into, Into: c.into, As: c.moves[0].now}, sides})
		case len(sides) > 1:
			joins = append(joins, Join{Side{As: c.moves[0].now}, sides})
		}
	}
	slices.SortStableFunc(joins, func(a, b Join) int { return cmp.Compare(len(b.Others), len(a.Others)) })
	return joins
}

func partsOf(clusters []*cluster) (parts []Parting) {
	total, pieces := totals(clusters), map[int64][]Side{}
	for _, c := range clusters {
		for _, side := range c.sides(total) {
			pieces[side.Fault] = append(pieces[side.Fault], side)
		}
	}
	for fault, sides := range pieces {
		if len(sides) > 1 {
			slices.SortFunc(sides, func(a, b Side) int {
				return cmp.Or(firstIf(a.Into == fault, b.Into == fault), cmp.Compare(b.Count, a.Count), compareKeys(a.As.Key, b.As.Key))
			})
			parts = append(parts, Parting{fault, sides})
		}
	}
	slices.SortFunc(parts, func(a, b Parting) int {
		return cmp.Or(cmp.Compare(len(b.Pieces), len(a.Pieces)), cmp.Compare(a.Fault, b.Fault))
	})
	return parts
}

// adoptsOf returns the new keys of clusters that become known errors.
func adoptsOf(clusters []*cluster, known map[Key]int64) (adopts []Adopt) {
	for _, c := range clusters {
		home := c.entries[c.into]
		if home == nil {
			continue
		}
		once := map[Key]bool{}
		for _, m := range c.moves {
			if k := m.moveKey.now; k != m.moveKey.old && known[k] == 0 && !once[k] {
				once[k] = true
				adopts = append(adopts, Adopt{m.now, home.fault, home.part})
			}
		}
	}
	return adopts
}
