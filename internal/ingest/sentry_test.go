package ingest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

// recordedKey is the key in all recorded requests, to project 42.
const recordedKey = "0123456789abcdef0123456789abcdef"

// dsn makes what was sent with the recorded DSN what would be sent with that of the office's project.
func (o *office) dsn(text string) string {
	text = strings.ReplaceAll(text, recordedKey, o.setup.APIKey)
	return strings.ReplaceAll(text, "/api/42/", fmt.Sprintf("/api/%d/", o.setup.ProjectID))
}

// replay sends a recorded request.
func (o *office) replay(t *testing.T, c recording.Capture) *httptest.ResponseRecorder {
	t.Helper()
	body := c.Body
	if encoding := c.Header.Get("Content-Encoding"); encoding == "" {
		body = []byte(o.dsn(string(body)))
	}
	r := httptest.NewRequestWithContext(t.Context(), c.Method, o.dsn(c.Target), bytes.NewReader(body))
	for name, values := range c.Header {
		for _, value := range values {
			r.Header.Add(name, o.dsn(value))
		}
	}
	r.Header.Del("Content-Length")
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

// sendSentry sends a body with the key of the project.
func (o *office) sendSentry(t *testing.T, path, body string, headers map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, o.dsn("/api/42"+path), strings.NewReader(body))
	r.Header.Set("X-Sentry-Auth", "Sentry sentry_version=7,sentry_key="+o.setup.APIKey)
	for name, value := range headers {
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	return w
}

// Every request that a released client was recorded with is answered with 200, and every event in it is stored once, however
// often it is sent. Feedback about an event is none.
func TestRecordedSentryClients(t *testing.T) {
	t.Parallel()
	for client, notices := range map[string]int64{
		"sentry-browser": 11, "sentry-go": 7, "sentry-java": 6, "sentry-node": 14, "sentry-python": 13, "sentry-ruby": 3, "sentry-rust": 3,
		"browser-csp": 2,
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			sent := 0
			for range 2 {
				for _, c := range recording.Captures(t, client) {
					path := strings.TrimSuffix(strings.Split(c.Target, "?")[0], "/")
					if !strings.HasSuffix(path, "/envelope") && !strings.HasSuffix(path, "/store") && !strings.HasSuffix(path, "/security") && path != "/tunnel" {
						continue
					}
					sent++
					if w := o.replay(t, c); w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" && c.Method == http.MethodPost {
						t.Errorf("%s %s: %d %s %v", c.Name, c.Target, w.Code, w.Body, w.Header())
					}
				}
			}
			if client == "browser-csp" {
				notices *= 2 // a report has no id
			}
			o.wantStored(t, notices)
			if sent < 4 {
				t.Errorf("only %d requests were sent", sent)
			}
		})
	}
}

// wantStored checks how many notices were stored today.
func (o *office) wantStored(t *testing.T, want int64) {
	t.Helper()
	usage, err := o.store.Intake.AccountUsage(context.Background(), o.setup.AccountID, o.now)
	if err != nil {
		t.Fatal(err)
	}
	if got := usage[len(usage)-1]; got.Stored != want || got.Invalid != 0 || got.Limited != 0 {
		t.Errorf("the ledger of the day is %+v, want %d stored", got, want)
	}
}

const oneEvent = `{"event_id":"58ad5c2404474ae6b0a2439d0d65462c","exception":{"values":[{"type":"PaymentError","value":"refused"}]}}`

func TestSentryRefusals(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	envelope := "{}\n{\"type\":\"event\"}\n" + oneEvent
	for name, c := range map[string]struct {
		path, body string
		headers    map[string]string
		status     int
		says       string
	}{
		"no key":                  {"/envelope/", envelope, map[string]string{"X-Sentry-Auth": ""}, 403, "DSN"},
		"an unknown key":          {"/envelope/?sentry_key=wrong", envelope, map[string]string{"X-Sentry-Auth": ""}, 403, "unknown"},
		"not an envelope":         {"/envelope/", "hello", nil, 400, "JSON"},
		"an event that is a list": {"/envelope/", "{}\n{\"type\":\"event\"}\n[]", nil, 422, "object"},
		"an event without value":  {"/envelope/", envelope[:strings.Index(envelope, `{"values"`)], nil, 400, "truncated"},
		"no JSON":                 {"/store/", "hello", nil, 400, "JSON"},
		"a bad encoding":          {"/store/", "hello", map[string]string{"Content-Encoding": "zstd"}, 400, "zstd"},
		"an unknown encoding":     {"/store/", "hello", map[string]string{"Content-Encoding": "compress"}, 422, "gzip"},
		"too long":                {"/envelope/", strings.Repeat(" ", maxLargeSent+1), nil, 413, "20971520"},
		"a report of nothing":     {"/security/", "{}", nil, 422, "csp-report"},
	} {
		t.Run(name, func(t *testing.T) {
			w := o.sendSentry(t, c.path, c.body, c.headers)
			var answer struct{ Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
				t.Fatalf("%d %s: %v", w.Code, w.Body, err)
			}
			if w.Code != c.status || !strings.Contains(answer.Detail, c.says) || w.Header().Get("X-Sentry-Error") != answer.Detail || w.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%d %s %v, want %d and %q", w.Code, w.Body, w.Header(), c.status, c.says)
			}
		})
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("/api/%d/envelope/?sentry_key=%s", o.setup.ProjectID+1, o.setup.APIKey), strings.NewReader(envelope))
	w := httptest.NewRecorder()
	if o.ServeHTTP(w, r); w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "does not belong") {
		t.Errorf("the key of another project: %d %s", w.Code, w.Body)
	}
}

