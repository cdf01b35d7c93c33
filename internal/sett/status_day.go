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
	for day := first; !day.After(last); day = day.Add(24 * time.Hour) {
		days = append(days, StatusDay{Day: day})
	}
	return days
}

// spanOfTime is a time from one moment until before another.
type spanOfTime struct{ from, to time.Time }

func (s spanOfTime) length() time.Duration { return max(s.to.Sub(s.from), 0) }

// within returns what two spans have in common; its length is 0 when that is nothing.
func (s spanOfTime) within(o spanOfTime) spanOfTime {
	return spanOfTime{later(s.from, o.from), earlier(s.to, o.to)}
}

// measure adds to days, which follow one another, the times in which somebody looked, and what outages share with them.
// Both are in order, and none of them overlap.
func measure(days []StatusDay, looked, outages []spanOfTime) {
	for _, l := range looked {
		eachDay(days, l, func(day *StatusDay, part time.Duration) { day.Measured += part })
	}
	for _, o := range outages {
		for len(looked) > 0 && !looked[0].to.After(o.from) {
			looked = looked[1:]
		}
		measureOutage(days, looked, o)
	}
}

func measureOutage(days []StatusDay, looked []spanOfTime, o spanOfTime) {
	var last *StatusDay // that counts it
	for _, l := range looked {
		if !l.from.Before(o.to) {
			return
		}
		eachDay(days, l.within(o), func(day *StatusDay, part time.Duration) {
			day.Down += part
			if day == last {
				return
			}
			if day.Outages++; last == nil && !o.from.Before(days[0].Day) {
				day.Began++
			}
			last = day
		})
	}
}

// eachDay calls f with the part that each day has of a span, when it has any.
func eachDay(days []StatusDay, s spanOfTime, f func(day *StatusDay, part time.Duration)) {
	if len(days) == 0 || s.length() == 0 {
		return
	}
	for i := max(int(s.from.Sub(days[0].Day)/(24*time.Hour)), 0); i < len(days) && days[i].Day.Before(s.to); i++ {
		part := s.within(spanOfTime{days[i].Day, days[i].Day.Add(24 * time.Hour)}).length()
		if part > 0 {
			f(&days[i], part)
		}
	}
}
