package insight

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// interval is a number of units of time: s, m, h, d, w, M for months or y for years.
type interval struct {
	n    int
	unit string
}

// length returns how long the interval is; 0: it follows the calendar.
func (i interval) length() time.Duration { return time.Duration(i.n) * units[i.unit] }

func (i interval) String() string { return strconv.Itoa(i.n) + i.unit }

// calendar are the units that follow the calendar.
var calendar = map[string]string{"M": "M", "month": "M", "months": "M", "y": "y", "year": "y", "years": "y"}

// interval reads an interval, such as 5m or 1 hour.
func (p *parser) interval() (i interval, err error) {
	t := p.next()
	text := t.text
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(text[len(number):])
	if t.kind == numberToken && p.peek().kind == wordToken {
		unit = p.next().text
	}
	n, wrong := strconv.Atoi(number)
	switch {
	case calendar[unit] != "":
		unit = calendar[unit]
	case strings.EqualFold(unit, "ms"):
		unit = "ms"
	default:
		if unit = strings.ToLower(unit); len(unit) > 1 {
			unit = strings.TrimSuffix(unit, "s")
		}
	}
	if _, known := units[unit]; t.kind != numberToken && t.kind != durationToken && t.kind != textToken || wrong != nil || n < 1 || n > 1e6 || !known && calendar[unit] == "" {
		return i, queryProblem(t.at, "a step from 1s to 7d is expected, such as 5m or 1h, not %s.", t)
	}
	if len(unit) > 1 && unit != "ms" {
		unit = unit[:1]
	}
	return interval{n, unit}, nil
}

// startOf returns the start of the interval that a time is in. Longer ones than an hour begin as the calendar of the zone says; weeks begin on Monday.
func startOf(at time.Time, i interval) time.Time {
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, at.Location())
	switch {
	case i.unit == "y":
		return time.Date(at.Year()-at.Year()%i.n, 1, 1, 0, 0, 0, 0, at.Location())
	case i.unit == "M":
		months := at.Year()*12 + int(at.Month()) - 1
		months -= months % i.n
		return time.Date(months/12, time.Month(months%12+1), 1, 0, 0, 0, 0, at.Location())
	case i.unit == "w" && i.n == 1:
		return day.AddDate(0, 0, -(int(at.Weekday())+6)%7)
	case i.unit == "d" && i.n == 1:
		return day
	}
	return time.UnixMicro((&By{Step: i.length().Microseconds(), Zone: at.Location()}).start(at.UnixMicro())).In(at.Location())
}

// endOf returns the last microsecond of the interval.
func endOf(at time.Time, i interval) time.Time {
	start := startOf(at, i)
	switch i.unit {
	case "y":
		return start.AddDate(i.n, 0, 0).Add(-time.Microsecond)
	case "M":
		return start.AddDate(0, i.n, 0).Add(-time.Microsecond)
	case "d":
		return start.AddDate(0, 0, i.n).Add(-time.Microsecond)
	case "w":
		return start.AddDate(0, 0, 7*i.n).Add(-time.Microsecond)
	}
	return start.Add(i.length()).Add(-time.Microsecond)
}

// ofTime calculates with a time; null with anything else.
func ofTime(calc func(e *env, at int64) Value) func(e *env, a []Value) Value {
	return func(e *env, a []Value) Value {
		at, ok := e.time(a[0])
		if !ok {
			return Value{}
		}
		return calc(e, at.UnixMicro())
	}
}

func timeFunctions() []function {
	part := func(name, about string, of func(at time.Time) int) function {
		return function{name: name, usage: name + "([t])", about: about, example: "stats count() as n by " + name + "(@ts) as part", kind: kindTime, most: 1, read: readOfTime(name, func(e *env, at time.Time) Value { return NumberValue(float64(of(at))) })}
	}
	return []function{
		{name: "bin", usage: "bin([interval[, t]])", about: "the start of the step of time; without an interval, there are about 100 steps", example: `stats count() by bin(1h)`, kind: kindTime, read: readBin},
		part("toHour", "the hour, from 0 to 23", time.Time.Hour),
		part("toDay", "the day of the month", time.Time.Day),
		part("toDayOfWeek", "the day of the week; 1 is Monday", func(at time.Time) int { return (int(at.Weekday())+6)%7 + 1 }),
		part("toYear", "the year", time.Time.Year),
		{name: "now", usage: "now()", about: "the end of the time of the query", example: `fields now() as t`, kind: kindTime, read: readMoment(func(s *scope) int64 { return s.to })},
		{name: "toStartOf", usage: "toStartOf(interval[, t])", about: "the start of the minute, hour, day, week or month", example: `stats count() by toStartOf(1w) as week`, kind: kindTime, read: readEdge("toStartOf", startOf)},
		{name: "toEndOf", usage: "toEndOf(interval[, t])", about: "the end of it", example: `fields toEndOf(1d) as midnight`, kind: kindTime, read: readEdge("toEndOf", endOf)},
		{name: "toTimezone", usage: `toTimezone(t, "zone")`, about: "the time of a time zone, as a text", example: `fields toTimezone(@ts, "Europe/Berlin") as there`, kind: kindTime, least: 2, most: 2, read: readZone},
		{name: "formatDate", usage: `formatDate("format"[, t])`, about: "the time in a form such as `%Y-%m-%d %H:%i:%S`", example: `fields formatDate("%d.%m.%Y", @ts) as day`, kind: kindTime, least: 1, most: 2, read: readFormat},
	}
}

