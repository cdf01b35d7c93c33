package ingest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/setttest/recording"
)

// lines returns the stored events as text, without their times.
func (o *office) eventLines(t *testing.T) (all []string) {
	t.Helper()
	for _, e := range o.storedEvents(t).Events {
		var fields []string
		for _, f := range e.Fields {
			fields = append(fields, f.Key+"="+f.Value)
		}
		all = append(all, strings.Join(fields, " "))
	}
	slices.Sort(all)
	return all
}

// Events that released clients were recorded with are all stored.
func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]struct {
		events int
		has    string
	}{
		"honeybadger-go": {2, `event_type="`}, "honeybadger-python": {3, `duration=25.7329 method="GET"`}, "honeybadger-browser": {3, `event_type="log"`},
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			for _, c := range recording.Captures(t, client) {
				headers := map[string]string{"Content-Type": c.Header.Get("Content-Type"), "Content-Encoding": c.Header.Get("Content-Encoding")}
				if c.Method == http.MethodOptions {
					continue
				}
				if w := o.post(t, c.Target, strings.NewReader(string(c.Body)), headers); w.Code != http.StatusCreated || !strings.Contains(w.Body.String(), `"errors":false`) {
					t.Errorf("%s: %d %s", c.Name, w.Code, w.Body)
				}
			}
			if lines := o.eventLines(t); len(lines) != want.events || !strings.Contains(strings.Join(lines, "\n"), want.has) {
				t.Errorf("%d events are stored, want %d:\n%s", len(lines), want.events, strings.Join(lines, "\n"))
			}
		})
	}
}

// Whatever comes instead of events is answered, and never as a mistake of the server.
func TestMutatedEvents(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	o.events.most = 1 << 40
	for _, c := range recording.Captures(t, "honeybadger-python") {
		for _, line := range strings.Split(strings.TrimSpace(string(c.Body)), "\n")[:1] {
			for doc := range recording.Mutations(t, []byte(line)) {
				w := o.post(t, "/v1/events", strings.NewReader(string(doc)), nil)
				if w.Code != http.StatusCreated && w.Code != http.StatusBadRequest && w.Code != http.StatusUnprocessableEntity {
					t.Fatalf("%s: %d %s", doc, w.Code, w.Body)
				}
			}
		}
	}
	if o.storedEvents(t).Unread > 0 {
		t.Error("stored events are damaged")
	}
}

// The logs of Sentry's clients are stored as events, and the clients are not asked to stop sending them.
func TestSentryLogs(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"sentry-go", "sentry-java", "sentry-node", "sentry-python"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			for _, c := range recording.Captures(t, client+"/logs") {
				if w := o.replay(t, c); w.Code != http.StatusOK || strings.Contains(w.Header().Get("X-Sentry-Rate-Limits"), "log") {
					t.Errorf("%s: %d %v", c.Name, w.Code, w.Header())
				}
			}
			lines := o.eventLines(t)
			all := strings.Join(lines, "\n")
			for _, want := range []string{`event_type="log"`, `severity="info"`, `severity="error"`, `message="user `, `trace_id="`, `environment="production"`, `revision="shop@1.2.3"`} {
				if !strings.Contains(all, want) {
					t.Errorf("no event has %s", want)
				}
			}
			if strings.Contains(all, "sentry.sdk.") || t.Failed() {
				t.Errorf("the events are\n%s", all)
			}
		})
	}
}

// Logs beyond the limit of a day are dropped, and errors beside them are stored.
func TestSentryLogsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	logs := `{"items":[{"level":"info","body":"` + strings.Repeat("x", 15_000) + `"}]}`
	envelope := "{}\n{\"type\":\"log\",\"item_count\":1}\n" + logs + "\n{\"type\":\"event\"}\n" + oneEvent + "\n"
	limits := ""
	for range 3 {
		w := o.sendSentry(t, "/envelope/", envelope, nil)
		if limits = w.Header().Get("X-Sentry-Rate-Limits"); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if limits != "3600:log_item;log_byte:project:quota" || o.storedEvents(t).Total != 2 {
		t.Errorf("limits %q, %d events", limits, o.storedEvents(t).Total)
	}
	o.wantStored(t, 1)
	if w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"log\"}\n{\"items\":[}\n", nil); w.Code != http.StatusBadRequest && w.Code != http.StatusOK {
		t.Errorf("no JSON: %d %s", w.Code, w.Body)
	}
}

// Log records of OpenTelemetry that are no exceptions are stored as events.
func TestOTLPLogs(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	at := o.now.UnixNano()
	body := fmt.Sprintf(`{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}},{"key":"host.name","value":{"stringValue":"web-1"}},{"key":"process.pid","value":{"intValue":7}}]},
		"scopeLogs":[{"scope":{"name":"app.pay"},"logRecords":[
		{"timeUnixNano":"%d","severityNumber":13,"body":{"stringValue":"slow payment"},"traceId":"5b8efff798038103d269b633813fc60c","attributes":[{"key":"ms","value":{"intValue":"1200"}},{"key":"cart","value":{"kvlistValue":{"values":[{"key":"id","value":{"intValue":3}}]}}},{"key":"tags","value":{"arrayValue":{"values":[{"stringValue":"a"}]}}}]},
		{"timeUnixNano":"%d","attributes":[{"key":"exception.type","value":{"stringValue":"Boom"}}]}]}]}]}`, at, at)
	if w := o.export(t, "/v1/logs", []byte(body), nil); w.Code != http.StatusOK || w.Body.String() != "{}" {
		t.Errorf("answer = %d %s", w.Code, w.Body)
	}
	want := `event_type="log" cart.id=3 hostname="web-1" logger="app.pay" message="slow payment" ms=1200 service.name="shop" severity="warn" tags=["a"] trace_id="5b8efff798038103d269b633813fc60c"`
	if lines := o.eventLines(t); len(lines) != 1 || lines[0] != want {
		t.Errorf("events:\n%s\nwant\n%s", strings.Join(lines, "\n"), want)
	}
	if e := o.storedEvents(t).Events[0]; e.At != insight.Micros(o.now) {
		t.Errorf("time = %v", e.Time())
	}
	o.wantToday(t, accounts.UsageDay{Stored: 1})
	long := strings.Replace(body, "slow payment", strings.Repeat("x", 15_000), 1)
	answers := ""
	for range 3 {
		w := o.export(t, "/v1/logs", []byte(long), nil)
		answers = w.Body.String()
		if w.Code != http.StatusOK {
			t.Errorf("answer = %d %s", w.Code, w.Body)
		}
	}
	if !strings.Contains(answers, `"rejectedLogRecords":"1"`) {
		t.Errorf("beyond the limit: %s", answers)
	}
	for _, client := range []string{"otlp-go", "otlp-node-proto", "otlp-python"} {
		o := setup(t, accounts.Limits{})
		for _, c := range recording.Captures(t, client) {
			o.resend(t, c, c.Body)
		}
		for _, line := range o.eventLines(t) {
			if !strings.Contains(line, "message=") || !strings.Contains(line, "service.name=") {
				t.Errorf("%s: %s", client, line)
			}
		}
	}
}
