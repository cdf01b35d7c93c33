package sett

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/phrase"
)

// Percent returns for how much of the time that was measured the component was not down; ok is false when nothing was
// measured.
func (c ComponentView) Percent() (percent float64, ok bool) {
	var measured, down time.Duration
	for _, d := range c.Days {
		measured, down = measured+d.Measured, down+d.Down
	}
	if measured == 0 {
		return 0, false
	}
	return 100 * float64(measured-down) / float64(measured), true
}

// Outages returns how many outages the days of the component have, each once however many days it lasted.
func (c ComponentView) Outages() (n int) {
	some := false
	for _, d := range c.Days {
		if n += d.Began; !some && d.Outages > 0 {
			n += d.Outages - d.Began // one that lasted already when the days began
			some = true
		}
	}
	return n
}

// Summary tells in words what the days of the component show, such as "90 days, 1 outage of 38 minutes on 18 Oct".
func (c ComponentView) Summary() string {
	parts := []string{phrase.Count(int64(len(c.Days)), "day")}
	var bare int64
	var bad []StatusDay
	var down time.Duration
	for _, d := range c.Days {
		if d.Level() == DayNone {
			bare++
		}
		if d.Down > 0 {
			bad, down = append(bad, d), down+d.Down
		}
	}
	switch {
	case bare == int64(len(c.Days)):
		return parts[0] + " without data"
	case bare > 0:
		parts = append(parts, fmt.Sprintf("%d without data", bare))
	}
	return strings.Join(append(parts, outagesInWords(c.Outages(), down, bad)), ", ")
}

// outagesInWords tells of so many outages on the days bad.
func outagesInWords(n int, down time.Duration, bad []StatusDay) string {
	if n == 0 {
		return "no outage"
	}
	const date = "2 Jan"
	first, last := bad[0].Day.Format(date), bad[len(bad)-1].Day.Format(date)
	text := fmt.Sprintf("%s of %s", phrase.Count(int64(n), "outage"), spanInWords(down))
	if n > 1 {
		text += " in all"
	}
	switch {
	case first == last:
		return text + " on " + first
	case n == 1:
		return fmt.Sprintf("%s from %s to %s", text, first, last)
	}
	return fmt.Sprintf("%s between %s and %s", text, first, last)
}

// spanInWords says how long d is, to the second below a minute, then to the minute, and above a day to the hour.
func spanInWords(d time.Duration) string {
	const day = 24 * time.Hour
	seconds := (d + time.Second - 1).Truncate(time.Second) // so that nothing lasted 0 seconds
	minutes, hours := d.Round(time.Minute), d.Round(time.Hour)
	switch {
	case seconds < time.Minute:
		return phrase.Count(int64(seconds/time.Second), "second")
	case minutes < time.Hour:
		return phrase.Count(int64(minutes/time.Minute), "minute")
	case minutes < day:
		return both(phrase.Count(int64(minutes/time.Hour), "hour"), int64(minutes%time.Hour/time.Minute), "minute")
	}
	return both(phrase.Count(int64(hours/day), "day"), int64(hours%day/time.Hour), "hour")
}

// both adds a number of things to a text, unless there are none.
func both(text string, n int64, thing string) string {
	if n == 0 {
		return text
	}
	return text + " " + phrase.Count(n, thing)
}
