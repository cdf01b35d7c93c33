package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fieldRule is one of the five fields of a schedule.
type fieldRule struct {
	name      string
	low, high int
	names     []string // of low and what follows, in lower case
	set       func(c *Schedule, bits uint64)
	special   func(f fieldRule, c *Schedule, item string) (taken bool, problem string) // an item that no other field has
}

var (
	monthNames   = []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}
	weekdayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}
)

// fieldRules are the fields in their order.
var fieldRules = [5]fieldRule{
	{name: "minute", high: 59, set: func(c *Schedule, bits uint64) { c.minutes |= bits }},
	{name: "hour", high: 23, set: func(c *Schedule, bits uint64) { c.hours |= bits }},
	{name: "day of month", low: 1, high: 31, set: func(c *Schedule, bits uint64) { c.days |= bits }, special: lastDayItem},
	{name: "month", low: 1, high: 12, names: monthNames, set: func(c *Schedule, bits uint64) { c.months |= bits }},
	// Sunday is 0 and 7.
	{name: "day of week", high: 7, names: weekdayNames, set: func(c *Schedule, bits uint64) { c.weekdays |= (bits | bits>>7) & 0x7f }, special: nthWeekdayItem},
}

// parse adds what a field says to a schedule, or says what is wrong with the field.
func (f fieldRule) parse(c *Schedule, text string) (problem string) {
	for item := range strings.SplitSeq(text, ",") {
		if item == "" {
			return fmt.Sprintf("%s %s has an empty place in its list", f.name, shownItem(text))
		}
		if f.special != nil {
			if taken, problem := f.special(f, c, item); problem != "" {
				return f.name + " " + shownItem(item) + " " + problem
			} else if taken {
				continue
			}
		}
		bits, problem := f.item(item)
		if problem != "" {
			return problem
		}
		f.set(c, bits)
	}
	return ""
}

// item reads a number, a range or a star, the latter two with or without a step.
func (f fieldRule) item(item string) (bits uint64, problem string) {
	span, stepText, stepped := strings.Cut(item, "/")
	step := 1
	if stepped {
		var ok bool
		if step, ok = number(stepText); !ok || step == 0 {
			return 0, fmt.Sprintf("%s %s needs a step of 1 or more after the /", f.name, shownItem(item))
		}
	}
	first, last, problem := f.span(span)
	switch {
	case problem != "":
		return 0, problem
	case stepped && first == last && !strings.Contains(span, "-"):
		// Debian's cron refuses it, others read it as a range to the end.
		return 0, fmt.Sprintf("%s %s has a step without a range; write %d-%d/%d, or the number alone", f.name, shownItem(item), first, f.high, step)
	case last < first:
		return 0, fmt.Sprintf("%s %s ends before it begins; write %d-%d,%d-%d to go past the end", f.name, shownItem(item), first, f.high, f.low, last)
	}
	for ; first <= last; first += step {
		bits |= 1 << first
	}
	return bits, ""
}

// span reads a star, a range or a number.
func (f fieldRule) span(text string) (first, last int, problem string) {
	if text == "*" {
		return f.low, f.high, ""
	}
	from, to, isRange := strings.Cut(text, "-")
	first, problem = f.value(from)
	if problem != "" || !isRange {
		return first, first, problem
	}
	last, problem = f.value(to)
	return first, last, problem
}

// value reads a number or a name.
func (f fieldRule) value(text string) (value int, problem string) {
	if i := slices.Index(f.names, strings.ToLower(text)); i >= 0 {
		return f.low + i, ""
	}
	n, ok := number(text)
	switch {
	case !ok && f.names != nil:
		return 0, fmt.Sprintf("%s %s is neither a number nor one of %s", f.name, shownItem(text), strings.Join(f.names, ", "))
	case !ok:
		return 0, fmt.Sprintf("%s %s is no number", f.name, shownItem(text))
	case n < f.low || n > f.high:
		return 0, fmt.Sprintf("%s %s is not between %d and %d", f.name, text, f.low, f.high)
	}
	return n, ""
}

// lastDayItem reads L, the last day of the month.
func lastDayItem(_ fieldRule, c *Schedule, item string) (taken bool, problem string) {
	item = strings.ToLower(item)
	if item == "l" {
		c.lastDay = true
		return true, ""
	}
	if strings.HasPrefix(item, "l") || strings.HasSuffix(item, "w") {
		return false, "is not known; L alone is the last day of the month"
	}
	return false, ""
}

// nthWeekdayItem reads 5#3, the third Friday of the month, and 5L, the last one.
func nthWeekdayItem(f fieldRule, c *Schedule, item string) (taken bool, problem string) {
	day, nth, counted := strings.Cut(item, "#")
	if !counted {
		if day, counted = strings.CutSuffix(strings.ToLower(item), "l"); !counted {
			return false, ""
		}
		nth = strconv.Itoa(lastOfMonth)
	} else if len(nth) != 1 || nth < "1" || nth > "5" {
		return false, "needs a number from 1 to 5 after the #, such as 5#3 for the third Friday of a month"
	}
	weekday, problem := f.value(day)
	if problem != "" {
		return false, "needs a weekday from 0 to 7 or sun to sat, such as 5L for the last Friday of a month"
	}
	c.nth[weekday%7] |= 1 << (nth[0] - '0')
	return true, ""
}

// number reads decimal digits. A number past all fields is as good as any larger one.
func number(text string) (n int, ok bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1 << 30, true
	}
	return n, true
}

// shownItem is a part of a schedule as an error repeats it: bare where it cannot be misread.
func shownItem(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return strconv.QuoteToASCII(text)
	}
	return text
}
