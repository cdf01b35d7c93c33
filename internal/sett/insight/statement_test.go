package insight

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// sample is requests and a job, one a minute.
func sample() (events []Event) {
	for i, e := range []struct {
		path     string
		status   float64
		duration float64
	}{{"/orders/1", 200, 10}, {"/orders/2", 404, 20}, {"/api/login", 500, 30.5}, {"/orders/3", 200, 1000}} {
		events = append(events, Event{At: noon.Add(time.Duration(i) * time.Minute).UnixMicro(), Fields: []Field{
			TextField("event_type", "request"), NumberField("status", e.status), NumberField("duration", e.duration), TextField("path", e.path),
		}})
	}
	return append(events, Event{At: noon.Add(5 * time.Minute).UnixMicro(), Fields: []Field{
		TextField("event_type", "job"), TextField("user.plan", "gold"), {"tags", `["slow","night"]`}, {"retry", "true"},
	}})
}

// answer runs a query over the sample, as it waits and as it is packed, and returns the rows as JSON.
func answer(t *testing.T, query string) string {
	t.Helper()
	return answerOf(t, query, sample())
}

// answerOf runs a query over some events.
func answerOf(t *testing.T, query string, events []Event) string {
	t.Helper()
	s, err := ParseStatement(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	var results []string
	for _, frame := range []func() *Frame{func() *Frame { return FrameOf(events) }, func() *Frame { return packedFrame(t, events) }} {
		rows, err := json.Marshal(s.Answer(resultOf(t, s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC), frame), time.UTC).Rows)
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, string(rows))
	}
	if results[0] != results[1] {
		t.Errorf("%s: waiting %s, packed %s", query, results[0], results[1])
	}
	return results[0]
}

// resultOf evaluates a plan, and those that come first, over one frame.
func resultOf(t *testing.T, p Plan, frame func() *Frame) Result {
	t.Helper()
	for i, first := range p.First() {
		p.Know(i, resultOf(t, first, frame))
	}
	run := NewRun(p)
	if err := run.Add(frame()); err != nil {
		t.Fatal(err)
	}
	return finished(t, run)
}

