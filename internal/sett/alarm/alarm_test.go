package alarm

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/insight"
)

var noon = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)

// apply reads a body and applies it to the settings of an alarm.
func apply(t *testing.T, s Settings, body string) (Settings, error) {
	t.Helper()
	var change AlarmChange
	if err := json.Unmarshal([]byte(body), &change); err != nil {
		t.Fatal(err)
	}
	return change.Apply(7, s)
}

const whole = `{"name": " Failing payments ", "query": "filter status::int >= 500", "evaluation_period": "5m",
	"trigger_config": {"type": "alert_result_count", "config": {"operator": "gt", "value": 10}}}`

func TestWhatMayBeWritten(t *testing.T) {
	t.Parallel()
	made, err := apply(t, Settings{}, whole)
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{Name: "Failing payments", Query: "filter status::int >= 500", Period: "5m", Lag: "0s", Operator: "gt", Value: 10}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	streams := `{"stream_ids": ["` + insight.Recorded.ID(7) + `", "unknown"]}`
	for body, says := range map[string]string{
		`{}`:                                    "",
		`{"name": ""}`:                          "name can't be blank",
		`{"name": []}`:                          "name must be a string",
		`{"query": " "}`:                        "query can't be blank",
		`{"query": "filter"}`:                   "query character 7: ",
		`{"evaluation_period": null}`:           "evaluation_period can't be blank",
		`{"evaluation_period": "59s"}`:          "evaluation_period must be at least 1m and less than a week",
		`{"evaluation_period": "60s"}`:          "",
		`{"evaluation_period": "7d"}`:           "evaluation_period must be at least 1m and less than a week",
		`{"evaluation_period": "6d"}`:           "",
		`{"evaluation_period": "1w"}`:           "evaluation_period format is invalid",
		`{"evaluation_period": "5 minutes"}`:    "evaluation_period format is invalid",
		`{"evaluation_period": "PT5M"}`:         "evaluation_period format is invalid",
		`{"evaluation_period": "99999999999d"}`: "evaluation_period format is invalid",
		`{"lookback_lag": "m"}`:                 "lookback_lag format is invalid",
		`{"lookback_lag": "90s"}`:               "",
		`{"lookback_lag": ""}`:                  "",
		`{"lookback_lag": "1w"}`:                "lookback_lag must leave, with the period, some of the 7 days",
		`{"stream_ids": ["default"]}`:           "stream_ids must have ids of streams of this project",
		streams:                                 "",
		`{"trigger_config": null}`:              "trigger_config can't be blank",
		`{"trigger_config": {"type": "x", "config": {"operator": "gt", "value": 1}}}`:                    "trigger_config must have the type alert_result_count",
		`{"trigger_config": {"type": "alert_result_count", "config": {"operator": ">", "value": 1}}}`:    "trigger_config must have one of these operators",
		`{"trigger_config": {"type": "alert_result_count", "config": {"operator": "lt", "value": -1}}}`:  "trigger_config must have a value",
		`{"trigger_config": {"type": "alert_result_count", "config": {"operator": "lt", "value": 0.5}}}`: "trigger_config must be",
	} {
		switch _, err := apply(t, made, body); {
		case says == "" && err != nil:
			t.Errorf("%s: %v", body, err)
		case says != "" && (sett.CodeOf(err) != sett.Invalid || !strings.Contains(err.Error(), says)):
			t.Errorf("%s: %v, want %q", body, err, says)
		}
	}
	if got, _ := apply(t, made, streams); !cmp.Equal(got.Streams, []insight.Stream{insight.Recorded}) {
		t.Errorf("streams %v", got.Streams)
	}
	switch _, err := apply(t, Settings{}, `{"name": "x"}`); {
	case err == nil || !strings.Contains(err.Error(), "query can't be blank; evaluation_period can't be blank; trigger_config can't be blank"):
		t.Error(err)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	a := New("a", 7, Settings{Period: "5m", Lag: "1m"}, noon.Add(12*time.Second))
	if want := noon.Add(time.Minute); !a.NextCheck.Equal(want) {
		t.Fatalf("first check %v, want %v", a.NextCheck, want)
	}
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	for late, end := range map[time.Duration]int{0: 0, 4 * time.Minute: 0, 5 * time.Minute: 5, 3*time.Hour + 59*time.Second: 180} {
		w := a.Due(a.NextCheck.Add(late))
		if want := (Window{at(end - 5), at(end)}); w != want {
			t.Errorf("%v late: %v, want %v", late, w, want)
		}
		if next := a.After(w); !next.Equal(at(end + 6)) {
			t.Errorf("%v late: next at %v, want %v", late, next, at(end+6))
		}
	}
}

func TestGaps(t *testing.T) {
	t.Parallel()
	w := Window{noon, noon.Add(100 * time.Minute)}
	gap := func(from, to time.Duration) Gap { return Gap{Window: Window{noon.Add(from), noon.Add(to)}} }
	for n, c := range []struct {
		gaps []Gap
		want bool
	}{
		{nil, false},
		{[]Gap{gap(-time.Hour, time.Minute)}, false},
		{[]Gap{gap(-time.Hour, 61*time.Second)}, true},
		{[]Gap{gap(99*time.Minute, time.Hour*9)}, false},
		{[]Gap{gap(98*time.Minute, time.Hour*9)}, true},
		{[]Gap{gap(time.Hour, time.Hour+time.Minute), gap(time.Hour, time.Hour+time.Minute)}, false},
		{[]Gap{gap(time.Hour, time.Hour+time.Minute), gap(time.Minute, 62*time.Second)}, true},
		{[]Gap{gap(-time.Hour, 0), gap(100*time.Minute, 200*time.Minute)}, false},
	} {
		if got := w.Unknown(c.gaps); (got != "") != c.want {
			t.Errorf("case %d: %q", n, got)
		}
	}
	if got := w.Unknown([]Gap{{w, true}}); got != "The server refused events in this time." {
		t.Error(got)
	}
}

// Each step is an evaluation; it says what becomes of the alarm, and what people hear.
func TestTransitions(t *testing.T) {
	t.Parallel()
	a := New("a", 7, Settings{Period: "1m", Lag: "0s", Operator: "gt", Value: 2}, noon)
	for n, step := range []struct {
		e       Evaluation
		state   State
		failed  bool
		changed State
		event   alerts.AlertEvent
	}{
		{Evaluation{Skipped: "no server"}, Initial, false, "", ""},
		{Evaluation{Error: "bad"}, Initial, true, Failed, ""},
		{Evaluation{Error: "bad"}, Initial, true, "", ""},
		{Evaluation{Count: 2}, OK, false, OK, ""},
		{Evaluation{Count: 0}, OK, false, "", ""},
		{Evaluation{Count: 3}, Raised, false, Raised, alerts.AlertAlarm},
		{Evaluation{Count: 9}, Raised, false, "", ""},
		{Evaluation{Skipped: "no server"}, Raised, false, "", ""},
		{Evaluation{Error: "bad"}, Raised, true, Failed, ""},
		{Evaluation{Count: 4}, Raised, false, Raised, ""},
		{Evaluation{Error: "bad"}, Raised, true, Failed, ""},
		{Evaluation{Count: 1}, OK, false, OK, alerts.AlertAlarmOK},
	} {
		step.e.At = a.NextCheck
		step.e.Window = a.Due(step.e.At)
		next := a.NextCheck
		after, changed, event := a.Evaluated(step.e)
		var state State
		if changed != nil {
			state = changed.State
		}
		if after.State != step.state || (after.Error != "") != step.failed || state != step.changed || event != step.event {
			t.Errorf("step %d: %s %q, change %q, event %q", n, after.State, after.Error, state, event)
		}
		if !after.NextCheck.Equal(next.Add(time.Minute)) {
			t.Errorf("step %d: next check at %v", n, after.NextCheck)
		}
		a = after
	}
	if _, _, event := New("b", 7, Settings{Period: "1m", Lag: "0s", Operator: "eq"}, noon).Evaluated(Evaluation{}); event != alerts.AlertAlarm {
		t.Errorf("a first evaluation that is true raises %q", event)
	}
}

func TestOperators(t *testing.T) {
	t.Parallel()
	want := map[Operator][3]bool{
		"gt": {false, false, true}, "gte": {false, true, true}, "lt": {true, false, false}, "lte": {true, true, false}, "eq": {false, true, false},
		"neq": {true, false, true},
	}
	for _, o := range Operators() {
		for i, count := range []int64{4, 5, 6} {
			if got := o.Holds(count, 5); got != want[o][i] {
				t.Errorf("%d %s 5: %v", count, o, got)
			}
		}
	}
}
