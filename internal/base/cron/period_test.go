package cron

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParsePeriod(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for text, want := range map[string]Period{
		"":              {},
		" \t":           {},
		"0":             {},
		"0 hours":       {},
		"0 months":      {},
		"5":             {Length: 5 * time.Minute},
		"1440":          {Length: day},
		"1 minute":      {Length: time.Minute},
		"30 minutes":    {Length: 30 * time.Minute},
		"2 hour":        {Length: 2 * time.Hour},
		" 1\t DAYS ":    {Length: day},
		"3Weeks":        {Length: 21 * day},
		"007 days":      {Length: 7 * day},
		"1 month":       {Months: 1},
		"12 Months":     {Months: 12},
		"366 days":      {Length: 366 * day},
		"52 weeks":      {Length: 364 * day},
		"527040":        {Length: 366 * day},
		"8784 hours":    {Length: 366 * day},
		"525600 minute": {Length: 365 * day},
	} {
		if got, err := ParsePeriod(text); err != nil || got != want || got.IsZero() != (want == Period{}) {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParsePeriodRefuses(t *testing.T) {
	t.Parallel()
	const (
		form = ` is not a duration; write a number of minutes, hours, days, weeks or months, such as "30 minutes"`
		long = " is too long (maximum is 12 months or 366 days)"
	)
	for text, want := range map[string]string{
		"hour": form, "an hour": form, "-5 minutes": form, "+5": form, "1.5 hours": form, "5 parsecs": form, "5 s": form, "5 minutess": form,
		"1 hour 30 minutes": form, "1 second": form, "1 year": form, "00:00:00": form, "٣ days": form, "5\n": form, "\xff": form,
		"13 months": long, "367 days": long, "53 weeks": long, "527041": long, "8785 hours": long, "99999999999999999999 minutes": long,
		"4294967297 months": long,
	} {
		_, err := ParsePeriod(text)
		if want := strconv.Quote(text) + want; err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	if _, err := ParsePeriod(strings.Repeat("9", 100_000)); err == nil || len(err.Error()) > 400 {
		t.Errorf("a long text gives a long error, or none: %.500v", err)
	}
}

func TestPeriodAdd(t *testing.T) {
	t.Parallel()
	zone, err := TimeZone("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text     string
		at, want time.Time
	}{
		{"", utcDay(2026, 1, 31), utcDay(2026, 1, 31)},
		{"90", utcDay(2026, 1, 31), utcDay(2026, 1, 31).Add(90 * time.Minute)},
		{"1 day", time.Date(2026, 3, 7, 12, 0, 0, 0, zone), time.Date(2026, 3, 8, 13, 0, 0, 0, zone)}, // 24 hours, whatever the clocks do
		{"2 weeks", utcDay(2026, 2, 20), utcDay(2026, 3, 6)},
		{"1 month", utcDay(2026, 1, 31), utcDay(2026, 2, 28)},
		{"1 month", utcDay(2028, 1, 31), utcDay(2028, 2, 29)},
		{"1 month", utcDay(2026, 2, 28), utcDay(2026, 3, 28)},
		{"3 months", utcDay(2026, 11, 30).Add(time.Hour), utcDay(2027, 2, 28).Add(time.Hour)},
		{"12 months", utcDay(2028, 2, 29), utcDay(2029, 2, 28)},
		{"1 month", time.Date(2026, 1, 30, 23, 0, 0, 0, zone), utcDay(2026, 2, 28).Add(4 * time.Hour)}, // 31 January in UTC
	} {
		p, err := ParsePeriod(c.text)
		if got := p.Add(c.at); err != nil || !got.Equal(c.want) || got.Location() != time.UTC {
			t.Errorf("%q after %v is %v, want %v (%v)", c.text, c.at, got, c.want, err)
		}
	}
}

func FuzzParsePeriod(f *testing.F) {
	for _, text := range []string{"", "5", " 1 DAYS ", "12 months", "13 months", "00:00:00", "99999999999999999999 weeks", "1s", "0s"} {
		f.Add(text)
	}
	now := utcDay(2026, 1, 31)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePeriod(text)
		if err != nil {
			if p != (Period{}) {
				t.Fatalf("%q: %+v, %v", text, p, err)
			}
			return
		}
		if later := p.Add(now); p.IsZero() != later.Equal(now) || later.Before(now) || later.After(now.Add(longestPeriod)) {
			t.Fatalf("%q after %v is %v", text, now, later)
		}
	})
}
