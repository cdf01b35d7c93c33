package cron

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func mustCron(t testing.TB, text string) Schedule {
	t.Helper()
	c, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := TimeZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func utcDay(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// runs are the times of a schedule on the days that a zone's clocks show from the first to the last, both such as
// 2026-03-08.
func runs(t testing.TB, schedule, zone, first, last string) (times []string) {
	t.Helper()
	c, in := mustCron(t, schedule), mustZone(t, zone)
	from, err := time.ParseInLocation(time.DateOnly, first, in)
	if err != nil {
		t.Fatal(err)
	}
	for at := c.Next(from.Add(-3*time.Hour), in); !at.IsZero() && at.Format(time.DateOnly) <= last; at = c.Next(at, in) {
		if at.Format(time.DateOnly) >= first {
			times = append(times, at.Format("01-02 15:04 -0700"))
		}
	}
	return times
}

func TestCronWhenClocksAreMoved(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ schedule, zone, first, last, want string }{
		// The table of design/monitoring.md.
		{"30 2 * * *", "America/New_York", "2026-03-07", "2026-03-09", "03-07 02:30 -0500, 03-08 03:00 -0400, 03-09 02:30 -0400"},
		{"30 1 * * *", "America/New_York", "2026-11-01", "2026-11-02", "11-01 01:30 -0400, 11-02 01:30 -0500"},
		{"0 0-3 * * *", "America/New_York", "2026-11-01", "2026-11-01", "11-01 00:00 -0400, 11-01 01:00 -0400, 11-01 02:00 -0500, 11-01 03:00 -0500"},
		{"5,35 1 * * *", "America/New_York", "2026-11-01", "2026-11-01", "11-01 01:05 -0400, 11-01 01:35 -0400"},
		{"0 */2 * * *", "America/New_York", "2026-03-08", "2026-03-08", "03-08 00:00 -0500, 03-08 04:00 -0400, 03-08 06:00 -0400, 03-08 08:00 -0400, " +
			"03-08 10:00 -0400, 03-08 12:00 -0400, 03-08 14:00 -0400, 03-08 16:00 -0400, 03-08 18:00 -0400, 03-08 20:00 -0400, 03-08 22:00 -0400"},

		{"15,45 2 * * *", "America/New_York", "2026-03-08", "2026-03-08", "03-08 03:00 -0400"},
		{"0 2,3,4 * * *", "America/New_York", "2026-03-08", "2026-03-08", "03-08 03:00 -0400, 03-08 04:00 -0400"},
		{"30 2,3 * * *", "America/New_York", "2026-03-08", "2026-03-08", "03-08 03:00 -0400, 03-08 03:30 -0400"},
		{"*/20 2 * * *", "America/New_York", "2026-03-08", "2026-03-09", "03-09 02:00 -0400, 03-09 02:20 -0400, 03-09 02:40 -0400"},
		{"*/30 1 * * *", "America/New_York", "2026-11-01", "2026-11-01", "11-01 01:00 -0400, 11-01 01:30 -0400, 11-01 01:00 -0500, 11-01 01:30 -0500"},
		{"0 1-2 1 11 *", "America/New_York", "2026-11-01", "2026-11-01", "11-01 01:00 -0400, 11-01 02:00 -0500"},

		// Half an hour.
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-04", "2026-10-05", "10-04 02:30 +1100, 10-05 02:15 +1100"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-05", "2026-04-06", "04-05 01:45 +1100, 04-06 01:45 +1030"},
		{"*/30 1,2 * * *", "Australia/Lord_Howe", "2026-04-05", "2026-04-05", "04-05 01:00 +1100, 04-05 01:30 +1100, 04-05 01:30 +1030, 04-05 02:00 +1030, 04-05 02:30 +1030"},

		// Days without a midnight, or with two.
		{"0 0 * * *", "America/Santiago", "2026-09-05", "2026-09-07", "09-05 00:00 -0400, 09-06 01:00 -0300, 09-07 00:00 -0300"},
		{"30 23 * * *", "America/Santiago", "2026-04-04", "2026-04-05", "04-04 23:30 -0300, 04-05 23:30 -0400"},
		{"0 0 * * *", "Asia/Beirut", "2026-03-28", "2026-03-30", "03-28 00:00 +0200, 03-29 01:00 +0300, 03-30 00:00 +0300"},
		{"@daily", "Africa/Cairo", "2026-04-23", "2026-04-25", "04-23 00:00 +0200, 04-24 01:00 +0300, 04-25 00:00 +0300"},
		{"*/30 0 24 4 */1", "Africa/Cairo", "2026-04-23", "2026-04-25", ""},

		// Winter time that counts as daylight saving time, and the month of Ramadan.
		{"30 1 * * *", "Europe/Dublin", "2026-03-28", "2026-03-30", "03-28 01:30 +0000, 03-29 02:00 +0100, 03-30 01:30 +0100"},
		{"30 1 * * *", "Europe/Dublin", "2026-10-25", "2026-10-26", "10-25 01:30 +0100, 10-26 01:30 +0000"},
		{"30 2 * * *", "Africa/Casablanca", "2026-02-14", "2026-02-16", "02-14 02:30 +0100, 02-15 02:30 +0100, 02-16 02:30 +0000"},
		{"30 2 * * *", "Africa/Casablanca", "2026-03-21", "2026-03-23", "03-21 02:30 +0000, 03-22 03:00 +0100, 03-23 02:30 +0100"},

		// Three hours and more are a correction (cron(8)). Samoa had no 30 December 2011.
		{"0 9 * * *", "Pacific/Apia", "2011-12-28", "2012-01-01", "12-28 09:00 -1000, 12-29 09:00 -1000, 12-31 09:00 +1400, 01-01 09:00 +1400"},
		{"30 22 * * *", "America/Juneau", "1867-10-17", "1867-10-19", "10-17 22:30 +1502, 10-18 22:30 +1502, 10-18 22:30 -0857, 10-19 22:30 -0857"},
		{"30 2 * * *", "Antarctica/Casey", "2009-10-17", "2009-10-19", "10-17 02:30 +0800, 10-19 02:30 +1100"},
		{"30 1 * * *", "Antarctica/Casey", "2010-03-04", "2010-03-06", "03-04 01:30 +1100, 03-05 01:30 +1100, 03-06 01:30 +0800"},
		{"30 2 * * *", "Antarctica/Troll", "2026-03-28", "2026-03-30", "03-28 02:30 +0000, 03-29 03:00 +0200, 03-30 02:30 +0200"},
	} {
		if got := strings.Join(runs(t, c.schedule, c.zone, c.first, c.last), ", "); got != c.want {
			t.Errorf("%s in %s:\n got %s\nwant %s", c.schedule, c.zone, got, c.want)
		}
	}
}

