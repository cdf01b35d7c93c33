package stats

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

func TestParseReportBound(t *testing.T) {
	t.Parallel()
	at := func(text string) time.Time {
		moment, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return moment.UTC()
	}
	moment := at("2026-11-18T10:30:00Z")
	for text, want := range map[string]ReportBound{
		"2026-11-18":                    {at("2026-11-18T00:00:00Z"), at("2026-11-19T00:00:00Z")},
		"2026-11-18T10:30:00Z":          {moment, moment},
		"2026-11-18T10:30:00.000000Z":   {moment, moment},
		"2026-11-18T11:30:00+01:00":     {moment, moment},
		"2026-11-18T11:30:00 01:00":     {moment, moment},
		"2026-11-18T11:30:00+0100":      {moment, moment},
		"2026-11-18T05:30-05:00":        {moment, moment},
		"2026-11-18T10:30:00":           {moment, moment},
		"2026-11-18T10:30":              {moment, moment},
		"1794997800":                    {moment, moment},
		"1794997800000":                 {moment, moment},
		"20261118":                      {at("2026-11-18T00:00:00Z"), at("2026-11-19T00:00:00Z")},
		"20261118T103000Z":              {moment, moment},
		"20261118T1030":                 {moment, moment},
		"0":                             {time.Unix(0, 0).UTC(), time.Unix(0, 0).UTC()},
		"9999-12-31":                    {at("9999-12-31T00:00:00Z"), at("9999-12-31T00:00:00Z").AddDate(0, 0, 1)},
		"2026-11-18T00:00:00.000+00:00": {at("2026-11-18T00:00:00Z"), at("2026-11-18T00:00:00Z")},
	} {
		got, err := ParseReportBound(text)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	const refusal = "must be a date such as 2026-11-18, a time such as 2026-11-18T10:30:00Z, or seconds since 1970, such as 1795000000"
	for _, text := range []string{"", "x", "-1", "2026-11", "2026-13-01", "2026-02-29", "18.11.2026", "2026-11-18T25:00:00Z", "1969-12-31", "20261301", "99999999", "today"} {
		if _, err := ParseReportBound(text); err == nil || err.Error() != refusal {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestNewReportSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		start, stop string
		from, to    string
		problem     string
	}{
		{from: "2026-11-12T00", to: "2026-11-18T11"},
		{stop: "2026-11-18", from: "2026-11-12T00", to: "2026-11-19T00"},
		{stop: "2026-11-18T00:00:00Z", from: "2026-11-11T00", to: "2026-11-18T00"},
		{start: "2026-11-18", from: "2026-11-18T00", to: "2026-11-18T11"},
		{start: "2026-11-17", stop: "2026-11-17", from: "2026-11-17T00", to: "2026-11-18T00"},
		{start: "2026-11-17T09:59:59Z", stop: "2026-11-17T10:00:01Z", from: "2026-11-17T09", to: "2026-11-17T11"},
		{start: "2026-11-17T09:00:00Z", stop: "2026-11-17T10:00:00Z", from: "2026-11-17T09", to: "2026-11-17T10"},
		{start: "2026-11-17T09:00:00Z", stop: "2026-11-17T09:00:00Z", from: "2026-11-17T09", to: "2026-11-17T09"},
		{start: "2026-11-17T09:00:00+05:30", stop: "2026-11-17T05:00:00", from: "2026-11-17T03", to: "2026-11-17T05"},
		{start: "2026-11-19", stop: "2026-11-17", problem: "start must not be after stop, which is now unless it is given"},
		{start: "2026-11-18", stop: "2026-11-17", problem: "start must not be after stop, which is now unless it is given"},
		{start: "2026-11-17T23:00:00Z", stop: "2026-11-17", from: "2026-11-17T23", to: "2026-11-18T00"},
		{start: "2026-11-19", problem: "start must not be after stop, which is now unless it is given"},
		{start: "1970-01-01", from: "1970-01-01T00", to: "2026-11-18T11"},
		{start: "1970-01-01", stop: "9999-12-31", from: "1970-01-01T00", to: "10000-01-01T00"},
	} {
		var problems sett.Problems
		bound := func(text string) (b ReportBound) {
			if text != "" {
				var err error
				if b, err = ParseReportBound(text); err != nil {
					t.Fatal(err)
				}
			}
			return b
		}
		span := NewReportSpan(&problems, bound(c.start), bound(c.stop), now)
		if c.problem != "" {
			if diff := cmp.Diff(sett.Problems{c.problem}, problems); diff != "" {
				t.Errorf("%s to %s (-want +got):\n%s", c.start, c.stop, diff)
			}
			continue
		}
		const hours = "2006-01-02T15"
		if got := [2]string{span.From.Format(hours), span.To.Format(hours)}; got != [2]string{c.from, c.to} || problems != nil {
			t.Errorf("%s to %s: %v, %v", c.start, c.stop, got, problems)
		}
	}
}

// Whatever hours have notices, the days of a report add up to all of them within the span, in at most so many rows.
func TestDaysOfAReport(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from := time.Unix(3600*rapid.Int64Range(0, 1e6).Draw(t, "from"), 0).UTC()
		hours := rapid.IntRange(0, 24*30).Draw(t, "hours")
		span := ReportSpan{from, from.Add(time.Duration(hours) * time.Hour)}
		counts, sum := map[int64]int64{}, int64(0)
		for _, h := range rapid.SliceOf(rapid.IntRange(0, 24*30)).Draw(t, "with notices") {
			if h < hours {
				counts[from.Add(time.Duration(h)*time.Hour).Unix()]++
				sum++
			}
		}
		rows := span.Days(counts)
		for i, row := range rows {
			if want := accounts.Day(from).AddDate(0, 0, i).Format("2006-01-02") + "T00:00:00.000000+00:00"; row.Label != want {
				t.Fatalf("row %d is labelled %s, want %s", i, row.Label, want)
			}
			sum -= row.Count
		}
		if most := hours/24 + 2; sum != 0 || len(rows) > most || hours > 0 && len(rows) == 0 {
			t.Fatalf("%d notices are missing from %d rows of %d hours", sum, len(rows), hours)
		}
	})
}

