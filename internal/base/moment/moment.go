// Package moment reads times as clients write them. It takes a number or a text in the form of any protocol, and returns the moment in UTC.
// A text without a zone is UTC. The package knows no clock: it never says what time it is, and only callers, who know when a time was
// reported, can judge whether it can be right.
package moment

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// Read reads a moment: a number since 1970, or a date and time of ISO 8601, RFC 3339, RFC 1123, or as Go, Ruby, JavaScript or a log write it. A
// date alone is its midnight. ok is false for what is none, or is outside of the years 0 to 9999.
func Read(text string) (at time.Time, ok bool) {
	text = strings.TrimSpace(text)
	if at, ok = readNumber(text); !ok {
		at, ok = readText(text)
	}
	return at, ok && at.Year() >= 0 && at.Year() <= 9999
}

// A client may be off the network for long before it reports what happened. What it says to have happened a moment ago did when it arrived, as far as
// clocks agree; and a clock that is behind by more than longestLate is wrong.
const (
	leastLate   = time.Minute
	longestLate = 400 * 24 * time.Hour
)

// Late returns when something happened that arrived late, as its client says; otherwise it happened when it arrived, and ok is false.
func Late(said string, arrived time.Time) (at time.Time, ok bool) {
	at, ok = Read(said)
	if by := arrived.Sub(at); !ok || by < leastLate || by > longestLate {
		return arrived, false
	}
	return at, true
}

var errNoTime = errors.New("not a time")

// Unmarshal reads JSON as json.Unmarshal does, and a time in any of the forms of Read.
func Unmarshal(data []byte, into any) error {
	at, isTime := into.(*time.Time)
	if !isTime {
		return json.Unmarshal(data, into)
	}
	var ok bool
	if *at, ok = Read(strings.Trim(string(data), `"`)); !ok {
		return errNoTime
	}
	return nil
}

// The amounts that are no seconds, milliseconds and microseconds any more: they are in the next smaller unit. The first ends the year 9999 in seconds,
// which programs write for "always"; in milliseconds it is in 1978.
const (
	mostSeconds = 253402300800
	mostMillis  = 1e14
	mostMicros  = 1e17
)

// OfUnix returns the moment of a whole number since 1970, whose size says whether it is in seconds, milliseconds, microseconds or nanoseconds.
func OfUnix(n int64) time.Time {
	size := math.Abs(float64(n))
	switch {
	case size < mostSeconds:
		return time.Unix(n, 0).UTC()
	case size < mostMillis:
		return time.UnixMilli(n).UTC()
	case size < mostMicros:
		return time.UnixMicro(n).UTC()
	}
	return time.Unix(0, n).UTC()
}

// numeric are the bytes that a number is written with. What has others is no number, which strconv says with an allocation.
const numeric = "0123456789+-.eE"

// readNumber reads a number. Of one with a fraction it keeps microseconds: most clients calculate it, and the digits beyond are noise.
func readNumber(text string) (time.Time, bool) {
	if strings.TrimLeft(text, numeric) != "" {
		return time.Time{}, false
	}
	whole, fraction, pointed := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err == nil && !pointed {
		return OfUnix(n), !isDate(text)
	}
	if part, ok := nanosOf(fraction); ok && err == nil && n >= 0 {
		return ofParts(n, part), true
	}
	size, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(size) >= math.MaxInt64 {
		return time.Time{}, false
	}
	floor := math.Floor(size)
	return ofParts(int64(floor), int64((size-floor)*1e9)), true
}

// ofParts returns the moment of a number, in microseconds; part is its fraction, in billionths.
func ofParts(n, part int64) time.Time {
	unit := time.Second
	for _, most := range []float64{mostSeconds, mostMillis} {
		if math.Abs(float64(n)) >= most {
			unit /= 1000
		}
	}
	if math.Abs(float64(n)) >= mostMicros {
		unit = time.Nanosecond
	}
	return OfUnix(n).Add(time.Duration(part) * unit / 1e9).Round(time.Microsecond)
}

// nanosOf reads the digits after the point of a number as billionths.
func nanosOf(digits string) (n int64, ok bool) {
	for i := range max(9, len(digits)) {
		c := byte('0')
		if i < len(digits) {
			c = digits[i]
		}
		if c < '0' || c > '9' {
			return 0, false
		}
		if i < 9 {
			n = n*10 + int64(c-'0')
		}
	}
	return n, true
}

// isDate reports whether a number is meant as a date without hyphens: as seconds, it would be before 1974.
func isDate(text string) bool { return len(text) == len("20261127") }

// clocks are the times of day that are read, after a date and a blank; a fraction may follow the seconds.
var clocks = []string{"15:04:05", "15:04", "150405", "1504", "3:04:05 PM", "3:04 PM"}

// dates are the dates that are read, before a time of day.
var dates = []string{"2006-01-02", "20060102", "2006/01/02", "2006.01.02", "02/Jan/2006", "2 Jan 2006", "2-Jan-2006", "2-Jan-06", "Jan 2 2006", "2 January 2006", "January 2 2006", "2006-002"}