// A bomb ends at the cap, in each of the codings.
func TestSentryBombs(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	long := bytes.Repeat([]byte(" "), maxEnvelopePlain+1)
	for _, encoding := range []string{"gzip", "deflate", "br", "zstd"} {
		body := recording.Compressed(t, encoding, long)
		if w := o.sendSentry(t, "/envelope/", string(body), map[string]string{"Content-Encoding": encoding}); w.Code != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d %s", encoding, w.Code, w.Body)
		}
	}
}

// A project that has reached its limit answers with what makes clients wait, and accepts what they drop then.
func TestSentryLimits(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{ProjectThrottle: 1})
	o.sendSentry(t, "/store/", strings.Replace(oneEvent, "58ad", "0000", 1), nil)
	w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"event\"}\n"+oneEvent, nil)
	limits := w.Header().Get("X-Sentry-Rate-Limits")
	if w.Code != http.StatusTooManyRequests || !strings.HasSuffix(limits, ":error;default:project:quota") || w.Header().Get("Retry-After") == "" {
		t.Errorf("%d %s %v", w.Code, w.Body, w.Header())
	}
	if !strings.Contains(w.Header().Get("Access-Control-Expose-Headers"), "X-Sentry-Rate-Limits") {
		t.Errorf("pages cannot read the limits: %v", w.Header())
	}
	if w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"client_report\"}\n{\"discarded_events\":[]}\n", nil); w.Code != http.StatusOK {
		t.Errorf("a client report: %d %s", w.Code, w.Body)
	}
}

// What sett drops is answered with success, and with what makes clients stop sending it.
func TestSentryDropped(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"transaction\"}\n{}\n{\"type\":\"log\",\"item_count\":2}\n{}\n{\"type\":\"unheard\"}\n{}\n", nil)
	if got, want := w.Header().Get("X-Sentry-Rate-Limits"), "3600:span;transaction:project:unsupported"; w.Code != http.StatusOK || got != want {
		t.Errorf("%d, limits %q, want %q", w.Code, got, want)
	}
	o.wantStored(t, 0)
}