func TestCronEveryHourWhenClocksAreMoved(t *testing.T) {
	t.Parallel()
	for day, want := range map[string]int{"2026-03-08": 23, "2026-11-01": 25, "2026-11-02": 24} {
		for _, schedule := range []string{"0 * * * *", "@hourly", "17 */1 * * *"} {
			if got := runs(t, schedule, "America/New_York", day, day); len(got) != want {
				t.Errorf("%s on %s: %d times, want %d: %v", schedule, day, len(got), want, got)
			}
		}
	}
	both := runs(t, "0 * * * *", "America/New_York", "2026-11-01", "2026-11-01")
	if d := cmp.Diff([]string{"11-01 01:00 -0400", "11-01 01:00 -0500"}, both[1:3]); d != "" {
		t.Error(d)
	}
}

func TestCronDays(t *testing.T) {
	t.Parallel()
	for schedule, want := range map[string]string{
		"0 0 13 * 5":         "01-02 01-09 01-13 01-16 01-23 01-30", // either
		"0 0 13 2,3 */5":     "02-13 03-13",                         // both, as a star begins one
		"0 0 */10 1 1":       "",                                    // no Monday is a 1st, 11th, 21st or 31st of January
		"0 0 1,*/10 1 4":     "01-01 01-08 01-11 01-15 01-21 01-22 01-29 01-31",
		"0 0 L 1-3 *":        "01-31 02-28 03-31",
		"0 0 l,1 1-2 *":      "01-01 01-31 02-01 02-28",
		"0 0 L 1 1":          "01-05 01-12 01-19 01-26 01-31",
		"0 0 * 1-2 5#3":      "01-16 02-20",
		"0 0 * 1-2 fri#5":    "01-30",
		"0 0 * 1-2 5L":       "01-30 02-27",
		"0 0 * 1 SUNl,mon#1": "01-05 01-25",
		"0 0 20 1 7#1,0#2":   "01-04 01-11 01-20",
		"0 0 * jan 7":        "01-04 01-11 01-18 01-25",
		"0 0 * 1 5-7":        "01-02 01-03 01-04 01-09 01-10 01-11 01-16 01-17 01-18 01-23 01-24 01-25 01-30 01-31",
		"0 0 * 1 Mon-wed/2":  "01-05 01-07 01-12 01-14 01-19 01-21 01-26 01-28",
		"@monthly":           "01-01 02-01 03-01 04-01 05-01 06-01 07-01 08-01 09-01 10-01 11-01 12-01",
		"@Annually":          "01-01",
	} {
		if schedule == "0 0 */10 1 1" { // it is in 2027
			want = ""
		}
		var got []string
		for _, at := range runs(t, schedule, "", "2026-01-01", "2026-12-31") {
			if schedule == "0 0 13 * 5" && at >= "02" {
				break
			}
			got = append(got, at[:5])
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", schedule, got, want)
		}
	}
}