func finished(t *testing.T, run *Run) Result {
	t.Helper()
	r, err := run.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func packedFrame(t *testing.T, events []Event) *Frame {
	t.Helper()
	chunks, err := NewPacker().Pack(slices.Clone(events))
	if err != nil {
		t.Fatal(err)
	}
	at, err := OpenTimes(chunks[0].Times, chunks[0].First, chunks[0].Rows)
	if err != nil {
		t.Fatal(err)
	}
	return FrameOfChunk(at, func(number int) ([]byte, error) { return chunks[0].Columns.Parts[number], nil })
}

func TestStatements(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`stats count()`: `[{"count()":5}]`,
		`stats count() as n by event_type::str | sort n desc`:                                    `[{"event_type":"request","n":4},{"event_type":"job","n":1}]`,
		`| filter status::int >= 400 | fields path, status as s | sort s desc | limit 1`:         `[{"path":"/api/login","s":500}]`,
		`fields @ts, duration::float as d | filter d > 15 and d < 31 | sort @ts asc`:             `[{"@ts":"2026-11-18 12:01:00.000","d":20},{"@ts":"2026-11-18 12:02:00.000","d":30.5}]`,
		`filter event_type == "job"`:                                                             `[{"@ts":"2026-11-18 12:05:00.000","@preview":"{\"event_type\":\"job\",\"retry\":true,\"tags\":[\"slow\",\"night\"],\"user.plan\":\"gold\"}"}]`,
		`filter event_type == "JOB" | stats count()`:                                             `[{"count()":0}]`,
		`filter path like "/orders/%" | stats count() as n, unique(path) as u, sum(status) as s`: `[{"n":3,"u":3,"s":804}]`,
		`filter path ilike "/ORDERS/_" | stats max(duration), min(duration), avg(status)`:        `[{"max(duration)":1000,"min(duration)":10,"avg(status)":268}]`,
		`filter path match /(login|logout)$/ | fields path`:                                      `[{"path":"/api/login"}]`,
		`filter path not match /login/ | stats count(path)`:                                      `[{"count(path)":3}]`,
		`filter status in [404, 500] or isNotNull(user.plan) | stats count() as n`:               `[{"n":3}]`,
		`filter status not in (404, 500) | stats count() as n`:                                   `[{"n":2}]`,
		`filter status != 200 | stats count() as n`:                                              `[{"n":2}]`,
		`filter not (status == 200) | stats count() as n`:                                        `[{"n":3}]`,
		`filter status between 400 and 499 | fields status`:                                      `[{"status":404}]`,
		`filter status not between 400 and 499 and isNull(user.plan) | stats count() as n`:       `[{"n":3}]`,
		`filter startsWith(path, "/api") | fields path`:                                          `[{"path":"/api/login"}]`,
		`filter tags[*]::str == "night" and retry == true | fields tags`:                         `[{"tags":["slow","night"]}]`,
		`filter @ts >= "2026-11-18 12:03" | stats count() as n`:                                  `[{"n":2}]`,
		`stats count() as n by bin(2m) as t | only n, t`:                                         `[{"n":2,"t":"2026-11-18 12:00:00"},{"n":2,"t":"2026-11-18 12:02:00"},{"n":1,"t":"2026-11-18 12:04:00"}]`,
		`stats min(status) as p by event_type, bin(1h) | sort p desc`:                            `[{"event_type":"request","bin(1h)":"2026-11-18 12:00:00","p":200},{"event_type":"job","bin(1h)":"2026-11-18 12:00:00","p":null}]`,
		"stats count() as `How many` by user.plan as `the plan` | sort `How many` asc | limit 1": `[{"the plan":"gold","How many":1}]`,
		`stats count() as n by event_type | only n | sort n desc | limit 1`:                      `[{"n":4}]`,
		`stats count() as n by event_type | sort n asc | limit 1 | only n`:                       `[{"n":1}]`,
		`stats count() by event_type | sort count desc | limit 1`:                                `[{"event_type":"request","count()":4}]`,
		`filter duration > -5 and duration < 11 | stats count() as n | only n`:                   `[{"n":1}]`,
		`fields nothing, status | limit 1`:                                                       `[{"nothing":null,"status":null}]`,
	} {
		if got := answer(t, query); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}

// A percentile is approximate.
func TestPercentileOfStatement(t *testing.T) {
	t.Parallel()
	for share, want := range map[string]float64{"0": 10, "50": 20, "75": 30.5, "95": 1000, "99.9": 1000} {
		var rows []map[string]float64
		if err := json.Unmarshal([]byte(answer(t, "stats percentile("+share+", duration::float) as p")), &rows); err != nil {
			t.Fatal(err)
		}
		if got := rows[0]["p"]; math.Abs(got-want) > want/100 {
			t.Errorf("percentile %s is %v, want %v", share, got, want)
		}
	}
}

// An error says where the query is wrong, and what is supported.
func TestStatementProblems(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`fields a |`:                     `character 11: the end of the query is not a function`,
		`parse a /x/`:                    `character 9: the regular expression needs a named group`,
		`join a`:                         `character 1: "join" is not a function that is supported. Supported: filter, stats, sort, limit, fields, only, unique, expand, parse and fill`,
		`fields a | stats median(b)`:     `character 18: "median" is not a function of stats that is supported. Supported: count, unique`,
		`fields concatt(a, b)`:           `character 8: the function "concatt" is not supported. Supported: isNull,`,
		`fields uppercas(a)`:             `Did you mean "uppercase"?`,
		`fields a / as b`:                `character 12: the name of a field is expected, not "as"`,
		`fields if(a, 1)`:                `character 15: if is written as if(condition, a, b)`,
		`fields count(a)`:                `character 8: the function count is one of stats`,
		`stats sum(count())`:             `character 11: the function count may not be inside another function of stats`,
		`stats count() + a`:              `character 7: "a" is a field, and not the same for all events of a group`,
		`stats a by b`:                   `character 7: "a" is not a function of stats`,
		`filter 1`:                       `an operator is expected`,
		`filter concat(a, b)`:            `character 8: a condition is expected`,
		`fields toHumanString(a, byte)`:  `character 25: "byte" is no form of a number. There are: number, bytes, short, milliseconds and microseconds. Did you mean "bytes"?`,
		`fields toTimezone(@ts, "Mars")`: `"Mars" is no time zone`,
		`fields json(a, "user.id")`:      `is not a place in JSON`,
		`fill a`:                         `character 1: fill is for the groups of stats`,
		`stats count() by a | fill a`:    `fill needs a step`,
		`stats count() by a | fill b`:    `there is no column "b"`,
		`stats count() as n by bin(1h) as t | fill t sideways`: `"sideways" is not expected in fill`,
		`limit 3 | filter a in top(3, a)`:                      `top() is about events here`,
		`stats count() by bin(1h) | fields @ts`:                `there is no column "@ts"`,
		`fields ä, b::time`:                                    `character 14: "time" is not a type`,
		`filter a`:                                             `character 9: an operator is expected`,
		`filter a == null`:                                     `isNull()`,
		`filter a == "x`:                                       `character 13: the closing " is missing`,
		`filter (a == 1`:                                       `a closing parenthesis is missing`,
		`filter a match /(/`:                                   `character 16: the regular expression is not valid`,
		`filter upper(a) == "X"`:                               `the function "upper" is not supported`,
		`filter a == 1 limit 1`:                                `character 15: "limit" is not expected here. Functions are joined by |`,
		`stats count() | sort b`:                               `there is no column "b". Columns are count()`,
		`stats count(), count()`:                               `two columns have the name "count()"`,
		`stats count() by bin(1y)`:                             `a step from 1s to 7d is expected`,
		`stats percentile(101, a)`:                             `a percentile is a number from 0 to 100`,
		`limit many`:                                           `a whole number of rows is expected`,
		`fields @idd`:                                          `the field "@idd" is not supported. Of those with @, there are @fill, @id, @preview, @query.end_at, @query.start_at, @received_ts, @size, @stream.id, @stream.name and @ts. Did you mean "@id"?`,
		`stats count() by @ts`:                                 `Group them by time with bin(1h)`,
		`fields a; drop`:                                       `character 9: ";" is not expected here`,
		`filter ` + strings.Repeat("(", 40):                    `too many parentheses`,
		`filter a == 1` + strings.Repeat(" or a == 1", 200):    `at most 100 comparisons`,
		strings.Repeat("a", 9000):                              `at most 8000 bytes`,
	} {
		_, err := ParseStatement(query)
		if sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", query, err, want)
		}
	}
}

