package sett

import "time"

// StatusDay is a UTC day of a component. What nobody has measured of it is neither up nor down.
type StatusDay struct {
	Day      time.Time     // its midnight
	Measured time.Duration // for how long of it somebody looked; 0: no data
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
func FirstStatusDay(now time.Time) time.Time { return Day(now).AddDate(0, 0, 1-StatusDays) }

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

// measure adds to days, which follow one another, the times in which somebody looked, and what outages share with them.
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
