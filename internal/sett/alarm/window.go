package alarm

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/base/phrase"
)

// Span is a length of time as people write one: digits and a unit, such as 5m.
type Span string

// Duration returns how long the span is.
func (s Span) Duration() time.Duration {
	d, _ := s.read()
	return d
}

// Words returns the span for a sentence, such as "5 minutes".
func (s Span) Words() string {
	_, unit := s.read()
	n, _ := strconv.ParseInt(strings.TrimRight(string(s), "smhdw"), 10, 64)
	return phrase.Count(n, unit)
}

var units = map[string]struct {
	length time.Duration
	name   string
}{"s": {time.Second, "second"}, "m": {time.Minute, "minute"}, "h": {time.Hour, "hour"}, "d": {24 * time.Hour, "day"}, "w": {7 * 24 * time.Hour, "week"}}

// read returns the length, which is below 0 if the text is no span, and the name of the unit.
func (s Span) read() (length time.Duration, unit string) {
	const longest = 6 // digits: no product overflows
	digits := strings.TrimRight(string(s), "smhdw")
	u, known := units[strings.TrimPrefix(string(s), digits)]
	n, err := strconv.ParseUint(digits, 10, 32)
	if !known || err != nil || len(digits) > longest {
		return -1, ""
	}
	return time.Duration(n) * u.length, u.name
}

// Window is the time whose events an evaluation is about: from From, and before To.
type Window struct{ From, To time.Time }

// Words returns the window for a message, in UTC.
func (w Window) Words() string {
	const layout = "2006-01-02 15:04:05"
	return w.From.UTC().Format(layout) + " – " + phrase.Time(w.To.UTC(), layout)
}

// firstCheck is the next full minute.
func firstCheck(now time.Time) time.Time { return now.Truncate(time.Minute).Add(time.Minute) }

// Due returns the time that an evaluation now is about: that of the newest check that is due. Those before it are left out, as after a time
// in which no server ran.
func (a Alarm) Due(now time.Time) Window {
	period := a.Period.Duration()
	at := a.NextCheck
	if late := now.Sub(at); late > 0 {
		at = at.Add(late.Truncate(period))
	}
	to := at.Add(-a.Lag.Duration())
	return Window{to.Add(-period), to}
}

// Last returns the time before that of the next check: what the last evaluation was about, if there was one.
func (a Alarm) Last() Window {
	to := a.NextCheck.Add(-a.Lag.Duration() - a.Period.Duration())
	return Window{to.Add(-a.Period.Duration()), to}
}

// After returns when the check after that of a window is due.
func (a Alarm) After(w Window) time.Time {
	return w.To.Add(a.Lag.Duration() + a.Period.Duration())
}

// tolerated is the part of a window that may be unknown: one of so many.
const tolerated = 100

// Gap is a time of which some events may be missing.
type Gap struct {
	Window
	Refused bool // events were refused; otherwise no server ran
}

// Unknown says why so much of a window is in gaps that its events say nothing; "" if they do. A restart of seconds does not void the count of a day.
func (w Window) Unknown(gaps []Gap) (why string) {
	var unknown time.Duration
	at := w.From
	sorted := slices.SortedFunc(slices.Values(gaps), func(a, b Gap) int { return a.From.Compare(b.From) })
	for _, g := range sorted {
		from, to := g.From, g.To
		if from.Before(at) {
			from = at
		}
		if to.After(w.To) {
			to = w.To
		}
		if to.After(from) {
			unknown += to.Sub(from)
			at = to
			if why = "The server did not run for a part of this time."; g.Refused {
				why = "The server refused events in this time."
			}
		}
	}
	if unknown*tolerated <= w.To.Sub(w.From) {
		return ""
	}
	return why
}