// A report by day shows every day of ten years, and of a longer time those that can have notices.
func TestShownPartOfAReport(t *testing.T) {
	t.Parallel()
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC) }
	recorded := ReportSpan{day(2025), day(2026)}
	for whole, want := range map[ReportSpan]int{
		{day(2017), day(2027)}:  3652,
		{day(1970), day(2027)}:  365,
		{day(1970), day(10000)}: 365,
	} {
		if got := len(whole.Shown(recorded).Days(nil)); got != want {
			t.Errorf("%v has %d rows, want %d", whole, got, want)
		}
	}
}

func TestNewUptimeSpan(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)
	day := func(month time.Month, n int) time.Time { return time.Date(2026, month, n, 0, 0, 0, 0, time.UTC) }
	for _, tt := range []struct {
		from, to string
		want     UptimeSpan
		problem  string
	}{
		{"", "", UptimeSpan{day(10, 20), day(11, 19)}, ""},
		{"2026-11-18", "", UptimeSpan{day(11, 18), day(11, 19)}, ""},
		{"2026-11-17T23:59:59Z", "2026-11-18T00:00:01Z", UptimeSpan{day(11, 17), day(11, 19)}, ""},
		{"2026-11-16", "2026-11-18T00:00:00Z", UptimeSpan{day(11, 16), day(11, 18)}, ""}, // the moment in which the day begins is none of it
		{"2026-11-18T23:00:00-02:00", "2026-11-20", UptimeSpan{day(11, 19), day(11, 21)}, ""},
		{"", "2026-12-31", UptimeSpan{day(12, 2), day(13, 1)}, ""}, // days to come are empty
		{"2025-11-18", "", UptimeSpan{day(-1, 18), day(11, 19)}, ""},
		{"", "9999-12-30", UptimeSpan{time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)}, ""},
		{"", "9999-12-31", UptimeSpan{}, "to must be before 9999-12-31"},
		{"2025-11-17", "", UptimeSpan{}, "from must be at most 366 days before to, which is now unless it is given"},
		{"2026-11-19", "", UptimeSpan{}, "from must not be after to, which is now unless it is given"},
		{"2026-11-18T12:00:00Z", "2026-11-18T11:00:00Z", UptimeSpan{}, "from must not be after to, which is now unless it is given"},
		{"2026-11-18T12:00:00Z", "2026-11-18", UptimeSpan{day(11, 18), day(11, 19)}, ""},
	} {
		bound := func(text string) (b ReportBound) {
			if text != "" {
				var err error
				if b, err = ParseReportBound(text); err != nil {
					t.Fatal(err)
				}
			}
			return b
		}
		var problems sett.Problems
		got := NewUptimeSpan(&problems, bound(tt.from), bound(tt.to), now)
		switch {
		case tt.problem != "" && (len(problems) != 1 || problems[0] != tt.problem):
			t.Errorf("%s to %s: %q, want %q", tt.from, tt.to, problems, tt.problem)
		case tt.problem == "" && (problems != nil || cmp.Diff(tt.want, got) != ""):
			t.Errorf("%s to %s: %q (-want +got):\n%s", tt.from, tt.to, problems, cmp.Diff(tt.want, got))
		}
	}
}