func TestCronTimesOfDay(t *testing.T) {
	t.Parallel()
	for schedule, want := range map[string]string{
		"*/20 10 * * *":          "10:00 10:20 10:40",
		"10-30/5 10 * * *":       "10:10 10:15 10:20 10:25 10:30",
		"58-59,0 0,23 * * *":     "00:00 00:58 00:59 23:00 23:58 23:59",
		"\t05  007 \t* * *  ":    "07:05",
		"*/70 */13 * * *":        "00:00 13:00",
		"3-3 0-22/11,5 1-31 * *": "00:03 05:03 11:03 22:03",
	} {
		var got []string
		for _, at := range runs(t, schedule, "", "2026-05-15", "2026-05-15") {
			got = append(got, at[6:11])
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", schedule, got, want)
		}
	}
}

func TestCronIsAsWritten(t *testing.T) {
	t.Parallel()
	if got := mustCron(t, " @Daily ").String(); got != " @Daily " {
		t.Errorf("got %q", got)
	}
}

func TestCronRefused(t *testing.T) {
	t.Parallel()
	for schedule, want := range map[string]string{
		"61 * * * *":                   "minute 61 is not between 0 and 59",
		"* 24 * * *":                   "hour 24 is not between 0 and 23",
		"* * 0 * *":                    "day of month 0 is not between 1 and 31",
		"* * * 13 *":                   "month 13 is not between 1 and 12",
		"* * * * 8":                    "day of week 8 is not between 0 and 7",
		"5-64/30 * * * *":              "minute 64 is not between 0 and 59",
		"99999999999999999999 * * * *": "minute 99999999999999999999 is not between 0 and 59",

		"x * * * *":       "minute x is no number",
		"-1 * * * *":      `minute "" is no number`,
		"+1 * * * *":      "minute +1 is no number",
		"* 1.5 * * *":     "hour 1.5 is no number",
		"*-5 * * * *":     "minute * is no number",
		"?  * * * *":      "minute ? is no number",
		"é * * * *":       `minute "\u00e9" is no number`,
		"* * * Smarch *":  "month Smarch is neither a number nor one of jan, feb, mar, apr, may, jun, jul, aug, sep, oct, nov, dec",
		"* * * * monday":  "day of week monday is neither a number nor one of sun, mon, tue, wed, thu, fri, sat",
		"* jan * * *":     "hour jan is no number",
		"1,,2 * * * *":    "minute 1,,2 has an empty place in its list",
		"* 1, * * *":      "hour 1, has an empty place in its list",
		"*/0 * * * *":     "minute */0 needs a step of 1 or more after the /",
		"*/ * * * *":      "minute */ needs a step of 1 or more after the /",
		"0-9/-1 * * * *":  "minute 0-9/-1 needs a step of 1 or more after the /",
		"*/2/3 * * * *":   "minute */2/3 needs a step of 1 or more after the /",
		"5/10 * * * *":    "minute 5/10 has a step without a range; write 5-59/10, or the number alone",
		"* * * * mon/2":   "day of week mon/2 has a step without a range; write 1-7/2, or the number alone",
		"* 22-3 * * *":    "hour 22-3 ends before it begins; write 22-23,0-3 to go past the end",
		"* * * * fri-mon": "day of week fri-mon ends before it begins; write 5-7,0-1 to go past the end",

		"* * L-3 * *": "day of month L-3 is not known; L alone is the last day of the month",
		"* * 15W * *": "day of month 15W is not known; L alone is the last day of the month",
		"* L * * *":   "hour L is no number",
		"* * * * L":   "day of week L needs a weekday from 0 to 7 or sun to sat, such as 5L for the last Friday of a month",
		"* * * * 8#1": "day of week 8#1 needs a weekday from 0 to 7 or sun to sat, such as 5L for the last Friday of a month",
		"* * * * 5#6": "day of week 5#6 needs a number from 1 to 5 after the #, such as 5#3 for the third Friday of a month",

		"":                               "it is blank; write minute, hour, day of month, month and day of week, such as 30 4 * * *",
		" ":                              "it is blank; write minute, hour, day of month, month and day of week, such as 30 4 * * *",
		"* * * *":                        "it needs five fields: minute, hour, day of month, month and day of week",
		"0 * * * * *":                    "it has six fields; leave out the seconds and write minute, hour, day of month, month and day of week",
		"0 4 * * * root":                 `remove "root": a schedule has neither a user nor a command`,
		"0 4 * * * root /usr/bin/backup": `remove "root /usr/bin/backup": a schedule has neither a user nor a command`,
		"*/5 * * * 1-5 cd /srv && ./job": `remove "cd /srv && ./job": a schedule has neither a user nor a command`,
		"@daily root run-parts":          `remove "root run-parts": a schedule has neither a user nor a command`,
		"TZ=Europe/Berlin 0 4 * * *":     `remove "TZ=Europe/Berlin", and set the time zone to "Europe/Berlin"`,
		"CRON_TZ=UTC 0 4 * * *":          `remove "CRON_TZ=UTC", and set the time zone to "UTC"`,
		"MAILTO=ann@x.test 0 4 * * *":    `remove "MAILTO=ann@x.test": a schedule begins with its minutes`,
		"0 0 12 * * MON":                 "it has six fields; leave out the seconds and write minute, hour, day of month, month and day of week",
		"0 0 * * * * *":                  "it needs five fields: minute, hour, day of month, month and day of week",
		"@reboot":                        "it names no time at which a report could be expected; write when the job runs",
		"@every":                         "it is not known; allowed are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually",
		"0 * 31 2 *":                     "it never happens: no month that it names has a day 31",
		"*/5 2 30 2 *":                   "it never happens: no month that it names has a day 30",
		"0 0 30 2 *":                     "it never happens: no month that it names has a day 30",
		"0 0 31 2-4/2 *":                 "it never happens: no month that it names has a day 31",
		"0 0 */31 * 1#2":                 "it never happens: its days of the month never fall on its days of the week",
		"0 0 8-31 * */8,":                "day of week */8, has an empty place in its list",
	} {
		_, err := Parse(schedule)
		want := `"` + strings.ReplaceAll(schedule, "\t", `\t`) + `": ` + want
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := Parse(strings.Repeat(" ", 247) + "* * * * *"); err == nil || err.Error() != "is too long (maximum is 255 bytes)" {
		t.Errorf("got %v", err)
	}
	if _, err := Parse(strings.Repeat(" ", 246) + "* * * * *"); err != nil {
		t.Error(err)
	}
}

// Next looks as far ahead as the rarest date is away.
func TestCronWaitsForRareDates(t *testing.T) {
	t.Parallel()
	for _, weekday := range weekdayNames {
		c := mustCron(t, "0 0 29 2 */1,"+weekday)
		c.weekdays = mustCron(t, "0 0 * * "+weekday).weekdays
		n, at := 0, time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)
		for at = c.Next(at, time.UTC); at.Year() < 2400 && !at.IsZero(); at = c.Next(at, time.UTC) {
			n++
		}
		if n < 13 || n > 15 || at.IsZero() {
			t.Errorf("29 February is a %s %d times in 400 years, the next time %v", weekday, n, at)
		}
	}
	// A Monday, 29 February, before and after a year that is no leap year.
	at := time.Date(2072, 2, 29, 12, 0, 0, 0, time.UTC)
	if got := mustCron(t, "0 12 * 2 mon#5").Next(at, time.UTC); !got.Equal(time.Date(2112, 2, 29, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("got %v", got)
	}
}

func TestCronEnds(t *testing.T) {
	t.Parallel()
	// Every second Sunday of March at two, as often as the clock shows it: never in New York, where it is then three.
	c := mustCron(t, "*/5 2 8-14 3 */7")
	if got := c.Next(utcDay(2026, 1, 1), mustZone(t, "America/New_York")); !got.IsZero() {
		t.Errorf("in New York: %v", got)
	}
	if got := c.Next(utcDay(2026, 1, 1), time.UTC); !got.Equal(utcDay(2026, 3, 8).Add(2 * time.Hour)) {
		t.Errorf("in UTC: %v", got)
	}
	for _, at := range []time.Time{time.Unix(1<<62, 0), time.Unix(-1<<62, 0), utcDay(10000, 1, 1), utcDay(0, 12, 31)} {
		if got := mustCron(t, "* * * * *").Next(at, time.UTC); !got.IsZero() {
			t.Errorf("after %v: %v", at, got)
		}
	}
}

// Seconds and the zone that a time is given in do not matter.
func TestCronNextIsAWholeMinute(t *testing.T) {
	t.Parallel()
	zone := mustZone(t, "Asia/Kathmandu") // 5:45 ahead
	c := mustCron(t, "30 12 * * *")
	want := time.Date(2026, 6, 1, 6, 45, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		at := want.Add(-time.Duration(rapid.Int64Range(1, int64(24*time.Hour)).Draw(t, "before")))
		if got := c.Next(at.In(time.FixedZone("", 3600)), zone); !got.Equal(want) || got.Location() != zone {
			t.Fatalf("after %v: %v", at, got)
		}
	})
	if got := c.Next(want, zone); !got.Equal(want.Add(24 * time.Hour)) {
		t.Errorf("after itself: %v", got)
	}
}

// A report in the second of two hours expects nothing more of what the first one had.
func TestCronAskedInTheRepeatedHour(t *testing.T) {
	t.Parallel()
	zone := mustZone(t, "America/New_York")
	again := time.Date(2026, 11, 1, 6, 10, 0, 0, time.UTC) // 01:10 for the second time
	for schedule, want := range map[string]string{
		"30 1 * * *":     "2026-11-02T01:30:00-05:00",
		"0,30 1,2 * * *": "2026-11-01T02:00:00-05:00",
		"30 * * * *":     "2026-11-01T01:30:00-05:00",
	} {
		if got := mustCron(t, schedule).Next(again, zone).Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", schedule, got, want)
		}
	}
}