// Old clients send one event without an envelope, some of them as zlib data in base64.
func TestSentryStore(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	packed := base64.StdEncoding.EncodeToString(recording.Compressed(t, "deflate", []byte(oneEvent)))
	for _, body := range []string{oneEvent, packed} {
		if w := o.sendSentry(t, "/store/", body, nil); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"id":"58ad5c2404474ae6b0a2439d0d65462c"`) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	o.wantStored(t, 1)
}

// An item that cannot be read loses nothing of the others.
func TestSentryItemsAreApart(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"event\"}\n[]\n{\"type\":\"event\"}\n"+oneEvent, nil)
	if w.Code != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	usage, err := o.store.Intake.AccountUsage(t.Context(), o.setup.AccountID, o.now)
	if err != nil || usage[len(usage)-1].Stored != 1 || usage[len(usage)-1].Invalid != 1 {
		t.Errorf("the ledger is %+v, %v", usage, err)
	}
}

func TestSentryPreflight(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, "/api/42/envelope/", nil)
	r.Header.Set("Access-Control-Request-Headers", "content-encoding,sentry-trace,x-sentry-auth,baggage")
	w := httptest.NewRecorder()
	o.ServeHTTP(w, r)
	for _, name := range []string{"content-encoding", "sentry-trace", "x-sentry-auth", "baggage"} {
		if !strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), name) {
			t.Errorf("%s is not allowed: %v", name, w.Header())
		}
	}
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

// Every client that reports jobs creates the check-in with the schedule that it sends, and both halves of a run are one ping.
func TestSentryCheckIns(t *testing.T) {
	t.Parallel()
	for client, want := range map[string]string{
		"sentry-go/checkin":     "nightly-report cron */5 * * * * Europe/Berlin 2 minutes reporting",
		"sentry-java/checkin":   "nightly-report cron */5 * * * * Europe/Berlin 2 minutes reporting",
		"sentry-node/checkin":   "nightly-report cron */5 * * * * Europe/Berlin 2 minutes reporting",
		"sentry-python/checkin": "nightly-report cron */5 * * * * Europe/Berlin 2 minutes reporting",
		"sentry-cli/monitors":   "nightly-report cron */5 * * * * Europe/Berlin 2 minutes failing", // its command failed
	} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			for _, c := range recording.Captures(t, client) {
				if w := o.replay(t, c); w.Code != http.StatusOK {
					t.Errorf("%s: %d %s", c.Name, w.Code, w.Body)
				}
			}
			found := o.checkIns(t)
			if len(found) == 0 || found[0] != want {
				t.Errorf("the check-ins are %q, want first %q", found, want)
			}
		})
	}
}

func (o *office) checkIns(t *testing.T) (all []string) {
	t.Helper()
	found, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		all = append(all, fmt.Sprint(c.Slug, " ", c.ScheduleType, " ", c.ReportPeriod, c.CronSchedule, " ", c.CronTimezone, " ", c.GracePeriod, " ", c.State))
	}
	return all
}

func TestSentryCheckInsOfAllKinds(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	send := func(checkIn string, status int) {
		t.Helper()
		if w := o.sendSentry(t, "/envelope/", "{}\n{\"type\":\"check_in\"}\n"+checkIn, nil); w.Code != status {
			t.Errorf("%s: %d %s, want %d", checkIn, w.Code, w.Body, status)
		}
	}
	wantCheckIns := func(want ...string) {
		t.Helper()
		if got := o.checkIns(t); strings.Join(got, "; ") != strings.Join(want, "; ") {
			t.Errorf("the check-ins are %q, want %q", got, want)
		}
	}
	send(`{"monitor_slug":"unknown","status":"ok"}`, 200)
	wantCheckIns()
	send(`{"monitor_slug":"My Job!","status":"in_progress","monitor_config":{"schedule":{"type":"interval","value":2,"unit":"hour"}}}`, 200)
	wantCheckIns("my-job simple 2 hours  1 minute pending")
	send(`{"monitor_slug":"My Job!","status":"error","duration":1.5}`, 200)
	wantCheckIns("my-job simple 2 hours  1 minute failing")
	send(`{"monitor_slug":"yearly","status":"ok","monitor_config":{"schedule":{"type":"interval","value":1,"unit":"year"},"checkin_margin":60}}`, 200)
	wantCheckIns("my-job simple 2 hours  1 minute failing", "yearly simple 12 months  60 minutes reporting")
	send(`{"monitor_slug":"yearly","status":"ok","monitor_config":{"schedule":{"type":"interval","value":3,"unit":"day"}}}`, 200)
	wantCheckIns("my-job simple 2 hours  1 minute failing", "yearly simple 3 days  1 minute reporting")
	send(`{"monitor_slug":"bad","status":"ok","monitor_config":{"schedule":{"type":"crontab","value":"now and then"}}}`, 422)
	send(`{"monitor_slug":"??","status":"ok"}`, 422)
	send(`{"monitor_slug":7,"status":[],"monitor_config":"x","duration":"long"}`, 200)
	events, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 10})
	if err != nil || len(events) != 2 {
		t.Fatal(events, err)
	}

	// The end of a run that arrives before its beginning, which alone has the schedule, counts.
	send(`{"monitor_slug":"early","status":"ok"}`, 200)
	send(`{"monitor_slug":"early","status":"in_progress","monitor_config":{"schedule":{"type":"interval","value":3,"unit":"day"}}}`, 200)
	if all := o.checkIns(t); !slices.Contains(all, "early simple 3 days  1 minute reporting") {
		t.Errorf("the check-ins are %q", all)
	}
	early, _, err := o.store.Uptime.ListCheckIns(t.Context(), o.setup.ProjectID, sett.Page{Size: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range early {
		if c.Slug == "early" {
			if err := o.store.Uptime.DeleteCheckIn(t.Context(), o.setup.ProjectID, c.ID); err != nil {
				t.Fatal(err)
			}
		}
	}

	// A check-in that was deleted comes back with the next report that says when the job runs.
	if err := o.store.Uptime.DeleteCheckIn(t.Context(), o.setup.ProjectID, events[1].ID); err != nil {
		t.Fatal(err)
	}
	send(`{"monitor_slug":"yearly","status":"ok","monitor_config":{"schedule":{"type":"interval","value":3,"unit":"day"}}}`, 200)
	wantCheckIns("my-job simple 2 hours  1 minute failing", "yearly simple 3 days  1 minute reporting")
}

// What a policy blocks is one error, on whichever page it is.
func TestViolationsOnTwoPagesAreOneError(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, page := range []string{"cart", "checkout"} {
		body := fmt.Sprintf(`{"csp-report":{"document-uri":"https://shop.test/%s","source-file":"https://shop.test/%[1]s","line-number":7,"violated-directive":"img-src","blocked-uri":"https://cdn.test/a.png"}}`, page)
		if w := o.sendSentry(t, "/security/", body, nil); w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", page, w.Code, w.Body)
		}
	}
	n := 0
	if err := o.store.Read.QueryRowContext(t.Context(), `SELECT count(*) FROM faults`).Scan(&n); err != nil || n != 1 {
		t.Errorf("two pages make %d errors, %v", n, err)
	}
}
