package locale

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// months are the names of the months of each language, long and short.
var months = [columns]struct{ long, short string }{
	{"January February March April May June July August September October November December", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"},
	{"Januar Februar März April Mai Juni Juli August September Oktober November Dezember", "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."},
	{"janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."},
	{"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", "ene feb mar abr may jun jul ago sept oct nov dic"},
	{"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro", "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez."},
	{"1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月", "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"},
}

// Minute returns a time in UTC, to the minute.
func (l Language) Minute(t time.Time) string { return l.written("date_minute", t) }

// Date returns a day in UTC, with its year.
func (l Language) Date(t time.Time) string { return l.written("date_day", t) }

// Day returns a day in UTC, without its year.
func (l Language) Day(t time.Time) string { return l.written("date_short", t) }

// Month returns a month in UTC, with its year.
func (l Language) Month(t time.Time) string { return l.written("date_month", t) }

// Moment returns a time in UTC, to the minute, with the month in full.
func (l Language) Moment(t time.Time) string { return l.written("date_time", t) }

// Time returns a time of day in UTC, to the minute.
func (l Language) Time(t time.Time) string { return l.written("date_time_today", t) }

// written returns a time in the form of a key.
func (l Language) written(key string, t time.Time) string {
	t = t.UTC()
	names, at := months[l.column()], int(t.Month())-1
	return strings.NewReplacer(
		"{d}", strconv.Itoa(t.Day()), "{y}", t.Format("2006"), "{time}", t.Format("15:04"),
		"{long}", strings.Fields(names.long)[at], "{short}", strings.Fields(names.short)[at],
	).Replace(l.Text(key))
}

// Percent returns a share with two digits, rounded down: after any downtime it is below 100%.
func (l Language) Percent(percent float64) string {
	text := fmt.Sprintf("%.2f", float64(int(percent*100))/100)
	text = strings.TrimSuffix(strings.TrimSuffix(text, "0"), ".0")
	return l.Text("percent", strings.Replace(text, ".", l.Text("decimal_point"), 1))
}

// Span returns how long d is, to the second below a minute, then to the minute, and above a day to the hour.
func (l Language) Span(d time.Duration) string {
	const day = 24 * time.Hour
	seconds := (d + time.Second - 1).Truncate(time.Second) // so that nothing lasted 0 seconds
	minutes, hours := d.Round(time.Minute), d.Round(time.Hour)
	switch {
	case seconds < time.Minute:
		return l.Count("seconds", int64(seconds/time.Second))
	case minutes < time.Hour:
		return l.Count("minutes", int64(minutes/time.Minute))
	case minutes < day:
		return l.both("hours", int64(minutes/time.Hour), "minutes", int64(minutes%time.Hour/time.Minute))
	}
	return l.both("days", int64(hours/day), "hours", int64(hours%day/time.Hour))
}

// both returns two counts, or only the first if there is none of the other.
func (l Language) both(large string, n int64, small string, rest int64) string {
	if rest == 0 {
		return l.Count(large, n)
	}
	return l.Count(large, n) + l.Text("span_separator") + l.Count(small, rest)
}

// Took returns how long a response took: in milliseconds, and from a second on in seconds.
func (l Language) Took(d time.Duration) string {
	text := strconv.FormatInt(max(1, d.Round(time.Millisecond).Milliseconds()), 10) + "\u00a0ms"
	if d.Round(time.Millisecond) >= time.Second {
		text = strings.Replace(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".", l.Text("decimal_point"), 1) + "\u00a0s"
	}
	return text
}
