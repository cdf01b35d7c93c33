package app_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/api"
	"sett/internal/notify/channel"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/alarm"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
	"sett/internal/store/alarmdb"
)

// services stand in for all that channels send to: they keep each request and take it.
type services struct {
	mu   sync.Mutex
	sent []sent
}

// sent is a request to a service.
type sent struct{ to, text, headers string } // a host

// taken is an answer from which every kind of channel reads that all is well.
const taken = `{"ok":true,"result":"success","status":1,"number":7,"iid":7,"id":"10007","name":"spaces/s/messages/7","key":"OPS-7","self":"https://jira.test/rest/api/2/issue/10007",
	"shortUrl":"https://trello.test/c/7","data":{"issueCreate":{"success":true,"issue":{"id":"u7","identifier":"ENG-7","url":"https://linear.test/ENG-7"}}}}`

// found is what services answer that are asked for issues: there are none. Jira answers with what can be done to an issue too.
func found(r *http.Request) string {
	switch {
	case r.Method != http.MethodGet:
		return taken
	case strings.HasPrefix(r.URL.Host, "jira"):
		return `{"issues":[],"transitions":[{"id":"1","to":{"statusCategory":{"key":"done"}}},{"id":"2","to":{"statusCategory":{"key":"new"}}}]}`
	}
	return "[]"
}

// RoundTrip takes a request.
func (a *services) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	text := string(body)
	if form, err := url.ParseQuery(text); err == nil && r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		text = ""
		for _, values := range form {
			text += strings.Join(values, "\n") + "\n"
		}
	}
	headers := ""
	for _, values := range r.Header {
		headers += strings.Join(values, "\n") + "\n"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent = append(a.sent, sent{r.URL.Host, text, headers})
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(bytes.NewReader([]byte(found(r)))), Request: r,
	}, nil
}

// all returns what was sent so far.
func (a *services) all() []sent {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.sent)
}

// await returns what was sent to a host, once there is so much.
func (a *services) await(t *testing.T, host string, least int) (texts []string) {
	t.Helper()
	until(t, func() (waits []string) {
		texts = nil
		for _, m := range a.all() {
			if m.to == host {
				texts = append(texts, m.text)
			}
		}
		if len(texts) < least {
			waits = append(waits, fmt.Sprintf("%s was sent %d of %d messages", host, len(texts), least))
		}
		return waits
	})
	return texts
}

// until returns once there is nothing more to wait for, and fails the test after a minute.
func until(t *testing.T, look func() (waits []string)) {
	t.Helper()
	tired := time.After(time.Minute)
	for again := time.Tick(20 * time.Millisecond); ; {
		waits := look()
		if len(waits) == 0 {
			return
		}
		select {
		case <-again:
		case <-tired:
			t.Fatalf("still waiting: %q", waits)
		}
	}
}

// optionsOf are options that a kind of channel takes.
func optionsOf(k channel.Kind) map[string]any {
	options := map[string]any{}
	for _, o := range k.Options {
		value := o.Name
		switch {
		case o.Form == channel.Address:
			value = "https://" + strings.ToLower(k.Type) + ".test"
		case o.Form == channel.Emails:
			value = "team@example.test"
		case o.Form == channel.Choice:
			value = o.Choices[0]
		case o.Form == channel.Flag:
			continue
		}
		plausible := map[string]string{"chat_id": "-1001234567890", "thread_id": "12", "repo": "acme/shop", "project": "acme/shop", "project_key": "OPS", "list_id": "5abbe4b7", "done_list_id": "5abbe4b8"}
		if fixed, ok := plausible[o.Name]; ok {
			value = fixed
		}
		options[o.Name] = value
	}
	return options
}

// addChannels makes a channel of each kind that wants everything, and returns their ids by kind.
func addChannels(t *testing.T, s *setttest.Server) map[string]int64 {
	t.Helper()
	ids := map[string]int64{}
	for _, k := range channel.Kinds() {
		if k.LinkOnly {
			continue
		}
		settings := map[string]any{"type": k.Type, "options": optionsOf(k), "events": alerts.AlertEvents(), "rate": "min", "threshold": 5, "notification_limit": 100}
		if k.Type == "Slack" {
			settings["notification_limit"] = 5 // so that it hears of what was held back
		}
		if k.Tracker {
			settings = map[string]any{"type": k.Type, "options": optionsOf(k), "events": alerts.TrackerEvents()}
		}
		var made struct{ ID int64 }
		s.Post(fmt.Sprintf("/v2/projects/%d/integrations", s.Setup.ProjectID), map[string]any{"integration": settings}).Want(http.StatusCreated).Into(&made)
		ids[k.Type] = made.ID
	}
	return ids
}

// deliveriesOf are those of a channel, the newest first.
func deliveriesOf(s *setttest.Server, id int64) []api.Delivery {
	var list serve.List[api.Delivery]
	s.Get(fmt.Sprintf("/v2/projects/%d/integrations/%d/deliveries?limit=100", s.Setup.ProjectID, id)).Into(&list)
	return list.Results
}

