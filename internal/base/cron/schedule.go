// Package cron computes when jobs are due: schedules as crontab(5) writes them, in the time zones of IANA and Rails, through changes of the
// clocks. It turns text into times, into words that describe the schedule, or into an error whose message continues the name of a field. It
// waits for nothing and runs nothing.
package cron

import (
	"math"
	"math/bits"
	"time"
)

// Schedule is a schedule as crontab(5) writes it. It agrees with Debian's cron, daylight saving time included (cron(8),
// "Notes"), and also knows L and #. Parse makes one.
type Schedule struct {
	text string

	minutes  uint64 // bit 0 to 59
	hours    uint64 // bit 0 to 23
	months   uint64 // bit 1 to 12
	days     uint64 // bit 1 to 31
	lastDay  bool   // L
	weekdays uint64 // bit 0 to 6, Sunday first
	nth      [7]uint64
	bothDays bool // the two day fields must both agree, because one of them begins with a star
	wild     bool // minute or hour begins with a star, so that the schedule follows real time
}

// lastOfMonth is the bit of Schedule.nth for the last such weekday; bits 1 to 5 are the first to the fifth.
const lastOfMonth = 6

const (
	minutesPerDay = 24 * 60

	// furthest is how many minutes Next looks ahead: 40 years, as long as 29 February may wait for a weekday (from
	// 2072 to 2112 for Mondays). What does not come until then never comes.
	furthest = 40 * 366 * minutesPerDay

	// Calendars of these years have no surprises; both are seconds since 1970.
	yearOne         = -62_135_596_800
	yearTenThousand = 253_402_300_800
)

// String returns the schedule as it was written.
func (c Schedule) String() string { return c.text }

// Next returns the first time of the schedule later than after, in the zone; zero when it never comes there, or
// after lies outside the years 1 to 9999.
//
// A schedule with a star at the beginning of its minute or hour follows the clock as it is: nothing in the hour that is
// skipped, both hours of the one that is repeated. Any other has each of its times once: in the repeated hour the first
// time, and those of the skipped hour together right after it, as one. A clock that is moved by more than three hours
// is a correction, which all schedules follow.
func (c Schedule) Next(after time.Time, zone *time.Location) time.Time {
	second := after.Unix()
	if second < yearOne || second >= yearTenThousand {
		return time.Time{}
	}
	s := spanAt(second, zone)
	from := floorDiv(second+s.offset, 60) + 1
	if before, ok := s.repeats(second, zone); ok && !c.wild {
		from = max(from, before.lastWall())
	}
	for until := from + furthest; from < until; {
		if slot, ok := c.slot(from, min(s.lastWall(), until)); ok {
			return time.Unix(max(slot*60-s.offset, s.start), 0).In(zone)
		}
		if s.last() {
			break
		}
		next := spanAt(s.end, zone)
		if c.wild || next.corrects(s) {
			from = next.firstWall()
		} else {
			from = max(from, s.lastWall())
		}
		s = next
	}
	return time.Time{}
}

// slot returns the first minute in [from, to) that the fields name. Minutes here are those of a clock on the wall,
// counted since 1970 as if each day had 24 hours.
func (c Schedule) slot(from, to int64) (slot int64, ok bool) {
	if from >= to {
		return 0, false
	}
	today := floorDiv(from, minutesPerDay)
	lastDay := floorDiv(to-1, minutesPerDay)
	day, ok := c.dayFrom(today, lastDay)
	if ok && day == today {
		if minute, ok := c.minuteFrom(int(from - today*minutesPerDay)); ok {
			slot = today*minutesPerDay + minute
			return slot, slot < to
		}
		day, ok = c.dayFrom(today+1, lastDay)
	}
	if !ok {
		return 0, false
	}
	minute, _ := c.minuteFrom(0)
	slot = day*minutesPerDay + minute
	return slot, slot < to
}

// minuteFrom returns the first minute of a day, not before from, that the fields name.
func (c Schedule) minuteFrom(from int) (minute int64, ok bool) {
	hour, rest := from/60, from%60
	if c.hours>>hour&1 == 1 && c.minutes>>rest != 0 {
		return int64(from + bits.TrailingZeros64(c.minutes>>rest)), true
	}
	later := c.hours >> (hour + 1)
	if later == 0 {
		return 0, false
	}
	hour += 1 + bits.TrailingZeros64(later)
	return int64(hour*60 + bits.TrailingZeros64(c.minutes)), true
}

// dayFrom returns the first day in [from, last] that the fields name, in days since 1970.
func (c Schedule) dayFrom(from, last int64) (day int64, ok bool) {
	year, month, dayOfMonth := time.Unix(from*86400, 0).UTC().Date()
	for first := from - int64(dayOfMonth-1); first <= last; {
		if c.months>>month&1 == 1 {
			if days := c.daysOf(year, month, first) >> dayOfMonth; days != 0 {
				day = first + int64(dayOfMonth-1+bits.TrailingZeros64(days))
				return day, day <= last
			}
		}
		first += int64(daysIn(year, month))
		dayOfMonth = 1
		if month++; month > time.December {
			year, month = year+1, time.January
		}
	}
	return 0, false
}

// daysOf returns the days of a month, bit 1 to 31, that the fields name; first is the first of them since 1970.
func (c Schedule) daysOf(year int, month time.Month, first int64) uint64 {
	length := daysIn(year, month)
	days, weekdays := c.days, c.weekdaysOf(first, length)
	if c.lastDay {
		days |= 1 << length
	}
	if c.bothDays {
		days &= weekdays
	} else {
		days |= weekdays
	}
	return days & allDays(length)
}

// weekdaysOf returns the days of a month that the day-of-week field names.
func (c Schedule) weekdaysOf(first int64, length int) (days uint64) {
	const everySeventh = 1<<1 | 1<<8 | 1<<15 | 1<<22 | 1<<29
	firstWeekday := int(floorMod(first+4, 7)) // 1970 began on a Thursday
	for w, nth := range c.nth {
		such := uint64(everySeventh) << ((w - firstWeekday + 7) % 7) & allDays(length)
		if c.weekdays>>w&1 == 1 {
			days |= such
		}
		if nth>>lastOfMonth&1 == 1 {
			days |= 1 << (bits.Len64(such) - 1)
		}
		for n := 1; nth != 0 && such != 0; n++ {
			if nth>>n&1 == 1 {
				days |= such & -such
			}
			such &= such - 1
		}
	}
	return days
}

// allDays has bit 1 to length.
func allDays(length int) uint64 { return math.MaxUint64 >> (63 - length) &^ 1 }

// daysIn is how many days a month has.
func daysIn(year int, month time.Month) int {
	switch month {
	case time.February:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case time.April, time.June, time.September, time.November:
		return 30
	}
	return 31
}

func floorDiv(a, b int64) int64 { return (a - floorMod(a, b)) / b }

func floorMod(a, b int64) int64 { return (a%b + b) % b }
