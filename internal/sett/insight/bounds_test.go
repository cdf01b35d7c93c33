package insight

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

// hostileEvents are as many as a frame has, each with a long text and a long list that are different.
func hostileEvents() (events []Event) {
	for i := range mostRows {
		events = append(events, Event{At: noon.UnixMicro() + int64(i), Fields: []Field{
			NumberField("n", float64(i)), TextField("text", fmt.Sprintf("%d ", i)+strings.Repeat("xy", 2_000)), {"list", "[" + strings.Repeat("1,", 400) + fmt.Sprint(i) + "]"},
		}})
	}
	return events
}

// ask evaluates a query over hostile events, and returns how much memory is held afterwards.
func ask(t *testing.T, query string, stop func() bool) (r Result, err error) {
	t.Helper()
	s, err := ParseStatement(query)
	if err != nil {
		return r, err
	}
	run := NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
	if stop != nil {
		run.Until(stop)
	}
	if err := run.Add(FrameOf(hostileEvents())); err != nil && !errors.Is(err, ErrStopped) {
		return r, err
	}
	return run.Finish()
}

// A query that is too large or too deep is refused before it reads an event.
func TestHostileQueriesAreRefused(t *testing.T) {
	t.Parallel()
	double := strings.Repeat("fields concat(a, a) as a | ", 12)
	for query, want := range map[string]string{
		"filter " + strings.Repeat("(", 1000) + "a == 1":       "too many parentheses",
		"filter " + strings.Repeat("not ", 1000) + "a == 1":    "too many parentheses",
		"fields " + strings.Repeat("-", 1000) + "1":            "too many parentheses",
		"fields " + strings.Repeat("abs(", 1000) + "1":         "too many parentheses",
		"fields a" + strings.Repeat(" + a", 1000):              "the expression is too large",
		double + "stats count()":                               "the expression is too large",
		"filter a in [" + strings.Repeat("1, ", 200) + "1]":    "at most 100 values",
		strings.Repeat("limit 5 | ", 20) + "limit 5":           "too many functions",
		"stats count()" + strings.Repeat(", count() as a", 30): "at most 20 functions",
		"filter a in top(101, a)":                              "a number from 1 to 100",
		"filter a in top(5, a) and b in top(1, b) and c in top(1, c) and d in top(1, d) and e in top(1, e) and f in top(1, f)": "at most 5 top()",
		`fields replace(a, /(a{1,200}){1,200}/, "x")`:           "is not valid",
		`fields replace(a, /(.{1,30}){1,30}/, "x")`:             "too much work",
		`fields json(a, "$` + strings.Repeat("[0]", 100) + `")`: "is not a place in JSON",
		"expand " + strings.Repeat("a, ", 10) + "a":             "at most 4 lists",
		`stats count() by bin(0s)`:                              "a step from 1s to 7d",
		strings.Repeat("a", 9000):                               "at most 8000 bytes",
	} {
		if _, err := ParseStatement(query); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", query, err, want)
		}
	}
}

// Texts that grow are cut, and their sum is bounded.
func TestTextsThatGrow(t *testing.T) {
	t.Parallel()
	grow := `concat(text, text, text, text, text, text, text, text, text, text)`
	for _, query := range []string{"stats unique(concat(n, " + grow + ")) as n", "stats count() by concat(n, " + grow + ")", `stats count() by replace(text, "x", "0123456789")`} {
		if _, err := ask(t, query, nil); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "too much memory") {
			t.Errorf("%.60s: %v", query, err)
		}
	}
	r, err := ask(t, "fields length("+grow+") as a, length(replace(text, \"x\", \""+strings.Repeat("y", 100)+"\")) as b | limit 1", nil)
	if err != nil || r.Rows[0][0].Num > MaxText || r.Rows[0][1].Num > MaxText {
		t.Errorf("%v, %v: texts are longer than %d", r.Rows, err, MaxText)
	}
}

// Rows between functions, groups, lists and steps that are filled are bounded.
func TestRowsThatGrow(t *testing.T) {
	t.Parallel()
	for query, most := range map[string]int{
		"expand list[*] as x | limit 5000":                             maxRows,
		"expand list[*] as x | sort x, n | limit 1":                    1,
		"expand list[*] as x | limit 9000 | stats count()":             1,
		"limit 9000 | expand list as x, list as y | fields x":          maxRows,
		"fields text | sort text | limit 1000":                         maxRows,
		"stats first(text) as f, pickMax(text, n) as p by n | limit 1": maxRows,
		"stats top(100, text) as t by n":                               maxRows,
		"stats count() by concat(n, substring(text, 1, 3000))":         maxRows,
		"unique text | fields text":                                    maxRows,
		"limit 3 by text":                                              maxRows,
	} {
		looks := 0
		r, err := ask(t, query, func() bool { looks++; return looks > 20 })
		if err != nil || len(r.Rows) > most || strings.Contains(query, "pickMax") && !r.Dropped {
			t.Errorf("%s: %d rows, dropped %t, %v", query, len(r.Rows), r.Dropped, err)
		}
		size := 0
		for _, row := range r.Rows {
			for _, v := range row {
				size += len(v.Text)
			}
		}
		if size > 2*maxGroupBytes {
			t.Errorf("%s: %d bytes", query, size)
		}
	}
	for _, query := range []string{"stats count() by bin(1s) as t | fill t", "stats count() by bucket(n, 1) as b | fill b to 100000000 step 0.001", "stats count() by bucket(n, 1) as b, n as c | fill b across c"} {
		from := noon.Add(-Keep)
		s, err := ParseStatement(query)
		if err != nil {
			t.Fatal(err)
		}
		run := NewRun(s.Plan(from, noon.Add(time.Hour), time.UTC))
		if err := run.Add(FrameOf(hostileEvents())); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Finish(); sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), "too many rows with fill") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Work for a single frame asks for the time again and again, and ends when it is over.
func TestWorkAsksForTheTime(t *testing.T) {
	t.Parallel()
	deep := "n" + strings.Repeat(" + n * 2 % 7", 150)
	for _, query := range []string{
		"stats sum(" + deep + " + toHour(@ts))", "filter text match /(x+y*)+z/ | stats count()", "fields replace(text, /x*y/, \"ab\") as r | stats count() by length(r)",
		"expand list[*] as x | stats sum(x)", "stats count() by json(list, \"$[399]\")", "filter any(list[*] > 5) | stats count()", "stats unique(@id)",
	} {
		looks := 0
		r, err := ask(t, query, func() bool { looks++; return looks == 3 })
		if looks != 3 || err != nil {
			t.Errorf("%.50s: %d looks at the clock, %v", query, looks, err)
		}
		_ = r
	}
}

// A run over hostile events does not keep more than its bounds.
func TestMemoryOfARun(t *testing.T) {
	var before, after runtime.MemStats
	frame := FrameOf(hostileEvents())
	for _, key := range []string{"text", "list", "n"} {
		if _, err := frame.Column(key); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ParseStatement("stats first(text) as a, last(list) as b, pickMax(text, n) as c, top(100, text) as d, unique(text) as e by n")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&before)
	run := NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
	if err := run.Add(frame); err != nil {
		t.Fatal(err)
	}
	r := finished(t, run)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc) - int64(before.HeapAlloc); held > 100<<20 || !r.Dropped {
		t.Errorf("a run holds %d MB; dropped %t", held>>20, r.Dropped)
	}
	runtime.KeepAlive(run)
}
