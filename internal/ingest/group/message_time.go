package group

import "strings"

// timeEnd ends a date, a time of day, or both, in the forms of ISO 8601, RFC 1123, RFC 850, asctime and access logs, with
// their zone. Hours and minutes alone do not count: they may be a line and a column.
func timeEnd(s string, at int) int {
	c := cursor{s, at}
	if !isDigit(s[at]) && !isWeekday(c.word()) && !isMonth(c.word()) {
		return 0
	}
	dated, wantsYear := c.date()
	if !dated {
		kind := c.clock()
		if zoned := kind != noClock && c.zone(); zoned || kind == withSeconds {
			return c.at
		}
		return 0
	}
	end := c.at
	c.skip(" ,:T")
	if c.clock() == noClock {
		return end
	}
	for c.zone() {
	}
	if year := c; wantsYear && year.one(" ") && year.digits(4, 4) {
		c = year
	}
	return c.at
}

// cursor is a place in a text. Its methods move it over what they know, and leave it where it is otherwise.
type cursor struct {
	s  string
	at int
}

// date reads a day, and reports whether its year may follow the time of day, as in "Oct  7 21:12:40 2026".
func (c *cursor) date() (ok, wantsYear bool) {
	start := *c
	if isWeekday(c.word()) {
		c.at += len(c.word())
		c.skip(", ")
	}
	afterWeekday := *c
	if c.numericDate() {
		return true, false
	}
	*c = afterWeekday
	if c.digits(1, 2) && c.one(" -/") && c.month() && c.one(" -/") && c.digits(2, 4) {
		return true, false
	}
	*c = afterWeekday
	if !c.month() || !c.one(" ") {
		*c = start
		return false, false
	}
	c.skip(" ")
	if !c.digits(1, 2) {
		*c = start
		return false, false
	}
	year := *c
	year.skip(", ")
	if year.digits(4, 4) {
		*c = year
		return true, false
	}
	return true, true
}

// numericDate reads "2026-10-07" or "2026/10/07"; where it fails, its caller goes back.
func (c *cursor) numericDate() bool {
	if !c.digits(4, 4) || c.at == len(c.s) {
		return false
	}
	separator := c.s[c.at : c.at+1]
	return (separator == "-" || separator == "/") &&
		c.one(separator) && c.digits(1, 2) && c.one(separator) && c.digits(1, 2)
}

type clock int

const (
	noClock     clock = iota
	withMinutes       // "9:15"
	withSeconds       // "9:15:00", "09:15:00.123", "9:15 PM"
)

func (c *cursor) clock() clock {
	t := *c
	if !t.digits(1, 2) || !t.one(":") || !t.digits(2, 2) {
		return noClock
	}
	kind := withMinutes
	if seconds := t; seconds.one(":") && seconds.digits(2, 2) {
		t, kind = seconds, withSeconds
		if fraction := t; fraction.one(".,") && fraction.digits(1, 9) {
			t = fraction
		}
	}
	half := t
	half.skip(" ")
	switch half.word() {
	case "AM", "PM", "am", "pm":
		half.at += 2
		t, kind = half, withSeconds
	}
	*c = t
	return kind
}

// zone reads "Z", " UTC", "+02:00", " +0200" and their like.
func (c *cursor) zone() bool {
	z := *c
	z.skip(" ")
	switch word := z.word(); word {
	case "Z", "UTC", "GMT", "CET", "CEST", "EST", "EDT", "CST", "CDT", "MST", "MDT", "PST", "PDT":
		z.at += len(word)
		*c = z
		return true
	}
	if !z.one("+-") {
		return false
	}
	if short := z; short.digits(4, 4) {
		*c = short
		return true
	}
	if !z.digits(2, 2) || !z.one(":") || !z.digits(2, 2) {
		return false
	}
	*c = z
	return true
}

// word is the letters that come next, which are not part of a longer word.
func (c *cursor) word() string {
	const longest = len("Wednesday")
	end := c.at
	for end < len(c.s) && isLetter(c.s[end]) && end-c.at <= longest {
		end++
	}
	if alnumAt(c.s, end) {
		return ""
	}
	return c.s[c.at:end]
}

func (c *cursor) month() bool {
	word := c.word()
	if !isMonth(word) {
		return false
	}
	c.at += len(word)
	return true
}

// digits reads a whole run of digits, as long as that.
func (c *cursor) digits(least, most int) bool {
	n := 0
	for n <= most && c.at+n < len(c.s) && isDigit(c.s[c.at+n]) {
		n++
	}
	if n < least || n > most {
		return false
	}
	c.at += n
	return true
}

// one reads one character of the set.
func (c *cursor) one(set string) bool {
	if c.at == len(c.s) || strings.IndexByte(set, c.s[c.at]) < 0 {
		return false
	}
	c.at++
	return true
}

// skip reads up to three characters of the set.
func (c *cursor) skip(set string) {
	for range 3 {
		c.one(set)
	}
}

func isWeekday(word string) bool {
	switch word {
	case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun",
		"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday":
		return true
	}
	return false
}

func isMonth(word string) bool {
	switch word {
	case "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
		"January", "February", "March", "April", "June", "July", "August", "September", "October", "November",
		"December":
		return true
	}
	return false
}
