package cron

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cronRun is when cronsim runs a job between two times, in seconds since 1970 (see testdata/remake.py).
type cronRun struct {
	Schedule, Zone string
	Begin, End     int64
	Times          string
}

// next returns a function that gives the times one by one, then End.
func (r cronRun) next(t *testing.T) func() int64 {
	number := func(text string) int64 {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			t.Fatalf("%s in %s: %v", r.Schedule, r.Zone, err)
		}
		return n
	}
	at, rest, _ := strings.Cut(r.Times, " ")
	if at == "" {
		return func() int64 { return r.End }
	}
	last, step, left, first := number(at), int64(0), int64(0), true
	return func() int64 {
		if first {
			first = false
			return last
		}
		if left == 0 {
			if rest == "" {
				return r.End
			}
			var item string
			item, rest, _ = strings.Cut(rest, " ")
			by, often, _ := strings.Cut(item, "*")
			step, left = number(by), number(often)
		}
		left--
		last += step
		return last
	}
}

// disagreements are times at which cronsim does other than Debian's cron, so that neither side's are compared.
var disagreements = []struct {
	zone  string
	wild  bool
	begin time.Time
	long  time.Duration
}{
	// cronsim runs what a day without a clock would have had; to cron(8) a change of more than three hours is a
	// correction.
	{"Pacific/Apia", false, time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC), time.Minute},
	// cronsim goes on by whole hours and so passes over minutes that the clocks do show when they are moved by half an
	// hour; Debian's cron looks at the clocks each minute.
	{"Australia/Lord_Howe", true, time.Date(2025, 4, 5, 15, 0, 0, 0, time.UTC), time.Hour},
	{"Australia/Lord_Howe", true, time.Date(2025, 10, 4, 15, 30, 0, 0, time.UTC), time.Hour},
	{"Australia/Lord_Howe", true, time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC), time.Hour},
	{"Australia/Lord_Howe", true, time.Date(2026, 10, 3, 15, 30, 0, 0, time.UTC), time.Hour},
	{"Australia/Lord_Howe", true, time.Date(2027, 4, 3, 15, 0, 0, 0, time.UTC), time.Hour},
	{"Australia/Lord_Howe", true, time.Date(2027, 10, 2, 15, 30, 0, 0, time.UTC), time.Hour},
}

// disagreed reports whether cronsim is not followed at a time.
func (r cronRun) disagreed(c Schedule, second int64) bool {
	for _, d := range disagreements {
		if since := second - d.begin.Unix(); d.zone == r.Zone && d.wild == c.wild && since >= 0 && since < int64(d.long/time.Second) {
			return true
		}
	}
	return false
}

// difference is where the schedule and the run first differ, such as "after … comes …".
func (r cronRun) difference(t *testing.T, zone *time.Location, compared func(c Schedule, second int64) bool) string {
	c, next := mustCron(t, r.Schedule), r.next(t)
	last := r.Begin - 1
	ours := func() int64 {
		if at := c.Next(time.Unix(last, 0), zone); !at.IsZero() && at.Unix() < r.End {
			return at.Unix()
		}
		return r.End
	}
	for last < r.End {
		before := last
		for last = ours(); !compared(c, last); last = ours() {
		}
		want := next()
		for ; !compared(c, want); want = next() {
		}
		if last != want {
			shown := func(second int64) string { return time.Unix(second, 0).In(zone).Format(time.RFC3339) }
			return "after " + shown(before) + " comes " + shown(last) + ", in cronsim " + shown(want)
		}
	}
	return ""
}

func TestCronAgreesWithCronsim(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/golden.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Rules map[string][]byte
		Runs  []cronRun
	}
	if err := json.NewDecoder(text).Decode(&golden); err != nil {
		t.Fatal(err)
	}
	zones := map[string]*time.Location{}
	for name, rules := range golden.Rules {
		if zones[name], err = time.LoadLocationFromTZData(name, rules); err != nil {
			t.Fatal(err)
		}
	}
	differ := map[string]int{} // runs by zone in which cronsim does other than Debian's cron
	for _, run := range golden.Runs {
		agreed := func(c Schedule, second int64) bool { return !run.disagreed(c, second) }
		if text := run.difference(t, zones[run.Zone], agreed); text != "" {
			t.Errorf("%s in %s: %s", run.Schedule, run.Zone, text)
		}
		if run.Zone == "Pacific/Apia" || run.Zone == "Australia/Lord_Howe" {
			if run.difference(t, zones[run.Zone], func(Schedule, int64) bool { return true }) != "" {
				differ[run.Zone]++
			}
		}
	}
	if len(golden.Runs) < 1400 || differ["Pacific/Apia"] != 16 || differ["Australia/Lord_Howe"] != 2 {
		t.Errorf("%d runs, of which differ: %v", len(golden.Runs), differ)
	}
}