// awaitDeliveries returns once the channel has so many deliveries, and all channels are done with theirs.
func awaitDeliveries(t *testing.T, s *setttest.Server, ids map[string]int64, kind string, least int) {
	t.Helper()
	until(t, func() (waits []string) {
		if n := len(deliveriesOf(s, ids[kind])); n < least {
			waits = append(waits, fmt.Sprintf("%s has %d of %d", kind, n, least))
		}
		for k, id := range ids {
			for _, d := range deliveriesOf(s, id) {
				if d.State == alerts.DeliveryDue {
					waits = append(waits, fmt.Sprintf("%s by %s (%d)", d.Event, k, d.ID))
				}
			}
		}
		return waits
	})
}

func namesOf(events []alerts.AlertEvent) (names []string) {
	for _, e := range events {
		names = append(names, string(e))
	}
	return names
}

// watched is a project with a site and a check-in that alerts are raised of.
type watched struct {
	*setttest.Server
	t       *testing.T
	site    checks.Site
	checkIn checks.CheckIn
}

func watch(t *testing.T, s *setttest.Server) *watched {
	t.Helper()
	s.Clock.Push(time.Second) // what happened before the server began may have been sent by another
	ctx, now, st, project := t.Context(), s.Clock.Now(), s.App.Store(), s.Setup.ProjectID
	return &watched{
		s, t, must[checks.Site](t)(st.Uptime.CreateSite(ctx, now, project, checks.SiteChange{Name: sett.Some("Front"), URL: sett.Some("https://shop.test/"), SlowAfter: sett.Some[int64](800), SlowChecks: sett.Some[int64](1)})),
		must[checks.CheckIn](t)(st.Uptime.CreateCheckIn(ctx, now, project, checks.CheckInChange{Name: sett.Some("Backup"), ReportPeriod: sett.Some(checks.PeriodText("1 hour"))})),
	}
}

// checked records what a check has found.
func (w *watched) checked(result checks.ProbeResult) {
	w.t.Helper()
	w.Clock.Push(time.Second)
	result.At = w.Clock.Now()
	report := checks.CheckReport{SiteID: w.site.ID, Location: checks.Virginia, Revision: w.site.Revision, Result: result}
	w.Clock.Push(result.Duration)
	must[[]checks.SiteEvent](w.t)(w.App.Store().Uptime.RecordChecks(w.t.Context(), w.Clock.Now(), []checks.CheckReport{report}))
}

// raiseAll has everything happen that users are notified of; settle is called before two days pass, for what is late by then
// is sent in other ways.
func (w *watched) raiseAll(assignee int64, settle func()) {
	w.t.Helper()
	ctx, st := w.t.Context(), w.App.Store()
	notice := `{"error":{"class":"Boom","message":"m","backtrace":[{"file":"[PROJECT_ROOT]/a.rb","number":"3","method":"b"}]},
		"request":{"url":"https://shop.test/pay","component":"pay","action":"go"},"server":{"environment_name":"production","revision":"bbb2"}}`
	w.Post("/v1/notices", notice).Want(http.StatusCreated)
	w.Post("/v1/check_in/"+w.checkIn.ID, nil).Want(http.StatusOK)
	settle()
	w.Clock.Push(48 * time.Hour)
	if held, err := st.Uptime.Occupy(ctx, w.Clock.Now(), checks.Virginia, "test", false, 5*time.Minute); !held || err != nil {
		w.t.Fatal(held, err)
	}
	for _, revision := range []string{"aaa1", "bbb2"} {
		w.Post("/v1/deploys", map[string]any{"deploy": map[string]any{"environment": "production", "revision": revision, "repository": "https://github.com/acme/shop"}}).Want(http.StatusCreated)
	}
	for range 30 {
		w.Post("/v1/notices", notice).Want(http.StatusCreated)
	}
	if err := st.Intake.Flush(ctx); err != nil {
		w.t.Fatal(err)
	}
	must[int](w.t)(st.Intake.RaiseRates(ctx, w.Clock.Now()))
	must[int](w.t)(st.Intake.RaiseSpikes(ctx, w.Clock.Now().Add(2*time.Minute)))
	for more := true; more; {
		var err error
		if more, _, err = st.Uptime.SweepCheckIns(ctx, w.Clock.Now(), 10); err != nil {
			w.t.Fatal(err)
		}
	}
	w.Post("/v1/check_in/"+w.checkIn.ID, nil).Want(http.StatusOK)
	w.Post("/v1/check_in/"+w.checkIn.ID, map[string]any{"check_in": map[string]any{"status": "error"}}).Want(http.StatusOK)
	soon := w.Clock.Now().Add(5 * 24 * time.Hour)
	for _, status := range []int{200, 503, 503, 200, 200} {
		result := checks.ProbeResult{Up: status == 200, Status: status, Certificate: &checks.ProbeCertificate{NotAfter: soon}}
		if status != 200 {
			result.Reason = "Expected 2xx status code -- got 503"
		}
		w.checked(result)
	}
	for _, took := range []time.Duration{2 * time.Second, 10 * time.Millisecond} {
		w.checked(checks.ProbeResult{Up: true, Status: 200, Duration: took, Certificate: &checks.ProbeCertificate{NotAfter: soon}})
	}
	w.alarm()
	fault := fmt.Sprintf("/v2/projects/%d/faults", w.Setup.ProjectID)
	var list serve.List[struct{ ID int64 }]
	w.Get(fault).Into(&list)
	one := fmt.Sprintf("%s/%d", fault, list.Results[0].ID)
	change := func(fields map[string]any) { w.Put(one, map[string]any{"fault": fields}).Want(http.StatusNoContent) }
	w.Post(one+"/comments", map[string]any{"comment": map[string]any{"body": "Look."}}).Want(http.StatusCreated)
	change(map[string]any{"assignee_id": assignee})
	change(map[string]any{"resolved": true})
	change(map[string]any{"resolved": false})
}

