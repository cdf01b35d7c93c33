package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

// checkIn makes a check-in that a job should report to every hour.
func (o *office) checkIn(t *testing.T, slug string) checks.CheckIn {
	t.Helper()
	c, err := o.store.Uptime.CreateCheckIn(t.Context(), o.now, o.setup.ProjectID, checks.CheckInChange{
		Slug: sett.Some(slug), ReportPeriod: sett.Some[checks.PeriodText]("1 hour"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// again reads a check-in, and the payloads of its pings, the newest first.
func (o *office) again(t *testing.T, c checks.CheckIn) (checks.CheckIn, []*checks.PingPayload) {
	t.Helper()
	c, err := o.store.Uptime.CheckInByID(t.Context(), c.ProjectID, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	events, _, err := o.store.Uptime.ListCheckInEvents(t.Context(), c.ProjectID, c.ID, sett.Page{Size: 100})
	if err != nil {
		t.Fatal(err)
	}
	var payloads []*checks.PingPayload
	for _, e := range events {
		payloads = append(payloads, e.Payload)
	}
	return c, payloads
}

func (o *office) ping(t *testing.T, method, path string, body io.Reader) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, body)) // no key in a header: it is in the path
	if got := w.Header().Get("Access-Control-Allow-Origin"); got != "*" {
		t.Errorf("%s %s: Access-Control-Allow-Origin = %q", method, path, got)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" && method != "OPTIONS" {
		t.Errorf("%s %s: Cache-Control = %q", method, path, got)
	}
	return w
}

// Pings as clients send them: each counts at once and is answered with 200, which alone they take (clients.md).
func TestPing(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c := o.checkIn(t, "nightly-backup")
	byID, bySlug := "/v1/check_in/"+c.ID, "/v1/check_in/"+o.setup.APIKey+"/nightly-backup"
	for _, method := range []string{"GET", "HEAD", "POST"} {
		for _, path := range []string{byID, byID + "/", bySlug, bySlug + "/"} {
			o.push(time.Minute)
			w := o.ping(t, method, path, nil)
			if method != "HEAD" && strings.TrimSpace(w.Body.String()) != `{"status":"OK"}` || w.Code != http.StatusOK {
				t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
			}
			if now, _ := o.again(t, c); !now.ReportedAt.Equal(o.now) || now.State != sett.CheckInReporting || !now.ExpectedAt.Equal(o.now.Add(time.Hour)) {
				t.Errorf("%s %s left %+v", method, path, now)
			}
		}
	}
	w := o.ping(t, "OPTIONS", byID, nil)
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Methods") != "GET, HEAD, POST, OPTIONS" {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
	if w := o.ping(t, "OPTIONS", bySlug, nil); w.Code != http.StatusNoContent {
		t.Errorf("OPTIONS: %d %v", w.Code, w.Header())
	}
}

// A history contains where each ping came from: the word of a proxy counts only where it is trusted, and a client's name for
// itself is cut to what can be stored.
func TestPingsHaveSources(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c := o.checkIn(t, "nightly-backup")
	for _, step := range []struct {
		from, forwarded, agent string
		want                   checks.PingSource
	}{
		{"192.0.2.7:4711", "", "curl/8.1", checks.PingSource{Address: "192.0.2.7", Agent: "curl/8.1"}},
		{"192.0.2.7:4711", "203.0.113.9", "", checks.PingSource{Address: "192.0.2.7"}},
		{"10.0.0.1:4711", "198.51.100.4, 203.0.113.9", "", checks.PingSource{Address: "203.0.113.9"}},
		{"[2001:db8::1]:4711", "", "a\xff\x00" + strings.Repeat("é", 200), checks.PingSource{Address: "2001:db8::1", Agent: "a\uFFFD" + strings.Repeat("é", 98)}},
	} {
		o.push(time.Minute)
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/v1/check_in/"+c.ID, nil)
		r.RemoteAddr = step.from
		r.Header.Set("User-Agent", step.agent)
		if step.forwarded != "" {
			r.Header.Set("X-Forwarded-For", step.forwarded)
		}
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		events, _, err := o.store.Uptime.ListCheckInEvents(t.Context(), c.ProjectID, c.ID, sett.Page{Size: 1})
		if err != nil || w.Code != http.StatusOK || events[0].Source != step.want {
			t.Errorf("from %s: %d, %+v, %v", step.from, w.Code, events[0].Source, err)
		}
	}
}

// The document lists each method that a ping may have.
func TestPingsAreDocumented(t *testing.T) {
	t.Parallel()
	document, err := serve.OpenAPI(serve.Info{Title: "T", Version: "1"}, New(Options{Now: time.Now}).Routes())
	if err != nil {
		t.Fatal(err)
	}
	var of struct {
		Paths map[string]map[string]any
	}
	if err := json.Unmarshal(document, &of); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pingPath, pingBySlugPath} {
		if got := strings.Join(slices.Sorted(maps.Keys(of.Paths[path])), " "); got != "get head options post" {
			t.Errorf("%s takes %s", path, got)
		}
	}
}

func TestPingPayloads(t *testing.T) {
	t.Parallel()
	ms, one := int64(1500), 1
	full := &checks.PingPayload{Status: "error", Duration: &ms, ExitCode: &one, Stdout: "out\n", Stderr: "err\n"}
	const fields = `"status":"error","duration":1500,"exit_code":1,"stdout":"out\n","stderr":"err\n"`
	long := strings.Repeat("x", maxSent)
	for name, tt := range map[string]struct {
		body, encoding string
		want           *checks.PingPayload
	}{
		"as hb sends it":   {`{"check_in":{` + fields + `,"colour":7}}`, "", full},
		"unwrapped":        {`{` + fields + `}`, "", full},
		"deflated":         {`{"check_in":{` + fields + `}}`, "deflate", full},
		"gzip":             {`{"check_in":{` + fields + `}}`, "gzip", full},
		"half of it wrong": {`{"check_in":{"status":"fine","duration":"x","stdout":"out\n"}}`, "", &checks.PingPayload{Stdout: "out\n"}},
		"empty":            {``, "", nil},
		"an empty object":  {`{}`, "", nil},
		"null":             {`{"check_in":null}`, "", nil},
		"an array":         {`[1]`, "", nil},
		"no JSON":          {`hello`, "", nil},
		"no UTF-8":         {"{\"stdout\":\"\xff\"}", "", &checks.PingPayload{Stdout: "\uFFFD"}},
		"cut off":          {`{"check_in":{"status":`, "", nil},
		"broken gzip":      {"\x1f\x8bnothing", "", nil},
		"wrong encoding":   {`{"status":"error"}`, "br", &checks.PingPayload{Status: "error"}},
		"too large":        {`{"stdout":"` + long + `"}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := setup(t, accounts.Limits{})
			c := o.checkIn(t, "a")
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/v1/check_in/"+c.ID, squeeze(t, tt.encoding, tt.body))
			r.Header.Set("Content-Encoding", tt.encoding)
			o.ServeHTTP(w, r)
			now, payloads := o.again(t, c)
			state := sett.CheckInReporting
			if tt.want != nil && tt.want.Status == "error" {
				state = sett.CheckInFailing
			}
			if w.Code != http.StatusOK || now.State != state {
				t.Fatalf("%d %s; the check-in is %s, want %s", w.Code, w.Body, now.State, state)
			}
			if diff := cmp.Diff([]*checks.PingPayload{tt.want}, payloads); diff != "" {
				t.Errorf("kept (-want +got):\n%s", diff)
			}
		})
	}
}

// A body that breaks off was sent by a job that ran.
func TestPingThatBreaksOff(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c := o.checkIn(t, "a")
	cut := io.MultiReader(strings.NewReader(`{"status":`), iotest.ErrReader(io.ErrUnexpectedEOF))
	if w := o.ping(t, "POST", "/v1/check_in/"+c.ID, cut); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestPingOfNothing(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	c, none := o.checkIn(t, "a"), o.checkIn(t, "")
	for _, path := range []string{
		"/v1/check_in/" + strings.ToLower(c.ID), "/v1/check_in/" + c.ID + "x", "/v1/check_in/a", "/v1/check_in/%20", "/v1/check_in/" + strings.Repeat("x", 5000),
		"/v1/check_in/" + o.setup.APIKey + "/b", "/v1/check_in/wrong/a", "/v1/check_in/" + o.setup.APIKey + "/" + c.ID,
		"/v1/check_in/" + o.setup.APIKey + "/%20",
	} {
		for _, method := range []string{"GET", "POST"} {
			wantError(t, o.ping(t, method, path, nil), http.StatusNotFound, "Check-in not found. Copy the URL from its page.")
		}
	}
	w := httptest.NewRecorder()
	o.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "DELETE", "/v1/check_in/"+c.ID, nil))
	wantError(t, w, http.StatusMethodNotAllowed, "it supports GET, HEAD, OPTIONS, POST")
	for _, c := range []checks.CheckIn{c, none} {
		if now, _ := o.again(t, c); now.State != sett.CheckInPending {
			t.Errorf("there was a ping to %+v", now)
		}
	}
}

// pingDesk is a store that fails.
type pingDesk struct{ err error }

func (d pingDesk) RecordPings(context.Context, []uptimedb.PingReport) ([]bool, error) {
	return nil, d.err
}

// An unavailable store is a failure of the server: jobs are asked to retry.
func TestPingWithoutStore(t *testing.T) {
	t.Parallel()
	away := &sett.Error{Code: sett.Unavailable, Message: "The database does not respond. Try again in a moment.", RetryAfter: 5 * time.Second}
	for want, err := range map[int]error{http.StatusServiceUnavailable: away, http.StatusInternalServerError: errors.New("hush")} {
		pings := NewPings(pingDesk{err}, time.Now, slog.New(slog.DiscardHandler))
		defer pings.Close()
		w := httptest.NewRecorder()
		serve.NewMux(New(Options{Pings: pings, Now: time.Now}).Routes(), serve.MuxOptions{}).ServeHTTP(w, httptest.NewRequest("GET", "/v1/check_in/aB3", nil))
		if w.Code != want || strings.Contains(w.Body.String(), "hush") || want == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "5" {
			t.Errorf("%v: %d %v %s", err, w.Code, w.Header(), w.Body)
		}
	}
}
