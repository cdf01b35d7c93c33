package stream_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alarm"
	"sett/internal/sett/faults"
	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/storetest"
)

var noon = storetest.Noon

// ask returns the rows of a query at an hour after noon as one line of JSON each.
func ask(t *testing.T, s *store.Store, project int64, query string, change ...func(*insight.Plan)) string {
	t.Helper()
	statement, err := insight.ParseStatement(query)
	if err != nil {
		t.Fatal(err)
	}
	p := statement.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC)
	for _, f := range change {
		f(&p)
	}
	found, err := s.Insights.Query(t.Context(), noon.Add(time.Hour), time.Now().Add(time.Minute), project, p)
	if err != nil {
		t.Fatal(err)
	}
	if found.Since != 0 || found.Unread != 0 {
		t.Errorf("%s: since %d, %d unread", query, found.Since, found.Unread)
	}
	var lines []string
	for _, row := range statement.Answer(found, time.UTC).Rows {
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return strings.Join(lines, "\n")
}

// sent has a report sent with a body of its own.
func sent(body string) func(*faults.Report) {
	return func(r *faults.Report) { r.Body, r.BacktraceStart, r.BacktraceEnd = []byte(body), 0, 0 }
}

// filled records something of each kind, and another project's notice.
func filled(t *testing.T, s *store.Store) *storetest.Desk {
	d := storetest.NewDesk(t, s)
	d.Record(noon, accounts.Limits{}, d.Report("Late", sent(`{"error":{"class":"Late","message":"too late","tags":["shop"],"backtrace":[{"file":"[PROJECT_ROOT]/app/order.rb","number":"3","method":"pay"}]},
		"request":{"url":"https://shop.example.test/pay","context":{"user_email":"Ann@example.test","order":{"id":7}},"params":{"page":"2"},
		"cgi_data":{"REQUEST_METHOD":"POST","HTTP_USER_AGENT":"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}},
		"server":{"hostname":"web-1","revision":"abc"}}`)), d.Report("Full"))
	d.Record(noon.Add(time.Minute), accounts.Limits{}, d.Report("Late", func(r *faults.Report) { r.Action = "refund" }))
	d.Record(noon, accounts.Limits{}, d.Report("Elsewhere", func(r *faults.Report) { r.ProjectID = d.Project("Other").ID }))
	d.Deploy(noon.Add(2*time.Minute), faults.Deploy{Environment: "production", Revision: "abc", LocalUsername: "ada"})
	c := d.CheckIn(d.ProjectID, storetest.Hourly("backup"))
	d.PingAt(noon.Add(3*time.Minute), c)
	site := d.Site(d.ProjectID, storetest.Named("Shop"))
	d.Live(noon, "eu")
	d.Checked(noon.Add(4*time.Minute), storetest.Look(site, "eu", noon.Add(4*time.Minute), true))
	d.Checked(noon.Add(5*time.Minute), storetest.Look(site, "eu", noon.Add(5*time.Minute), false))
	a, err := s.Alarms.Create(t.Context(), noon, d.ProjectID, alarm.AlarmChange{
		Name: sett.Some("Silence"), Query: sett.Some("filter a == 1"), Period: sett.Some[alarm.Span]("1d"), Trigger: sett.Some(alarm.Settings{Operator: "eq"}.Trigger()),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Run(`INSERT INTO alarm_changes (alarm, at, state, from_at, to_at, count, error, query, condition) SELECT number, $1, 'alarm', 0, 0, 7, '', '', '' FROM alarms WHERE id = $2`, noon.Add(6*time.Minute).UnixMicro(), a.ID)
	d.Send(noon, d.ProjectID, insight.Event{At: noon.UnixMicro(), Fields: []insight.Field{insight.TextField("event_type", "request"), insight.NumberField("status", 500)}})
	return d
}

// What is recorded about a project is events beside those of its clients, also when notices are in blocks.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := filled(t, s)
		for range 2 {
			for query, want := range map[string]string{
				`stats count() as n by event_type | sort event_type asc`: `{"event_type":"alarm","n":1}
{"event_type":"check_in","n":1}
{"event_type":"deploy","n":1}
{"event_type":"notice","n":3}
{"event_type":"request","n":1}
{"event_type":"site","n":1}
{"event_type":"uptime_check","n":2}`,
				`filter event_type::str == "notice" | stats count() as n by klass::str, action::str | sort klass asc, action asc`: `{"klass":"Full","action":"create","n":1}
{"klass":"Late","action":"create","n":2}`,
				`filter message::str == "too late" | fields user::str, file::str, request.request_method, context.order.id, params.page, tags, user_agent.browser.name, revision`: `{"user":"Ann@example.test",` +
					`"file":"[PROJECT_ROOT]/app/order.rb","request.request_method":"POST","context.order.id":7,"params.page":"2","tags":["shop"],"user_agent.browser.name":"Firefox","revision":"abc"}`,
				`stats count() as n by status::int | sort n desc | limit 1`:                                                                     `{"status":null,"n":9}`,
				`filter status::int == 500 | stats count() as n`:                                                                                `{"n":1}`,
				`filter event_type == "deploy" | fields @ts, revision, local_username`:                                                          `{"@ts":"2026-11-18 12:02:00.000","revision":"abc","local_username":"ada"}`,
				`filter event_type == "check_in" | stats count() as n by state::str, slug::str`:                                                 `{"state":"reporting","slug":"backup","n":1}`,
				`filter event_type == "uptime_check" and up == false | fields site.name::str, response.status_code::int, duration::int, reason`: `{"site.name":"Shop","response.status_code":503,"duration":100,"reason":"Expected 2xx status code -- got 503"}`,
				`filter event_type == "site" | fields name, state`:                                                                              `{"name":"Shop","state":"down"}`,
				`filter event_type == "alarm" | fields name, state, count`:                                                                      `{"name":"Silence","state":"alarm","count":7}`,
				`filter event_type == "request" | stats count() as n`:                                                                           `{"n":1}`,
			} {
				if got := ask(t, s, d.ProjectID, query); got != want {
					t.Errorf("%s\nreturns %s\nwant    %s", query, got, want)
				}
			}
			d.Compact(noon.Add(time.Hour), block.Sizes{Most: 4, Least: 1})
		}
		only := func(streams ...insight.Stream) func(*insight.Plan) {
			return func(p *insight.Plan) { p.Streams = streams }
		}
		if got := ask(t, s, d.ProjectID, `stats count() as n`, only(insight.Sent)); got != `{"n":1}` {
			t.Errorf("of clients: %s", got)
		}
		if got := ask(t, s, d.ProjectID, `stats count() as n`, only(insight.Recorded)); got != `{"n":9}` {
			t.Errorf("of sett: %s", got)
		}
	})
}