// zones are the offsets that are read, after a time of day and a blank. A name alone says no offset, except those of UTC.
var zones = []string{"-07:00", "-0700", "-07"}

// longestText is how many bytes of a text are read: no client writes more.
const longestText = 100

// readText reads a date, and a time of day and a zone after it.
func readText(text string) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil { // as most clients write it
		return at.UTC(), true
	}
	if len(text) > longestText || text == "" {
		return time.Time{}, false
	}
	words := wordsOf(text)
	for n := min(3, len(words)); n > 0; n-- { // of a date
		for _, layout := range dates {
			if day, err := time.Parse(layout, strings.Join(words[:n], " ")); err == nil {
				return withClock(day, words[n:])
			}
		}
	}
	return swapped(words)
}

// swapped reads a text with the year at its end, such as "Nov 27 09:00:00 2026" and "Nov 27 09:00:00 UTC 2026".
func swapped(words []string) (time.Time, bool) {
	n := len(words)
	if n < 4 || len(words[n-1]) != len("2026") {
		return time.Time{}, false
	}
	day, err := time.Parse("Jan 2 2006", strings.Join([]string{words[0], words[1], words[n-1]}, " "))
	if err != nil {
		return time.Time{}, false
	}
	return withClock(day, words[2:n-1])
}

// wordsOf takes a text apart into a date, a time of day and a zone, each of one word or more. A day of the week is left out, and what comes after the
// zone: its name in brackets, or Go's reading of a monotonic clock.
func wordsOf(text string) []string {
	text, _, _ = strings.Cut(text, " m=")
	text, _, _ = strings.Cut(text, " (")
	text, _, _ = strings.Cut(text, "[")
	words := strings.Fields(strings.ReplaceAll(text, ",", " , "))
	words = joinFractions(words)
	if len(words) > 1 && isWeekday(words[0]) {
		words = words[1:]
	}
	return separated(words)
}

// joinFractions removes commas, but keeps those that begin a fraction of a second, as points.
func joinFractions(words []string) (all []string) {
	for i := 0; i < len(words); i++ {
		if words[i] != "," {
			all = append(all, words[i])
			continue
		}
		if n := len(all); n > 0 && strings.Contains(all[n-1], ":") && i+1 < len(words) {
			i++
			all[n-1] += "." + words[i]
		}
	}
	return all
}

func isWeekday(word string) bool {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if name := day.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return true
		}
	}
	return false
}

// separated puts blanks between date, time of day and zone.
func separated(words []string) (all []string) {
	for _, word := range words {
		date, clock, joined := cutClock(word)
		if joined {
			all = append(all, date)
			word = clock
		}
		if joined || strings.Contains(word, ":") && len(all) > 0 {
			if i := strings.IndexAny(word, "+-zZ"); i > 0 {
				all = append(all, word[:i])
				word = word[i:]
			}
		}
		all = append(all, word)
	}
	return all
}

// cutClock cuts a word between a date and a time of day: at a T, an underscore, or the colon of a log.
func cutClock(word string) (date, clock string, ok bool) {
	if len(word) < len("20061127T0900") || word[0] < '0' || word[0] > '9' {
		return "", "", false
	}
	i := strings.IndexAny(word, "tT_:")
	if i < len("20061127") || word[i] == ':' && strings.Count(word[:i], "/") != 2 {
		return "", "", false
	}
	return word[:i], word[i+1:], true
}

// withClock adds the time of day to a date.
func withClock(day time.Time, words []string) (time.Time, bool) {
	if len(words) == 0 {
		return day, true
	}
	clock, rest := words[0], words[1:]
	if len(rest) > 0 && (strings.EqualFold(rest[0], "AM") || strings.EqualFold(rest[0], "PM")) {
		clock, rest = clock+" "+strings.ToUpper(rest[0]), rest[1:]
	}
	for _, layout := range clocks {
		at, err := time.Parse(layout, clock)
		if err != nil {
			continue
		}
		east, ok := offset(rest)
		return day.Add(at.Sub(at.Truncate(24*time.Hour)) - east).UTC(), ok
	}
	return time.Time{}, false
}

// offset reads how far a zone is east of UTC. After an offset, its name may follow.
func offset(words []string) (time.Duration, bool) {
	if len(words) == 0 {
		return 0, true
	}
	name := strings.ToUpper(words[0])
	if rest := strings.TrimPrefix(strings.TrimPrefix(name, "GMT"), "UTC"); rest != name && rest != "" {
		name = rest // GMT+0100
	}
	switch name {
	case "Z", "UTC", "GMT", "UT":
		return 0, len(words) == 1 || name != "Z" && len(words) == 2 && offsetIsZero(words[1])
	}
	if '0' <= name[0] && name[0] <= '9' {
		name = "+" + name // which an address makes a blank of
	}
	for _, layout := range zones {
		if at, err := time.Parse(layout, name); err == nil {
			_, east := at.Zone()
			return time.Duration(east) * time.Second, len(words) <= 2
		}
	}
	return 0, false
}

func offsetIsZero(word string) bool {
	east, ok := offset([]string{word})
	return ok && east == 0
}
