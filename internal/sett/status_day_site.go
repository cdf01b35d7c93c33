package sett

import "time"

// SiteHistory is what the days of a site are drawn from.
type SiteHistory struct {
	CreatedAt     time.Time
	LastCheckedAt time.Time          // zero: never
	Patience      time.Duration      // after a check, for how long it says how the site does
	Checked       map[time.Time]bool // the UTC days that have a check, by their midnights
	Outages       []SiteOutage       // the oldest first
}

// SiteOutage is when a site was down.
type SiteOutage struct{ DownAt, UpAt time.Time } // UpAt zero: it lasts

// Days returns the StatusDays days of a site, today last. A day with a check is measured as a whole: from the site's
// creation on, and no longer than until now and until its last check has grown old. A day without any, as in a pause, has
// no data, even if an outage lasts over it.
func (h SiteHistory) Days(now time.Time) []StatusDay {
	days := statusDays(FirstStatusDay(now), Day(now))
	known := spanOfTime{h.CreatedAt, earlier(now, h.LastCheckedAt.Add(h.Patience))}
	var looked []spanOfTime
	for _, day := range days {
		s := spanOfTime{day.Day, day.Day.Add(24 * time.Hour)}.within(known)
		if h.Checked[day.Day] && s.length() > 0 {
			looked = append(looked, s)
		}
	}
	measure(days, looked, h.outages(now))
	return days
}

// outages are the times of outages. Where the clocks of two locations differ, one may begin before another has ended.
func (h SiteHistory) outages(now time.Time) (spans []spanOfTime) {
	var end time.Time
	for _, o := range h.Outages {
		s := spanOfTime{later(o.DownAt, end), o.UpAt}
		if s.to.IsZero() {
			s.to = now
		}
		if s.length() > 0 {
			spans, end = append(spans, s), s.to
		}
	}
	return spans
}