// alarm has an alarm be raised and end.
func (w *watched) alarm() {
	w.t.Helper()
	ctx, st := w.t.Context(), w.App.Store().Alarms
	w.Post(fmt.Sprintf("/v2/projects/%d/alarms", w.Setup.ProjectID), map[string]any{"alarm": map[string]any{
		"name": "Silence", "query": "filter status::int >= 500", "evaluation_period": "1m",
		"trigger_config": map[string]any{"type": "alert_result_count", "config": map[string]any{"operator": "eq", "value": 0}},
	}}).Want(http.StatusCreated)
	for count := range int64(2) {
		w.Clock.Push(time.Minute)
		now := w.Clock.Now()
		due := must[[]alarmdb.Due](w.t)(st.Claim(ctx, now, now.Add(time.Minute), 1, 1))
		if len(due) != 1 {
			w.t.Fatalf("%d alarms are due", len(due))
		}
		e := alarm.Evaluation{Window: due[0].Due(now), At: now, Count: count}
		if err := st.Record(ctx, now, []alarmdb.Found{{Due: due[0], Evaluation: e}}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// Every address in what channels and users are sent leads somewhere for a member who sees the project: of each kind of
// channel, for each event and for the test of a channel.
func TestAddressesInMessagesLeadSomewhere(t *testing.T) {
	t.Parallel()
	below(t, checkAddressesInMessagesLeadSomewhere)
}

func checkAddressesInMessagesLeadSomewhere(t *testing.T, start starter) {
	mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
	s := start(t, mailingTo(mails))
	outside := new(services)
	s.App.SendThrough(outside)
	who, member := addMember(t, s, "ann@example.test")
	everything := alerts.PersonalAlertsChange{Events: sett.Some(namesOf(alerts.PersonalAlertEvents()))}
	if err := s.App.Store().Deliveries.UpdatePersonalAlerts(t.Context(), s.Clock.Now(), who, s.Setup.ProjectID, everything); err != nil {
		t.Fatal(err)
	}
	ids := addChannels(t, s)
	watch(t, s).raiseAll(who, func() { awaitDeliveries(t, s, ids, "WebHook", 1) })
	awaitDeliveries(t, s, ids, "WebHook", len(alerts.AlertEvents()))
	s.Clock.Push(alerts.FloodWindow)
	if closed, err := s.App.Store().Deliveries.CloseFloods(t.Context(), s.Clock.Now()); closed == 0 || err != nil {
		t.Errorf("nothing was held back: %v", err)
	}
	awaitDeliveries(t, s, ids, "Slack", len(alerts.AlertEvents()))
	var events []string
	for _, d := range deliveriesOf(s, ids["WebHook"]) {
		events = append(events, string(d.Event))
	}
	for _, e := range namesOf(alerts.AlertEvents()) {
		if !slices.Contains(events, e) {
			t.Errorf("no channel was notified of %s", e)
		}
	}
	for _, id := range ids {
		s.Post(fmt.Sprintf("/v2/projects/%d/integrations/%d/test", s.Setup.ProjectID, id), nil).Want(http.StatusAccepted)
	}
	awaitDeliveries(t, s, ids, "WebHook", len(alerts.AlertEvents())+1)

	all, reached := newHandedOut(s), map[string]bool{}
	for _, m := range outside.all() {
		out := newHandedOut(s)
		out.readBody("message to "+m.to, []byte(m.text))
		out.readText("header of a message to "+m.to, m.headers)
		maps.Copy(all.found, out.found)
		if len(out.found) > 0 {
			reached[m.to] = true
		}
	}
	if len(reached) != len(ids)-1 { // and one sends mail
		t.Errorf("of %d kinds of channels, addresses were sent to %q", len(ids), slices.Sorted(maps.Keys(reached)))
	}
	for _, m := range mails.Mails() {
		all.readMail(t, m)
		reached[m.To] = true
	}
	if !reached["ann@example.test"] || !reached["team@example.test"] {
		t.Errorf("no mail has arrived for some: %v", reached)
	}
	all.enough(t, 10, "/projects/1/faults/", "/projects/1/sites/", "/projects/1/check_ins/", "/projects/1/deploys", "/v1/check_in/", "/unsubscribe/")
	all.followAs(t, s, &member)
}