// A merged fault has its notices under its own id, with the class that each part has.
func TestRecordedNoticesOfMergedFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := filled(t, s)
		into, from := d.FaultID("Late"), d.FaultID("Full")
		if _, err := s.Faults.MergeFaults(t.Context(), noon, d.UserID, d.ProjectID, []int64{from}, into); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"fault_id":%d,"klass":"Late","n":2}
{"fault_id":%[1]d,"klass":"Full","n":1}`, into)
		if got := ask(t, s, d.ProjectID, `filter event_type == "notice" | stats count() as n by fault_id, klass | sort n desc`); got != want {
			t.Errorf("returns %s\nwant %s", got, want)
		}
	})
}

// A query that has no time left says from when on it has read what is recorded, and still reads the events of clients.
func TestRecordedEventsWithoutTime(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := filled(t, s)
		statement, err := insight.ParseStatement(`stats count() as n by event_type`)
		if err != nil {
			t.Fatal(err)
		}
		run := insight.NewRun(statement.Plan(noon.Add(-time.Hour), noon.Add(time.Hour), time.UTC))
		if err := s.Insights.Recorded(t.Context(), time.Now(), d.ProjectID, run); err != nil {
			t.Fatal(err)
		}
		if r, err := run.Finish(); err != nil || r.Since == 0 {
			t.Errorf("it has read all: %+v, %v", r.Rows, err)
		}
	})
}
