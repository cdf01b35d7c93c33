package sett

import (
	"math"
	"slices"
	"time"
)

// SiteHistory is what the days of a site are drawn from.
type SiteHistory struct {
	CreatedAt     time.Time
	LastCheckedAt time.Time     // zero: never
	Patience      time.Duration // after a check, for how long it says how the site does
	Checked       []time.Time   // the midnights of the UTC days that have a check, in any order
	Outages       []SiteOutage  // in any order
}

// SiteOutage is when a site was down.
type SiteOutage struct{ DownAt, UpAt time.Time } // UpAt zero: it lasts

// Days returns the StatusDays days of a site, today last. A day with a check is measured as a whole: from the site's
// creation on, and no longer than until now and until its last check has grown old. A day without any, as in a pause, has
// no data, even if an outage lasts over it.
func (h SiteHistory) Days(now time.Time) []StatusDay {
	days := statusDays(FirstStatusDay(now), Day(now))
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
	measure(days, looked, h.outages(now))
	return days
}

// outages are the times of outages. Where the clocks of two locations differ, one may begin before another has ended.
func (h SiteHistory) outages(now time.Time) (outages []stretch) {
	end := int64(math.MinInt64)
	inTurn := slices.SortedFunc(slices.Values(h.Outages), func(a, b SiteOutage) int { return a.DownAt.Compare(b.DownAt) })
	for _, o := range inTurn {
		s := stretch{max(o.DownAt.UnixMicro(), end), o.UpAt.UnixMicro()}
		if o.UpAt.IsZero() {
			s.to = now.UnixMicro()
		}
		if !s.empty() {
			outages, end = append(outages, s), s.to
		}
	}
	return outages
}
