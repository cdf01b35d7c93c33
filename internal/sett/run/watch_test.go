package run

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func minute(n int) time.Time {
	return time.Date(2026, 11, 25, 12, n, 0, 0, time.UTC)
}

// what is a report at a minute: "start a" or "end a", with a limit in minutes.
type what struct {
	at      int
	says    string
	minutes int
}

func follow(t *testing.T, reports ...what) (w Watch) {
	t.Helper()
	for _, r := range reports {
		verb, id, _ := strings.Cut(r.says, " ")
		report := Report{ID: id, Started: verb == "start", Longest: time.Duration(r.minutes) * time.Minute}
		if report.Started {
			w = w.Start(report, minute(r.at))
		} else {
			w = w.End(report)
		}
	}
	return w
}

func TestWhichRunIsWatched(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reports []what
		want    Open
	}{
		"none":                             {nil, Open{}},
		"a start":                          {[]what{{0, "start a", 0}}, Open{"a", minute(0), minute(30)}},
		"with a limit":                     {[]what{{0, "start a", 5}}, Open{"a", minute(0), minute(5)}},
		"with a limit that is too long":    {[]what{{0, "start a", 1e6}}, Open{"a", minute(0), minute(28 * 24 * 60)}},
		"with a limit from before":         {[]what{{0, "start a", 5}, {1, "end a", 0}, {10, "start b", 0}}, Open{"b", minute(10), minute(15)}},
		"with the limit of an end":         {[]what{{0, "start a", 5}, {1, "end a", 7}, {10, "start b", 0}}, Open{"b", minute(10), minute(17)}},
		"an end":                           {[]what{{0, "start a", 0}, {1, "end a", 0}}, Open{}},
		"an end without an id":             {[]what{{0, "start a", 0}, {1, "end", 0}}, Open{}},
		"the end of another run":           {[]what{{0, "start a", 0}, {1, "end b", 0}}, Open{"a", minute(0), minute(30)}},
		"no id":                            {[]what{{0, "start", 0}}, Open{"", minute(0), minute(30)}},
		"no id, and again":                 {[]what{{0, "start", 0}, {5, "start", 0}}, Open{"", minute(0), minute(30)}},
		"no id, and an end with one":       {[]what{{0, "start", 0}, {5, "end a", 0}}, Open{}},
		"one that overlaps":                {[]what{{0, "start a", 0}, {5, "start b", 0}}, Open{"a", minute(0), minute(30)}},
		"one that overlapped":              {[]what{{0, "start a", 0}, {5, "start b", 0}, {6, "end a", 0}}, Open{}},
		"one after another":                {[]what{{0, "start a", 0}, {5, "end a", 0}, {6, "start b", 0}}, Open{"b", minute(6), minute(36)}},
		"sent again":                       {[]what{{0, "start a", 0}, {5, "start a", 0}}, Open{"a", minute(0), minute(35)}},
		"sent again by a clock behind":     {[]what{{5, "start a", 0}, {0, "start a", 0}}, Open{"a", minute(5), minute(35)}},
		"an end before its start":          {[]what{{0, "end a", 0}, {0, "start a", 0}}, Open{}},
		"four ends before a start":         {[]what{{0, "end a", 0}, {0, "end b", 0}, {0, "end c", 0}, {0, "end d", 0}, {1, "start a", 0}}, Open{}},
		"an end long before":               {[]what{{0, "end a", 0}, {0, "end b", 0}, {0, "end c", 0}, {0, "end d", 0}, {0, "end e", 0}, {1, "start a", 0}}, Open{"a", minute(1), minute(31)}},
		"an end that came twice":           {[]what{{0, "end a", 0}, {0, "end b", 0}, {0, "end c", 0}, {0, "end d", 0}, {0, "end d", 0}, {1, "start a", 0}}, Open{}},
		"an id with spaces and of strange": {[]what{{0, "start a b\x00\xff", 0}, {1, "end ab", 0}}, Open{}},
		"a long id": {
			[]what{{0, "start " + strings.Repeat("é", 1000), 0}},
			Open{strings.Repeat("é", 32), minute(0), minute(30)},
		},
	} {
		if diff := cmp.Diff(c.want, follow(t, c.reports...).Open); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWhatIsKeptOfRunsIsBounded(t *testing.T) {
	t.Parallel()
	var w Watch
	for i := range 100 {
		w = w.End(Report{ID: strings.Repeat(string(rune('a'+i%26)), 1000)})
	}
	if len(w.Ended) > mostEnded*(MostID+1) {
		t.Errorf("%d bytes of ids are kept", len(w.Ended))
	}
}

func TestARunIsOverdue(t *testing.T) {
	t.Parallel()
	w := follow(t, what{0, "start a", 90})
	if got, want := w.Overdue(), "The job started on 25 November 2026, 12:00:00 UTC and has not ended within 90 minutes."; got != want {
		t.Errorf("got %s", got)
	}
	moved := w.SetBack(minute(-60))
	if want := (Open{"a", minute(-60), minute(30)}); moved.Open != want {
		t.Errorf("after the clock was set back: %+v, want %+v", moved.Open, want)
	}
}