func TestSpans(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 18, 12, 30, 0, 0, time.UTC)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":        "2026-11-18T10:30 2026-11-18T13:30",
		"PT30M":   "2026-11-18T13:00 2026-11-18T13:30",
		"p1dt12h": "2026-11-17T01:30 2026-11-18T13:30",
		"15m":     "2026-11-18T13:15 2026-11-18T13:30",
		"1h/0s":   "2026-11-18T12:30 2026-11-18T13:30",
		"7d":      "2026-11-11T13:30 2026-11-18T13:30",
		"999999w": "2026-11-11T13:30 2026-11-18T13:30", "5y": "", "0m": "",
		"today":             "2026-11-18T00:00 2026-11-18T13:30",
		"yesterday":         "2026-11-17T00:00 2026-11-18T00:00",
		"week":              "2026-11-11T13:30 2026-11-18T13:30",
		"month":             "2026-11-11T13:30 2026-11-18T13:30",
		"P30D":              "2026-11-11T13:30 2026-11-18T13:30",
		"P2D/P1D":           "2026-11-16T13:30 2026-11-17T13:30",
		"P1W/P0D":           "2026-11-11T13:30 2026-11-18T13:30",
		"2026-11-17":        "2026-11-17T00:00 2026-11-18T13:30",
		"2026-11-17T08:00Z": "",
		"2026-11-17T08:00:00Z/2026-11-17T09:00:00": "",
		"2026-11-17T08:00:00Z/2026-11-17T10:00:00": "2026-11-17T09:00 2026-11-17T10:00",
		"2026-11-17T08:00/PT2H":                    "2026-11-17T08:00 2026-11-17T10:00",
		"PT2H/2026-11-17T08:00":                    "2026-11-17T06:00 2026-11-17T08:00",
		"2026-11-18T13:00/2027-01-01":              "2026-11-18T13:00 2026-11-18T14:30",
		"2020-01-01/2020-01-02":                    "2026-11-11T13:30 2026-11-11T13:30",
		"P":                                        "", "PT": "", "P1DT": "", "soon": "", "P1D/": "", "/": "", "P0D": "",
	} {
		from, to, err := ParseSpan(text, berlin, now)
		const layout = "2006-01-02T15:04"
		got := from.In(berlin).Format(layout) + " " + to.In(berlin).Format(layout)
		if want == "" && sett.CodeOf(err) != sett.Invalid || want != "" && (err != nil || got != want) {
			t.Errorf("%q: %s, %v, want %q", text, got, err, want)
		}
	}
}

// Days begin at midnight of the zone.
func TestStepsOfAZone(t *testing.T) {
	t.Parallel()
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	s, err := ParseStatement("stats count() as n by bin(1d)")
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(s.Plan(noon.AddDate(0, 0, -1), noon.AddDate(0, 0, 1), tokyo))
	if err := run.Add(FrameOf([]Event{{At: noon.UnixMicro()}, {At: noon.Add(4 * time.Hour).UnixMicro()}})); err != nil {
		t.Fatal(err)
	}
	rows, err := json.Marshal(s.Answer(finished(t, run), tokyo).Rows)
	if want := `[{"bin(1d)":"2026-11-18 00:00:00","n":1},{"bin(1d)":"2026-11-19 00:00:00","n":1}]`; err != nil || string(rows) != want {
		t.Errorf("rows %s, %v, want %s", rows, err, want)
	}
}

