package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
)

// sentryItems are items of each type that Sentry's clients send, with the category of those that sett drops always.
var sentryItems = []struct{ kind, payload, dropped string }{
	{"event", `{"exception":{"values":[{"type":"E"}]}}`, ""},
	{"attachment", "text", ""},
	{"check_in", `{"monitor_slug":"job","status":"ok","monitor_config":{"schedule":{"type":"interval","value":1,"unit":"day"}}}`, ""},
	{"session", `{"sid":"a","init":true,"status":"ok","attrs":{"release":"shop@1"}}`, ""},
	{"sessions", `{"attrs":{"release":"shop@1"},"aggregates":[{"exited":1}]}`, ""},
	{"feedback", `{"contexts":{"feedback":{"message":"It broke"}}}`, ""},
	{"user_report", `{"comments":"It broke"}`, ""},
	{"client_report", `{"discarded_events":[]}`, ""},
	{"log", `{"items":[{"timestamp":1,"level":"info","body":"x"}]}`, ""},
	{"transaction", "{}", "transaction"},
	{"span", "{}", "span"},
	{"profile", "{}", "profile"},
	{"profile_chunk", "{}", "profile_chunk"},
	{"replay_event", "{}", "replay"},
	{"replay_recording", "{}", "replay"},
	{"replay_video", "{}", "replay"},
	{"trace_metric", "{}", "trace_metric"},
	{"statsd", "x", "metric_bucket"},
	{"metric_buckets", "[]", "metric_bucket"},
	{"otel_log", "{}", "log_item"},
	{"unheard_of", "{}", ""},
}

// ofPage sends a request as a page of another origin does, and returns its answer, of which the page must be able to read all that it acts on.
func ofPage(t *testing.T, s *setttest.Server, method, path, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.Base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://shop.example.test")
	if method == http.MethodOptions {
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "x-sentry-auth, content-type, content-encoding, sentry-trace, baggage")
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	exposed := answer.Header.Get("Access-Control-Expose-Headers")
	for _, name := range []string{"X-Sentry-Error", "X-Sentry-Rate-Limits", "Retry-After"} {
		if !strings.Contains(exposed, name) {
			t.Errorf("%s %s: a page cannot read %s: %v", method, path, name, answer.Header)
		}
	}
	if answer.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("%s %s: a page cannot read the answer: %v", method, path, answer.Header)
	}
	return answer
}

// wantLimit checks that an answer asks the client to send nothing of a category.
func wantLimit(t *testing.T, what string, answer *http.Response, category string) {
	t.Helper()
	limits := strings.Join(answer.Header.Values("X-Sentry-Rate-Limits"), ", ")
	for limit := range strings.SplitSeq(limits, ", ") {
		seconds, rest, _ := strings.Cut(limit, ":")
		categories, _, _ := strings.Cut(rest, ":")
		if n, err := strconv.Atoi(seconds); err == nil && n > 0 && strings.Contains(";"+categories+";", ";"+category+";") {
			return
		}
	}
	t.Errorf("%s: %d, limits %q do not have %s", what, answer.StatusCode, limits, category)
}

// Whatever a client sends and however it is answered, it learns what it must not send for a while, and pages of any origin can read that.
func TestLimitsOfSentryClients(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		envelope := fmt.Sprintf("/api/%d/envelope/?sentry_key=", s.Setup.ProjectID)
		event := "{\"type\":\"event\"}\n" + sentryItems[0].payload + "\n"
		large := "{\"type\":\"event\"}\n" + strings.Repeat("[", 8<<20+1) + "\n"
		item := func(kind, payload string) string { return fmt.Sprintf("{\"type\":%q}\n%s\n", kind, payload) }
		if a := ofPage(t, s, "POST", envelope+s.Setup.APIKey, "{}\n"+event); a.StatusCode != 200 {
			t.Fatalf("the first event: %d", a.StatusCode)
		}
		for _, c := range sentryItems {
			body := "{}\n" + item(c.kind, c.payload)
			for name, want := range map[string]struct {
				key, body string
				status    int
			}{
				"alone":          {s.Setup.APIKey, body, 200},
				"a wrong key":    {"wrong", body, 403},
				"beside a limit": {s.Setup.APIKey, body + event, 429},
				"too large":      {s.Setup.APIKey, body + large, 413},
				"no envelope":    {s.Setup.APIKey, "[]\n" + body, 400},
			} {
				what := c.kind + ", " + name
				answer := ofPage(t, s, "POST", envelope+want.key, want.body)
				if c.kind == "event" && name == "alone" {
					want.status = 429
				}
				if answer.StatusCode != want.status || want.status != 200 && answer.Header.Get("X-Sentry-Error") == "" {
					t.Errorf("%s: %d %v, want %d", what, answer.StatusCode, answer.Header, want.status)
				}
				if c.dropped != "" {
					wantLimit(t, what, answer, c.dropped)
				}
				if wait, err := strconv.Atoi(answer.Header.Get("Retry-After")); (want.status == 429) != (err == nil && wait > 0) {
					t.Errorf("%s: %d, Retry-After %q", what, answer.StatusCode, answer.Header.Get("Retry-After"))
				}
				if want.status == 429 {
					wantLimit(t, what, answer, "error")
				}
			}
		}
	}, func(c *app.Config) { c.ProjectThrottle = 1 })
}

// Pages of any origin may send to each address, with the headers that SDKs and tracing add.
func TestPreflightsOfSentryClients(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	project, key := fmt.Sprintf("/api/%d", s.Setup.ProjectID), s.Setup.APIKey
	for path, methods := range map[string]string{
		project + "/envelope/": "POST", project + "/store/": "POST", project + "/security/": "POST", "/tunnel": "POST", "/tunnel/": "POST",
		project + "/minidump/": "POST", project + "/unreal/" + key + "/": "POST", project + "/unreal/": "POST",
		project + "/cron/job/" + key + "/": "GET, POST", project + "/cron/job/": "GET, POST", project + "/cron/job/" + key: "GET, POST", project + "/envelope": "POST",
		"/api/embed/error-page/": "GET, POST",
	} {
		answer := ofPage(t, s, http.MethodOptions, path, "")
		if answer.StatusCode != http.StatusNoContent || answer.Header.Get("Access-Control-Allow-Methods") != methods+", OPTIONS" {
			t.Errorf("%s: %d %v", path, answer.StatusCode, answer.Header)
		}
		for _, name := range []string{"x-sentry-auth", "content-type", "content-encoding", "sentry-trace", "baggage"} {
			if !strings.Contains(strings.ToLower(answer.Header.Get("Access-Control-Allow-Headers")), name) {
				t.Errorf("%s: %s is not allowed: %v", path, name, answer.Header)
			}
		}
		for _, method := range []string{"POST", "GET"} {
			if !strings.Contains(methods, method) {
				continue
			}
			if a := ofPage(t, s, method, strings.ReplaceAll(path, key, "wrong"), "x"); a.StatusCode < 400 && !strings.Contains(path, "embed") || a.StatusCode >= 500 {
				t.Errorf("%s %s with a wrong key: %d", method, path, a.StatusCode)
			}
		}
	}
}
