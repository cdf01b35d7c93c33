package ingest

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/ingest/event"
	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/setttest/recording"
)

// Error storms are what compresses best: an endless recursion, equal lines of a log, equal exceptions. None of them is taken for a bomb.
func TestWhatCompressesWellIsTaken(t *testing.T) {
	t.Parallel()
	frames := `{"filename":"tree.py","function":"walk","lineno":4,"vars":{"n":"<Node object at 0x7f>"},"pre_context":["def walk(n):"],"context_line":"  return walk(n)"}`
	recursion := `{"exception":{"values":[{"type":"RecursionError","value":"maximum recursion depth exceeded","stacktrace":{"frames":[` + strings.TrimSuffix(strings.Repeat(frames+",", 5_000), ",") + `]}}]}}`
	exception := `{"timeUnixNano":"1795382553000000000","attributes":[{"key":"exception.type","value":{"stringValue":"Boom"}},{"key":"exception.stacktrace","value":{"stringValue":"` + strings.Repeat(`at pay (cart.js:1:2)\n`, 60) + `"}}]},`
	batch := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[` + strings.TrimSuffix(strings.Repeat(exception, 400), ",") + `]}]}]}`
	line := `{"event_type":"log","level":"error","message":"could not connect to the database at db.internal:5432: connection refused"}` + "\n"
	for _, c := range []struct {
		path, body string
		status     int
		stored     int64
	}{
		{"/api/42/envelope/", "{}\n{\"type\":\"event\"}\n" + recursion + "\n", http.StatusOK, 1},
		{"/api/42/store/", recursion, http.StatusOK, 1},
		{"/v1/logs", batch, http.StatusOK, 1},
		{"/v1/events", strings.Repeat(line, 5_000), http.StatusCreated, 0},
		{"/v1/notices", `{"error":{"class":"Boom"},"request":{"context":{"trail":"` + strings.Repeat("again ", 40_000) + `"}}}`, http.StatusCreated, 1},
	} {
		for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
			o := setup(t, accounts.Limits{})
			o.events.most = 1 << 30
			packed := recording.Compressed(t, encoding, []byte(c.body))
			if len(c.body) < 120*len(packed) {
				t.Fatalf("%s: %d bytes compress to %d: that says nothing", c.path, len(c.body), len(packed))
			}
			w := o.post(t, o.dsn(c.path), bytes.NewReader(packed), map[string]string{"Content-Encoding": encoding, "X-Sentry-Auth": "Sentry sentry_key=" + o.setup.APIKey, "Content-Type": "application/json"})
			if w.Code != c.status {
				t.Errorf("%s in %s, %d bytes of %d: %d %.200s", c.path, encoding, len(packed), len(c.body), w.Code, w.Body)
			}
			o.wantDiscards(t)
			o.wantStored(t, c.stored)
		}
	}
}

// Whatever is refused is counted under its reason, with the sentence that its sender was answered with.
func TestRefusalsAreCountedWithTheirReason(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	auth := map[string]string{"X-Sentry-Auth": "Sentry sentry_key=" + o.setup.APIKey, "Content-Type": "application/json"}
	long := `{"error":{"message":"` + strings.Repeat("x", event.MaxNotice) + `"}}`
	for _, c := range []struct {
		path, body string
		counted    string
		says       string
	}{
		{"/v1/notices", long, "server error too_large 1", "at most 262144 are accepted"},
		{"/v1/notices", "hello", "server error unreadable 1", "not valid JSON"},
		{"/v1/notices", `{"a":1}`, "server error invalid 1", `no "error" object`},
		{"/v1/events", "{\"a\":1}\nhello\n[1]\n", "server log_item unreadable 2", "must be a JSON object"},
		{"/v1/events", `{"a":"` + strings.Repeat("x", 200<<10) + `"}`, "server log_item too_large 1", "At most 102400"},
		{"/v1/logs", "hello", "server error unreadable 1", "not valid JSON"},
		{"/api/42/envelope/", "{}\n{\"type\":\"event\"}\nhello\n", "server error unreadable 1", "not valid JSON"},
		{"/api/42/envelope/", "{}\n{\"type\":\"log\",\"item_count\":3}\nhello\n", "server log_item unreadable 3", "not valid JSON"},
		{"/api/42/envelope/", "{}\n{\"type\":\"session\"}\nhello\n", "server session unreadable 1", "not valid JSON"},
		{"/api/42/envelope/", "{}\n{\"type\":\"future\",\"item_count\":2}\nhello\n", "server other unsupported 2", ""},
		{"/api/42/envelope/", "{}\nhello\n", "server other unreadable 1", ""},
		{"/api/42/envelope/", "{}\n" + strings.Repeat("{\"type\":\"internal\"}\n\n", 1_002), "server other unreadable 2|server other unsupported 1000", ""},
		{"/api/v3/projects/42/notices", "hello", "server error unreadable 1", "not valid JSON"},
		{"/api/v5/projects/42/routes-stats", "{}", "server transaction unsupported 1", ""},
		{"/v1/check_in/" + o.setup.APIKey + "/nightly", "", "server monitor no_check_in 1", "Check-in not found"},
	} {
		path := strings.ReplaceAll(o.dsn(c.path), "/projects/42/", fmt.Sprintf("/projects/%d/", o.setup.ProjectID))
		w := o.post(t, path, strings.NewReader(c.body), auth)
		var counted []string
		says := ""
		_ = o.discards.Save(func(all []stats.Discard) error {
			for _, d := range all {
				counted, says = append(counted, fmt.Sprint(d.Source, " ", d.Category, " ", d.Reason, " ", d.Count)), says+d.Detail
			}
			return nil
		})
		if !equalSets(counted, strings.Split(c.counted, "|")) || !strings.Contains(says, c.says) {
			t.Errorf("%s %.40q: answered with %d, counted as %q, because %q; want %q, %q", c.path, c.body, w.Code, counted, says, c.counted, c.says)
		}
	}
}

func equalSets(a, b []string) bool {
	in := map[string]int{}
	for _, text := range a {
		in[text]++
	}
	for _, text := range b {
		in[text]--
	}
	for _, n := range in {
		if n != 0 {
			return false
		}
	}
	return true
}

// Spans and metrics are counted one by one, in both encodings.
func TestSpansAndMetricsAreCounted(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	json := map[string]string{"Content-Type": typeJSON}
	o.post(t, "/v1/traces", strings.NewReader(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"},{"name":"b"}]},{"spans":[{"name":"c"}]}]}]}`), json)
	o.wantDiscards(t, "server span unsupported 3")
	o.post(t, "/v1/metrics", strings.NewReader(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"a"},{"name":"b"}]}]}]}`), json)
	o.wantDiscards(t, "server metric_bucket unsupported 2")
	in := func(parts ...string) string { // a field 2 or, of what is outermost, 1
		return strings.Join(parts, "")
	}
	field := func(number byte, body string) string { return string([]byte{number<<3 | 2, byte(len(body))}) + body }
	scope := field(2, in(field(2, ""), field(2, "")))
	o.post(t, "/v1/metrics", strings.NewReader(field(1, scope)), map[string]string{"Content-Type": typeProtobuf})
	o.wantDiscards(t, "server metric_bucket unsupported 2")
	o.post(t, "/v1/traces", strings.NewReader(field(1, scope)), map[string]string{"Content-Type": typeProtobuf})
	o.wantDiscards(t, "server span unsupported 2")
	o.post(t, "/v1/metrics", strings.NewReader("hello"), json)
	o.wantDiscards(t, "server metric_bucket unsupported 1")
}

// Log records that are no exceptions are events, with what is known of their program; where a server stores none, they are counted.
func TestOTLPLogsAreEvents(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	const logs = `{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"kiosk"}}]},"scopeLogs":[{"scope":{"name":"cart"},"logRecords":[{"severityNumber":17,"body":{"stringValue":"payment failed"}},{"body":{"stringValue":"again"}}]}]}]}`
	json := map[string]string{"Content-Type": typeJSON}
	o.post(t, "/v1/logs", strings.NewReader(logs), json)
	want := []string{
		`event_type="log" logger="cart" message="again" service.name="kiosk"`,
		`event_type="log" logger="cart" message="payment failed" service.name="kiosk" severity="error"`,
	}
	if diff := cmp.Diff(want, o.eventLines(t)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	o.wantDiscards(t)
	o.events.most = 0
	o.post(t, "/v1/logs", strings.NewReader(logs), json)
	o.wantDiscards(t, "server log_item unsupported 2")
	o.post(t, "/v1/events", strings.NewReader("{}\n\n{}\n"), nil)
	o.wantDiscards(t, "server log_item unsupported 2")
}

// Events beyond the limit of a day are counted, those of later requests too.
func TestEventsBeyondTheLimitAreCounted(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	line := `{"a":"` + strings.Repeat("x", 15_000) + `"}` + "\n"
	o.post(t, "/v1/events", strings.NewReader(line), nil)
	o.wantDiscards(t)
	o.post(t, "/v1/events", strings.NewReader(line+"{}\n"), nil)
	o.wantDiscards(t) // the last ones that are stored
	o.post(t, "/v1/events", strings.NewReader("{}\n{}\n"), nil)
	o.wantDiscards(t, "server log_item limited 2")
	o.post(t, "/v1/events", strings.NewReader("{}\n{}\n{}\n"), nil)
	o.wantDiscards(t, "server log_item limited 3")
}

// A job whose reports are refused is shown with the sentence, until one is taken.
func TestRefusedCheckInsAreKept(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	report := func(slug, zone string) {
		t.Helper()
		o.sendSentry(t, "/envelope/", checkInEnvelope(`{"monitor_slug":"`+slug+`","status":"ok","monitor_config":{"schedule":{"type":"crontab","value":"0 3 * * *"},"timezone":"`+zone+`"}}`), nil)
	}
	want := func(want ...string) {
		t.Helper()
		err := o.discards.SaveCheckIns(func(all []stats.RefusedCheckIn) error { return o.store.Uptime.RefuseCheckIns(t.Context(), all) })
		if err != nil {
			t.Fatal(err)
		}
		all, err := o.store.Uptime.RefusedCheckIns(t.Context(), o.now, o.setup.ProjectID)
		var got []string
		for _, r := range all {
			got = append(got, fmt.Sprint(r.Slug, " ", r.Reason, " ", r.Count, " ", r.Why))
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	const why = `Please correct: cron_timezone "Europe/Berlinn" is no time zone; did you mean Europe/Berlin?.`
	want()
	report("nightly", "Europe/Berlinn")
	report("nightly", "Europe/Berlinn")
	want("nightly invalid 2 " + why)
	report("nightly", "Europe/Berlinn")
	o.ping(t, http.MethodPost, "/v1/check_in/"+o.setup.APIKey+"/weekly", nil)
	want("nightly invalid 3 "+why, "weekly no_check_in 1 Check-in not found. Copy the URL from its page.")
	report("nightly", "Europe/Berlin")
	report("weekly", "Europe/Berlin")
	want()
	report("nightly", "Europe/Berlinn")
	want("nightly invalid 1 " + why)
	report("nightly", "Europe/Berlin") // as before, of which the settings are known
	want()
}