// What is remembered of many large values is bounded.
func TestBoundsOfARun(t *testing.T) {
	t.Parallel()
	var events []Event
	for i := range 3_000 {
		events = append(events, Event{At: noon.UnixMicro() + int64(i), Fields: []Field{NumberField("n", float64(i)), TextField("text", strings.Repeat("x", 16_000)), TextField("key", strings.Repeat("k", 15_000)+string(rune('a'+i%26))+string(rune('0'+i/26)))}})
	}
	s, err := ParseStatement("fields text, n | limit 1000")
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
	if err := run.Add(FrameOf(events)); err != nil {
		t.Fatal(err)
	}
	if r := finished(t, run); !r.Dropped || len(r.Rows) < 400 || len(r.Rows) > 600 || run.stages[0].rows.bytes > maxRowBytes {
		t.Errorf("%d events of %d bytes, dropped %t", len(r.Rows), run.stages[0].rows.bytes, r.Dropped)
	}
	if s, err = ParseStatement("stats count() by key"); err != nil {
		t.Fatal(err)
	}
	run = NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
	if err := run.Add(FrameOf(events)); err != nil {
		t.Fatal(err)
	}
	if r := finished(t, run); !r.Dropped || len(r.Rows) < 400 || len(r.Rows) > 600 {
		t.Errorf("%d groups, dropped %t", len(r.Rows), r.Dropped)
	}
}

func FuzzParseStatement(f *testing.F) {
	for _, query := range []string{
		"stats count() as n, percentile(95, duration::float) by event_type::str, bin(1h) | sort n desc | limit 5 | only n",
		"fields @ts, `a b` as c | filter not (c == \"x\\\"\" or c match /a\\/b/) and d in [1, -2.5, true] | sort c | limit 3",
		"fields cond(a > 1, concat(b, 'x'), -c % 2) as d | filter d[0] like '%x' | sort d | limit 2 by d | unique event_type",
		"expand tags[*] as t | parse path /(?<p>o.*)/ | stats count() as n, round(rate(sum(status), 1m), 1) as r, top(3, p) by bin() as b, t | filter n > 0 | fill b across t down",
		"stats first(duration), last(path), pickMax(path, status), apdex(duration, 5), countIf(status == 200) by bucket(duration, 10) as b | fill b from 0 to 100 step 5 with n = 1",
		"fields replace(path, /o(.)/, '$1$1'), toStartOf(1M), formatDate('%Y %f'), json(path, '$.a[0]'), any(tags[*] == 'x'), toHumanString(duration, bytes), @id, @size, tags[1]",
		"filter status in top(2, status) and @ts between '2026-11-18' and now() | stats count() by top(1, path), toTimezone(@ts, 'Europe/Berlin')",
		"filter a between 1 and 2 and isNull(b) or startsWith(c[*], 'x') and @ts > \"2026-11-18\"",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		s, err := ParseStatement(query)
		if err != nil {
			if sett.CodeOf(err) != sett.Invalid {
				t.Fatalf("%q: %v is no explanation", query, err)
			}
			return
		}
		plan := s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC)
		for i, first := range plan.First() {
			plan.Know(i, resultOf(t, first, func() *Frame { return FrameOf(sample()) }))
		}
		run := NewRun(plan)
		if err := run.Add(FrameOf(sample())); err != nil {
			t.Fatal(err)
		}
		found, err := run.Finish()
		if err != nil && sett.CodeOf(err) != sett.Invalid {
			t.Fatalf("%q: %v", query, err)
		}
		a := s.Answer(found, time.UTC)
		if rows, err := json.Marshal(a.Rows); err != nil || !json.Valid(rows) {
			t.Fatalf("%q: %s, %v", query, rows, err)
		}
		if len(a.Rows) > maxRows || a.Total < int64(len(a.Rows)) {
			t.Fatalf("%q: %d rows of %d", query, len(a.Rows), a.Total)
		}
	})
}

func FuzzParseSpan(f *testing.F) {
	for _, text := range []string{"PT3H", "P1Y2M3W4DT5H6M7S", "2026-11-17T08:00/PT2H", "2086-11-17T08:00/PT2H", "1986-11-17T08:00/PT2H", "yesterday"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		from, to, err := ParseSpan(text, time.UTC, noon)
		if err == nil && (to.Before(from) || from.Before(noon.Add(-Keep)) || to.After(noon.Add(time.Hour))) {
			t.Fatalf("%q: from %s to %s", text, from, to)
		}
	})
}
