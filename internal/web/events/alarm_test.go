package events_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"sett/internal/sett/alarm"
	"sett/internal/setttest"
	"sett/internal/store/alarmdb"
)

// A query becomes an alarm, which is changed, evaluated and deleted.
func TestAlarmPages(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		b := signedIn(t, s)
		b.Get(in(s, "/alarms")).Want(200, "No alarms yet").CheckPage()
		report(s, `{"event_type":"request","path":"/orders","status":500}`)
		page := b.Get(asking(s, "status:>=500")).Want(200, "Create an alarm").CheckPage()
		if link := in(s, "/alarms/new?q=") + url.QueryEscape("status:>=500"); !strings.Contains(page.Body, link) {
			t.Errorf("no link %s", link)
		}
		b.Get(in(s, "/alarms/new?q="+url.QueryEscape("status:>=500"))).Want(200, "status:&gt;=500 | fields @ts, @preview", `<option value="default" selected>`).CheckPage()
		b.Get(in(s, "/alarms/new?stream=internal&q="+url.QueryEscape("stats count()"))).Want(200, `<option value="internal" selected>`).CheckPage()
		form := url.Values{
			"name": {"Failing <b>"}, "query": {"filter status::int >= 500\r\n| fields path"}, "streams": {"default"}, "operator": {"gt"}, "value": {"0"},
			"evaluation_period": {"5 minutes"}, "lookback_lag": {""}, "description": {"Call Bob."},
		}
		b.Do(http.MethodPost, in(s, "/alarms"), form).Want(422, "Period format is invalid", "Failing &lt;b&gt;").CheckPage()
		form.Set("value", "-1")
		b.Do(http.MethodPost, in(s, "/alarms"), form).Want(422, "Number of rows must be a whole number").CheckPage()
		form.Set("value", "0")
		form.Set("evaluation_period", "5m")
		b.Do(http.MethodPost, in(s, "/alarms"), form).Want(303)
		made, err := s.App.Store().Alarms.List(t.Context(), s.Setup.ProjectID)
		if err != nil || len(made) != 1 || made[0].Query != "filter status::int >= 500\n| fields path" {
			t.Fatal(made, err)
		}
		path := in(s, "/alarms/"+made[0].ID)
		b.Get(path).Want(200, "Raised by more than 0 rows in 5 minutes.", "Not evaluated yet", "Call Bob.", "the stream Default").CheckPage()
		evaluate(t, s, 2, "")
		evaluate(t, s, 0, "")
		evaluate(t, s, 0, "The query takes too long.")
		b.Get(path).Want(200, "Error", "The last evaluation failed. The query takes too long. The state before was: OK.", "2 rows", "Gaps are times that could not be evaluated",
			`<svg class="chart"`).CheckPage()
		b.Get(in(s, "/alarms")).Want(200, "Failing &lt;b&gt;", "Error").CheckPage()
		b.Get(fmt.Sprintf("/projects/%d/settings/notified?alarm=%s", s.Setup.ProjectID, made[0].ID)).Want(200, "Who is notified of", "Failing &lt;b&gt;").CheckPage()
		b.Get(path+"/edit").Want(200, "Failing &lt;b&gt;").CheckPage()
		form.Set("name", "Payments")
		form.Set("value", "20")
		form.Set("query", "filter status::int >= 400")
		b.Do(http.MethodPost, path, form).Want(303)
		body := html.UnescapeString(b.Get(path).Want(200, "<h1>Payments</h1>", "Raised by more than 20 rows", "<td data-label=\"Raised by\">more than 0 rows in 5 minutes</td>").Body)
		if then, now := strings.Count(body, url.Values{"q": {"filter status::int >= 500\n| fields path"}, "stream": {"default"}}.Encode()), strings.Count(body, url.Values{"q": {"filter status::int >= 400"}, "stream": {"default"}}.Encode()); then == 0 || now != 1 {
			t.Errorf("%d links to the query of that time, and %d to that of now", then, now)
		}
		b.Post(path + "/delete").Want(303)
		b.Get(path).Want(http.StatusNotFound)
	})
}

// evaluate records an evaluation of the only alarm, a period later.
func evaluate(t *testing.T, s *setttest.Server, count int64, problem string) {
	t.Helper()
	s.Clock.Push(5 * time.Minute)
	st, now := s.App.Store().Alarms, s.Clock.Now()
	due, err := st.Claim(t.Context(), now, now.Add(time.Minute), 1, 1)
	if err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	e := alarm.Evaluation{Window: due[0].Due(now), At: now, Count: count, Error: problem}
	if err := st.Record(t.Context(), now, []alarmdb.Found{{Due: due[0], Evaluation: e}}); err != nil {
		t.Fatal(err)
	}
}
