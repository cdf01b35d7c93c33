package sett

import (
	"slices"
	"time"
)

// CheckInHistory is what the days of a check-in are drawn from.
type CheckInHistory struct {
	Folded []StatusDay   // what Fold has made of earlier turns, in any order
	Turns  []CheckInTurn // since then, in the order in which they happened
}

// Days returns the StatusDays days of a check-in, today last. It is measured while it reports or is missing, from its
// first ping on, and not in the windows, in the order in which they began, in which no ping could have come; it is down
// from the deadline that was missed until the next ping.
func (h CheckInHistory) Days(now time.Time, blind []BlindWindow) []StatusDay {
	first := FirstStatusDay(now)
	days := statusDays(first, Day(now))
	for _, d := range h.Folded {
		if i := int(d.Day.Sub(first) / (24 * time.Hour)); !d.Day.Before(first) && i < len(days) {
			days[i].add(d)
		}
	}
	looked, down := spells(inOrder(h.Turns), now)
	measure(days, without(looked, blind), down)
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
	days = statusDays(Day(since), Day(at))
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

// spells returns until a time when a check-in was looked at, and when it was missing.
func spells(turns []CheckInTurn, until time.Time) (looked, down []stretch) {
	for i, t := range turns {
		s := stretch{t.At.UnixMicro(), until.UnixMicro()}
		if i+1 < len(turns) {
			s.to = min(s.to, turns[i+1].At.UnixMicro())
		}
		switch {
		case s.empty():
		case t.State == CheckInReporting:
			looked = extend(looked, s)
		case t.State == CheckInMissing:
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
