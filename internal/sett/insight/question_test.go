package insight

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSearchOrQuery(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "checkout": false, "level:error checkout": false, "limit:5": false, "filters are red": false, "path:a|b": false, "a | b": false, `"stats" by plan`: false,
		"filter": true, "Stats count()": true, "| fields a": true, "\n filter a == 1": true, "level:error | stats count()": true, `"a | b" | stats count()`: true,
		`"a | stats b"`: false, "a == 1 | stats count()": true, "filtr a == 1": true, "stat count()": true, "-plan:gold | sort @ts": true, "level:error | stat count()": true,
	} {
		if got := IsQuery(text); got != want {
			t.Errorf("%q: query = %t, want %t", text, got, want)
		}
	}
}

// A query may go on with what a search has found, for pages and for programs.
func TestSearchInQuery(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		`event_type:request | stats count() as n`:                             `[{"n":4}]`,
		`"/ORDERS" status:>=400 | filter path like "%2" | stats count() as n`: `[{"n":1}]`,
		`-event_type:request | stats count() as n`:                            `[{"n":1}]`,
	} {
		if got := answer(t, query); got != want {
			t.Errorf("%s:\n got %s\nwant %s", query, got, want)
		}
	}
}

// What cannot be read is answered with its place and the word that was meant.
func TestProblemsOfQuestions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		at   int
		says string
	}{
		"filtr a == 1":                      {1, `Did you mean "filter"?`},
		"level:ä | stat count()":            {11, `"stat" is not a function`},
		"stats coutn()":                     {7, `Did you mean "count"?`},
		"stats count() as n by a | sort nn": {32, `there is no column "nn"`},
		"filter a betwen 1 and 2":           {10, `Did you mean "between"?`},
		"filter isNul(a)":                   {8, `Did you mean "isNull"?`},
	} {
		_, err := Ask(text)
		p, ok := errors.AsType[*Problem](err)
		if !ok || p.At != want.at || !strings.Contains(p.Message, want.says) {
			t.Errorf("%q: %v, want %+v", text, err, want)
		}
	}
}

func TestRewrittenQueries(t *testing.T) {
	t.Parallel()
	value := func(json string) Value { return ReadValue(json) }
	for _, c := range []struct {
		text, want string
		with       []Is
	}{
		{"stats count() by path", `filter path == "/a \"b\" \\"`, []Is{{"path", value(`"/a \"b\" \\"`)}}},
		{"level:error | stats count() by path | sort count() desc", "level:error | filter status == 500 and isNull(path)", []Is{{"status", value("500")}, {"path", Value{}}}},
		{"filter a == 1\n| stats count()\n| limit 5", "filter a == 1", nil},
		{"fields a, b | sort a | limit 3", "fields a, b | filter `the plan` == true | sort a | limit 3", []Is{{"the plan", value("true")}}},
		{"fields a", "", []Is{{"tags", value(`["x"]`)}}},
		{"fields a", "", []Is{{"a`b", value("1")}}},
	} {
		s, err := ParseStatement(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Narrow(c.with...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	for _, c := range []struct{ text, column, want string }{
		{"stats count() by path", "count()", "stats count() by path | sort count() desc"},
		{"stats avg(a) as `How long` by b | sort b | limit 5", "How long", "stats avg(a) as `How long` by b | sort `How long` desc | limit 5"},
		{"stats percentile(95, a) by bin(1h)\n| limit 5", "percentile(95, a)", "stats percentile(95, a) by bin(1h)\n| sort percentile(95, a) desc\n| limit 5"},
		{"fields a | limit 5", "a", "fields a | sort a desc | limit 5"},
	} {
		s, err := ParseStatement(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := s.SortedBy(AnswerColumn{Name: c.column}, true)
		again, err := ParseStatement(got)
		if got != c.want || err != nil {
			t.Fatalf("%s:\n got %s\nwant %s (%v)", c.text, got, c.want, err)
		}
		if column, desc := again.Sorted(); column != c.column || !desc {
			t.Errorf("%s is sorted by %s", got, column)
		}
	}
}

// Each narrower query finds exactly the events of its group.
func TestNarrowedQueriesCount(t *testing.T) {
	t.Parallel()
	s, err := ParseStatement("stats count() by path, status, user.plan")
	if err != nil {
		t.Fatal(err)
	}
	run := NewRun(s.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
	if err := run.Add(FrameOf(sample())); err != nil {
		t.Fatal(err)
	}
	rows := s.Answer(finished(t, run), time.UTC).Rows
	for _, row := range rows {
		v := row.Values()
		narrow := s.Narrow(Is{"path", v[0]}, Is{"status", v[1]}, Is{"user.plan", v[2]})
		if got := answer(t, narrow+" | stats count() as n"); got != `[{"n":1}]` {
			t.Errorf("%s finds %s", narrow, got)
		}
	}
	if len(rows) != 5 {
		t.Errorf("%d groups", len(rows))
	}
}
