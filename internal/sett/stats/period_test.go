package stats

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sett/internal/sett"
)

func TestSeries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 10, 30, 59, 999, time.UTC)
	at := func(s string) time.Time {
		v, err := time.Parse("2006-01-02 15:04", s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		period      Period
		rows        int
		first, last string
	}{
		{PastHour, 60, "2026-11-18 09:31", "2026-11-18 10:30"},
		{PastDay, 24, "2026-11-17 11:00", "2026-11-18 10:00"},
		{PastWeek, 7, "2026-11-12 00:00", "2026-11-18 00:00"},
		{PastMonth, 30, "2026-10-20 00:00", "2026-11-18 00:00"},
	} {
		t.Run(string(c.period), func(t *testing.T) {
			t.Parallel()
			last := at(c.last)
			series := c.period.Series(now, map[int64]int64{last.Unix(): 3, last.Unix() + 1: 100})
			if len(series) != c.rows {
				t.Fatalf("%d rows, want %d", len(series), c.rows)
			}
			if d := cmp.Diff([]Point{{at(c.first), 0}, {last, 3}}, []Point{series[0], series[c.rows-1]}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestSeriesRowsFollowOneAnother(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SampledFrom([]Period{PastHour, PastDay, PastWeek, PastMonth}).Draw(t, "period")
		now := time.Unix(rapid.Int64Range(1e9, 4e9).Draw(t, "now"), 0)
		series := p.Series(now, nil)
		last := series[len(series)-1].At
		if now.Before(last) || !now.Before(last.Add(p.Width())) {
			t.Fatalf("the last row, %v, does not hold %v", last, now)
		}
		for i := 1; i < len(series); i++ {
			if got := series[i].At.Sub(series[i-1].At); got != p.Width() {
				t.Fatalf("row %d begins %v after the one before", i, got)
			}
		}
	})
}

func TestParsePeriod(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Period{"": PastHour, "hour": PastHour, "day": PastDay, "week": PastWeek, "month": PastMonth} {
		if got, err := ParsePeriod(text); err != nil || got != want {
			t.Errorf("ParsePeriod(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"Hour", "year", "hour "} {
		if _, err := ParsePeriod(text); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("ParsePeriod(%q) gave %v, want an Invalid error", text, err)
		}
	}
}