// eventTime returns the expression of the time of an event.
func (p *parser) eventTime(at token) (*expr, error) {
	if p.table() {
		return nil, queryProblem(at.at, "behind stats, rows have no time of their own. Name the column of a time.")
	}
	p.virtual(atTime)
	return virtualExpr(atTime, at.at), nil
}

// optionalTime reads the time that a function is of, and the closing parenthesis. Without one, that of the event is meant.
func (p *parser) optionalTime(f *function, more bool) (x *expr, err error) {
	t := p.peek()
	if more {
		x, err = p.sum()
	} else {
		x, err = p.eventTime(t)
	}
	if err != nil {
		return nil, err
	}
	return x, p.expect(")", f.says())
}

func readOfTime(name string, calc func(e *env, at time.Time) Value) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		of, err := p.optionalTime(functionByName[strings.ToLower(name)], !p.peek().is(")"))
		if err != nil {
			return nil, err
		}
		return p.made(from, func(e *env, a []Value) Value {
			at, ok := e.time(a[0])
			if !ok {
				return Value{}
			}
			return calc(e, at)
		}, of)
	}
}

func readMoment(of func(s *scope) int64) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		if err := p.expect(")", "a closing parenthesis is missing."); err != nil {
			return nil, err
		}
		x, err := p.made(from, func(e *env, _ []Value) Value { return momentValue(of(e.scope)) })
		if err == nil {
			x.rowly = true
		}
		return x, err
	}
}

func readEdge(name string, edge func(time.Time, interval) time.Time) func(p *parser, from int) (*expr, error) {
	return func(p *parser, from int) (*expr, error) {
		i, err := p.interval()
		if err != nil {
			return nil, err
		}
		of, err := p.optionalTime(functionByName[strings.ToLower(name)], p.accept(","))
		if err != nil {
			return nil, err
		}
		return p.made(from, func(e *env, a []Value) Value {
			at, ok := e.time(a[0])
			if !ok {
				return Value{}
			}
			return momentValue(edge(at, i).UnixMicro())
		}, of)
	}
}

// readBin reads bin(5m), bin(5m, t), or bin(), whose step depends on the time of the query.
func readBin(p *parser, from int) (*expr, error) {
	t := p.peek()
	if t.is(")") {
		of, err := p.optionalTime(functionByName["bin"], false)
		if err != nil {
			return nil, err
		}
		return p.binOf(from, of, autoStep)
	}
	i, err := p.interval()
	if err != nil {
		return nil, err
	}
	of, err := p.optionalTime(functionByName["bin"], p.accept(","))
	if err != nil {
		return nil, err
	}
	if calendar[i.unit] != "" && i.n == 1 && i.unit == "M" {
		return p.made(from, ofTime(func(e *env, at int64) Value {
			return momentValue(startOf(time.UnixMicro(at).In(e.zone), i).UnixMicro())
		}), of)
	}
	if i.length() < leastStep || i.length() > mostStep {
		return nil, queryProblem(t.at, "a step from 1s to 7d is expected, such as 5m or 1h, not %s.", t)
	}
	return p.binOf(from, of, i.length().Microseconds())
}

func (p *parser) binOf(from int, of *expr, step int64) (*expr, error) {
	x, err := p.made(from, ofTime(func(e *env, at int64) Value {
		b := By{Step: step, Zone: e.zone}
		if step == autoStep {
			b.Step = e.auto
		}
		return momentValue(b.start(at))
	}), of)
	if err == nil && of.name == atTime && of.rowly {
		x.step = step
	}
	return x, err
}

func readZone(p *parser, from int) (*expr, error) {
	of, err := p.sum()
	if err != nil {
		return nil, err
	}
	f := functionByName["totimezone"]
	if err := p.expect(",", f.says()); err != nil {
		return nil, err
	}
	t := p.peek()
	name, err := p.text()
	if err != nil {
		return nil, err
	}
	zone, wrong := time.LoadLocation(name)
	if wrong != nil || name == "" || name == "Local" {
		return nil, queryProblem(t.at, "%s is no time zone. Write it as in \"Europe/Berlin\".", t)
	}
	if err := p.expect(")", f.says()); err != nil {
		return nil, err
	}
	return p.made(from, ofTime(func(_ *env, at int64) Value {
		return textValue(time.UnixMicro(at).In(zone).Format(StepLayout))
	}), of)
}

// dateParts are what a % in a format stands for.
var dateParts = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'h': "03", 'I': "03", 'i': "04", 'M': "January", 'b': "Jan", 'S': "05", 's': "05",
	'p': "PM", 'a': "Mon", 'W': "Monday", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04", 'D': "01/02/06", 'z': "-0700", 'f': ".000000",
}

func readFormat(p *parser, from int) (*expr, error) {
	f := functionByName["formatdate"]
	t := p.peek()
	format, err := p.text()
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		if i++; i == len(format) || format[i] != '%' && dateParts[format[i]] == "" {
			return nil, queryProblem(t.at, "the format has a %% with an unknown letter. Use %%Y, %%m, %%d, %%H, %%i, %%S and others of the manual.")
		}
	}
	of, err := p.optionalTime(f, p.accept(","))
	if err != nil {
		return nil, err
	}
	return p.made(from, ofTime(func(e *env, at int64) Value {
		return textValue(formatTime(time.UnixMicro(at).In(e.zone), format))
	}), of)
}

func formatTime(at time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] != '%':
			b.WriteByte(format[i])
			continue
		case i+1 < len(format) && format[i+1] == '%':
			b.WriteByte('%')
		case i+1 < len(format):
			fmt.Fprint(&b, strings.TrimPrefix(at.Format(dateParts[format[i+1]]), "."))
		}
		i++
	}
	return b.String()
}
