package checks

import (
	"cmp"
	"math"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// StatusDays is the number of days that a status page shows, including today.
const StatusDays = 90

// StatusDay is a UTC day of a component. Time that was not measured is neither up nor down.
type StatusDay struct {
	Day      time.Time     // its midnight
	Measured time.Duration // how much of it was monitored; 0: no data
	Down     time.Duration // of that
	Outages  int           // that lasted at some measured time of the day
	Began    int           // of those: the outages that no day before it has
}

// DayLevel is how bad a day was.
type DayLevel string

// The levels of a day.
const (
	DayNone DayLevel = "none" // no data
	DayOK   DayLevel = "ok"   // never down
	DayWarn DayLevel = "warn" // down, for less than critDown in all
	DayCrit DayLevel = "crit"
)

// critDown is how long a component is down on a bad day: more than one percent of it.
const critDown = 15 * time.Minute

// Level returns how bad a day was.
func (d StatusDay) Level() DayLevel {
	switch {
	case d.Measured == 0:
		return DayNone
	case d.Down == 0:
		return DayOK
	case d.Down < critDown:
		return DayWarn
	}
	return DayCrit
}

// FirstStatusDay returns the first of the days that a status page shows at a time.
func FirstStatusDay(now time.Time) time.Time { return accounts.Day(now).AddDate(0, 0, 1-StatusDays) }

// statusDays returns days from one until another, which belongs to them, without data.
func statusDays(first, last time.Time) (days []StatusDay) {
	days = make([]StatusDay, 0, StatusDays)
	for day := first; !day.After(last); day = day.Add(24 * time.Hour) {
		days = append(days, StatusDay{Day: day})
	}
	return days
}

// stretch is a time from one moment until before another, in microseconds since 1970. Pages have thousands of them.
type stretch struct{ from, to int64 }

const dayMicros = int64(24 * time.Hour / time.Microsecond)

// within returns what two stretches have in common; it ends before it begins when that is nothing.
func (s stretch) within(o stretch) stretch { return stretch{max(s.from, o.from), min(s.to, o.to)} }

func (s stretch) empty() bool { return s.to <= s.from }

// dayStretch is the day that begins at a midnight.
func dayStretch(day time.Time) stretch {
	from := day.UnixMicro()
	return stretch{from, from + dayMicros}
}

// measure adds to days, which follow one another, the monitored times, and the parts of outages within them.
// Both are in order, and none of them overlap.
func measure(days []StatusDay, looked, outages []stretch) {
	if len(days) == 0 {
		return
	}
	m := measuring{days, days[0].Day.UnixMicro()}
	for _, l := range looked {
		m.each(l, func(day *StatusDay, part time.Duration) { day.Measured += part })
	}
	for _, o := range outages {
		for len(looked) > 0 && looked[0].to <= o.from {
			looked = looked[1:]
		}
		m.outage(looked, o)
	}
}

// measuring is one run of measure.
type measuring struct {
	days  []StatusDay
	first int64 // when they begin
}

func (m measuring) outage(looked []stretch, o stretch) {
	var last *StatusDay // that counts it
	for _, l := range looked {
		if l.from >= o.to {
			return
		}
		m.each(l.within(o), func(day *StatusDay, part time.Duration) {
			day.Down += part
			if day == last {
				return
			}
			if day.Outages++; last == nil && o.from >= m.first {
				day.Began++
			}
			last = day
		})
	}
}

// each calls f with the part that each day has of a stretch, when it has any.
func (m measuring) each(s stretch, f func(day *StatusDay, part time.Duration)) {
	s = s.within(stretch{m.first, m.first + int64(len(m.days))*dayMicros})
	for !s.empty() {
		i := (s.from - m.first) / dayMicros
		end := min(s.to, m.first+(i+1)*dayMicros)
		f(&m.days[i], time.Duration(end-s.from)*time.Microsecond)
		s.from = end
	}
}

// SiteHistory is what the days of a site are drawn from.
type SiteHistory struct {
	CreatedAt     time.Time
	LastCheckedAt time.Time     // zero: never
	Patience      time.Duration // after a check, for how long it says how the site does
	Checked       []time.Time   // the midnights of the UTC days that have a check, in any order
	Unchecked     []BlindWindow // of those days, when no location checked it, by start; To is zero when it lasts
	Outages       []SiteOutage  // in any order
	Said          []SiteOutage  // outages that people report, in any order; they count also where no check ran
}

// SiteOutage is when a site was down.
type SiteOutage struct{ DownAt, UpAt time.Time } // UpAt zero: it lasts

// Days returns the StatusDays days of a site, today last. A day with a check is measured but for the times without checks: from the
// site's creation on, and no longer than until now and until its last check has grown old. A day without any has no data.
func (h SiteHistory) Days(now time.Time) []StatusDay {
	days := statusDays(FirstStatusDay(now), accounts.Day(now))
	checked := make([]bool, len(days))
	for _, day := range h.Checked {
		if i := day.Sub(days[0].Day) / (24 * time.Hour); !day.Before(days[0].Day) && int(i) < len(days) {
			checked[i] = true
		}
	}
	known := stretch{h.CreatedAt.UnixMicro(), earlier(now, h.LastCheckedAt.Add(h.Patience)).UnixMicro()}
	var looked []stretch
	for i, day := range days {
		if s := dayStretch(day.Day).within(known); checked[i] && !s.empty() {
			looked = append(looked, s)
		}
	}
	looked, down := withSaid(without(looked, h.unchecked(now)), outagesIn(h.Outages, now), h.Said, now)
	measure(days, looked, down)
	return days
}

// withSaid adds outages that people report to the times that were measured and to those of outages. Where they overlap, they are one.
func withSaid(looked, down []stretch, said []SiteOutage, now time.Time) (allLooked, allDown []stretch) {
	more := outagesIn(said, now)
	if len(more) == 0 {
		return looked, down
	}
	return union(looked, more), union(down, more)
}

// union returns all of two lists of stretches, in order; those that touch are one.
func union(a, b []stretch) (all []stretch) {
	for _, s := range slices.SortedFunc(slices.Values(slices.Concat(a, b)), func(a, b stretch) int { return cmp.Compare(a.from, b.from) }) {
		if last := len(all) - 1; last >= 0 && s.from <= all[last].to {
			all[last].to = max(all[last].to, s.to)
			continue
		}
		all = append(all, s)
	}
	return all
}

func (h SiteHistory) unchecked(now time.Time) []BlindWindow {
	all := slices.Clone(h.Unchecked)
	for i, w := range all {
		if w.To.IsZero() {
			all[i].To = now
		}
	}
	return all
}

// outagesIn are the times of outages. Where the clocks of two locations differ, one may begin before another has ended.
func outagesIn(all []SiteOutage, now time.Time) (outages []stretch) {
	end := int64(math.MinInt64)
	inTurn := slices.SortedFunc(slices.Values(all), func(a, b SiteOutage) int { return a.DownAt.Compare(b.DownAt) })
	for _, o := range inTurn {
		s := stretch{max(o.DownAt.UnixMicro(), end), o.UpAt.UnixMicro()}
		if o.UpAt.IsZero() || o.UpAt.After(now) {
			s.to = now.UnixMicro()
		}
		if !s.empty() {
			outages, end = append(outages, s), s.to
		}
	}
	return outages
}

// CheckInHistory is what the days of a check-in are drawn from.
type CheckInHistory struct {
	Folded []StatusDay   // what Fold has made of earlier turns, in any order
	Turns  []CheckInTurn // since then, in the order in which they happened
	Said   []SiteOutage  // outages that people report, in any order
}

// Days returns the StatusDays days of a check-in, today last. It is measured while it reports, is missing or fails, from its
// first ping on, and not in the windows, in the order in which they began, in which no ping could have come; it is down
// from the deadline that was missed, or the ping of a job that failed, until the next success.
func (h CheckInHistory) Days(now time.Time, blind []BlindWindow) []StatusDay {
	first := FirstStatusDay(now)
	days := statusDays(first, accounts.Day(now))
	for _, d := range h.Folded {
		if i := int(d.Day.Sub(first) / (24 * time.Hour)); !d.Day.Before(first) && i < len(days) {
			days[i].add(d)
		}
	}
	looked, down := spells(inOrder(h.Turns), now)
	looked, down = withSaid(without(looked, blind), down, h.Said, now)
	measure(days, looked, down)
	for i := range days { // an outage that people report may be of a day that is folded
		days[i].Measured = min(days[i].Measured, 24*time.Hour)
		days[i].Down = min(days[i].Down, days[i].Measured)
	}
	return days
}

func (d *StatusDay) add(o StatusDay) {
	d.Measured, d.Down, d.Outages, d.Began = d.Measured+o.Measured, d.Down+o.Down, d.Outages+o.Outages, d.Began+o.Began
}

// Fold sums up all turns but the newest, which goes on: it returns the days from a time on that have anything of them,
// and the place of the first turn that is to be kept and when it was. At 0 there is nothing to fold.
func (h CheckInHistory) Fold(since, now time.Time, blind []BlindWindow) (days []StatusDay, keep int, at time.Time) {
	ordered := inOrder(h.Turns)
	for i := 1; i < len(ordered); i++ {
		if ordered[i].State != ordered[i-1].State {
			keep, at = i, ordered[i].At
		}
	}
	if keep == 0 || at.After(now) {
		return nil, 0, time.Time{}
	}
	days = statusDays(accounts.Day(since), accounts.Day(at))
	looked, down := spells(ordered[:keep], at)
	measure(days, without(looked, blind), down)
	return slices.DeleteFunc(days, func(d StatusDay) bool { return d.Measured == 0 }), keep, at
}

// inOrder returns turns of which none is earlier than the one before: where the clocks of two servers differ, or a ping
// was overtaken, it counts as at the time of that.
func inOrder(turns []CheckInTurn) []CheckInTurn {
	turns = slices.Clone(turns)
	for i := 1; i < len(turns); i++ {
		turns[i].At = later(turns[i-1].At, turns[i].At)
	}
	return turns
}

// spells returns until a time when a check-in was looked at, and when it was missing or failing.
func spells(turns []CheckInTurn, until time.Time) (looked, down []stretch) {
	for i, t := range turns {
		s := stretch{t.At.UnixMicro(), until.UnixMicro()}
		if i+1 < len(turns) {
			s.to = min(s.to, turns[i+1].At.UnixMicro())
		}
		switch {
		case s.empty():
		case t.State == sett.CheckInReporting:
			looked = extend(looked, s)
		case t.State == sett.CheckInMissing || t.State == sett.CheckInFailing:
			looked, down = extend(looked, s), extend(down, s)
		}
	}
	return looked, down
}

// extend adds a stretch, to the last one where that ends with its beginning.
func extend(all []stretch, s stretch) []stretch {
	if last := len(all) - 1; last >= 0 && all[last].to == s.from {
		all[last].to = s.to
		return all
	}
	return append(all, s)
}

// Less returns what other windows, in the order in which they begin, leave of a window.
func (w BlindWindow) Less(others []BlindWindow) (left []BlindWindow) {
	for _, s := range without([]stretch{{w.From.UnixMicro(), w.To.UnixMicro()}}, others) {
		left = append(left, BlindWindow{time.UnixMicro(s.from).UTC(), time.UnixMicro(s.to).UTC()})
	}
	return left
}

// without returns what windows, in the order in which they begin, leave of stretches.
func without(all []stretch, windows []BlindWindow) (left []stretch) {
	left = make([]stretch, 0, len(all)+len(windows))
	for _, s := range all {
		for len(windows) > 0 && windows[0].To.UnixMicro() <= s.from {
			windows = windows[1:]
		}
		for _, w := range windows {
			from := w.From.UnixMicro()
			if from >= s.to {
				break
			}
			if s.from < from {
				left = append(left, stretch{s.from, from})
			}
			s.from = max(s.from, w.To.UnixMicro())
		}
		if !s.empty() {
			left = append(left, s)
		}
	}
	return left
}
