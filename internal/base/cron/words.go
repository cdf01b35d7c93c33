package cron

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// mostNamed is how many times, days or months words name one by one.
const mostNamed = 4

// Words returns the schedule as people say it, such as "at 02:30 every day"; "" for what no short sentence says. Schedules
// that differ in when they come have different words.
func (c Schedule) Words() string {
	at, daily := c.timeWords()
	days, months := c.dayWords(), c.monthWords()
	if at == "" || days == "" || months == "" {
		return ""
	}
	if days == everyDay && !daily {
		days = ""
	}
	if months == everyMonth {
		months = ""
	}
	return strings.Join(strings.Fields(at+" "+days+" "+months), " ")
}

const (
	everyDay   = "every day"
	everyMonth = "every month"
)

// timeWords says when on a day; daily is for what needs the days to be named.
func (c Schedule) timeWords() (words string, daily bool) {
	const allHours = 1<<24 - 1
	minutes, hours := setBits(c.minutes), setBits(c.hours)
	step, hourStep := stepOf(minutes, 60), stepOf(hours, 24)
	window := ""
	if c.hours != allHours && isRun(hours) {
		window = fmt.Sprintf(" from %02d:%02d to %02d:%02d", hours[0], minutes[0], hours[len(hours)-1], minutes[len(minutes)-1])
	}
	switch {
	case len(minutes)*len(hours) <= mostNamed:
		return "at " + phrase.And(clockTimes(hours, minutes)), true
	case c.hours != allHours && window == "" && (len(minutes) > 1 || hourStep == 0):
		return "", false
	case step > 0:
		return "every " + each(step, "minute") + window, window != ""
	case len(minutes) > 1:
		return "", false
	case window != "":
		return "every hour" + window, true
	case minutes[0] == 0:
		return "every " + each(hourStep, "hour"), false
	}
	return fmt.Sprintf("every %s at minute %d", each(hourStep, "hour"), minutes[0]), false
}

// dayWords says on which days of a month.
func (c Schedule) dayWords() string {
	const week = 1<<7 - 1
	anyDate, anyWeekday := c.days == allDays(31), c.weekdays == week
	dates, weekdays := setBits(c.days), setBits(c.weekdays)
	switch {
	case anyDate && anyWeekday, (anyDate || anyWeekday) && !c.bothDays:
		return everyDay
	case anyWeekday && c.lastDay && len(dates) == 0:
		return "on the last day of the month"
	case anyWeekday && !c.lastDay && len(dates) == 1:
		return fmt.Sprintf("on day %d of the month", dates[0])
	case anyWeekday && !c.lastDay && len(dates) <= mostNamed:
		return "on days " + phrase.And(texts(dates, strconv.Itoa)) + " of the month"
	case !anyDate:
		return ""
	case c.nth == [7]uint64{}:
		return weekdayWords(weekdays)
	}
	return c.nthWords(weekdays)
}

func weekdayWords(weekdays []int) string {
	name := func(d int) string { return time.Weekday(d).String() }
	if len(weekdays) > 2 && isRun(weekdays) {
		return "from " + name(weekdays[0]) + " to " + name(weekdays[len(weekdays)-1])
	}
	return "on " + phrase.And(texts(weekdays, func(d int) string { return name(d) + "s" }))
}

// nthWords says of a single weekday which one of the month it is.
func (c Schedule) nthWords(weekdays []int) string {
	var found string
	for day, nth := range c.nth {
		switch {
		case nth == 0:
			continue
		case found != "" || len(weekdays) > 0 || bits.OnesCount64(nth) > 1:
			return ""
		}
		order := [lastOfMonth + 1]string{1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", lastOfMonth: "last"}
		found = "on the " + order[bits.TrailingZeros64(nth)] + " " + time.Weekday(day).String() + " of the month"
	}
	return found
}

func (c Schedule) monthWords() string {
	months := setBits(c.months)
	name := func(m int) string { return time.Month(m).String() }
	switch {
	case len(months) == 12:
		return everyMonth
	case len(months) > 2 && isRun(months):
		return "from " + name(months[0]) + " to " + name(months[len(months)-1])
	case len(months) > mostNamed:
		return ""
	}
	return "in " + phrase.And(texts(months, name))
}

// clockTimes are the times of a day at these hours and minutes, in their order.
func clockTimes(hours, minutes []int) (times []string) {
	for _, h := range hours {
		for _, m := range minutes {
			times = append(times, fmt.Sprintf("%02d:%02d", h, m))
		}
	}
	return times
}

// setBits are the places of the bits that are set, the lowest first.
func setBits(mask uint64) (places []int) {
	for ; mask != 0; mask &= mask - 1 {
		places = append(places, bits.TrailingZeros64(mask))
	}
	return places
}

// stepOf returns the step in which values go from 0 around a circle; 0 when they do not.
func stepOf(values []int, circle int) int {
	if len(values) < 2 || circle%len(values) != 0 {
		return 0
	}
	step := circle / len(values)
	for i, v := range values {
		if v != i*step {
			return 0
		}
	}
	return step
}

// isRun reports whether values follow one another without a gap.
func isRun(values []int) bool {
	return len(values) > 0 && values[len(values)-1]-values[0] == len(values)-1
}

func texts(values []int, text func(int) string) (all []string) {
	for _, v := range values {
		all = append(all, text(v))
	}
	return all
}

// each is a unit, and how many of it go by when they are more than one.
func each(n int, unit string) string {
	if n == 1 {
		return unit
	}
	return phrase.Count(int64(n), unit)
}
