package movein_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/app/movein"
	"sett/internal/app/movein/fromhoneybadger"
	"sett/internal/monitor/probe"
	"sett/internal/notify/channel"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/recording"
	"sett/internal/store/movedb"
)

// notice is what a client of the contract sends.
type notice struct {
	path   string
	header map[string]string
	body   map[string]any
}

// sentNotices are the notices that clients were recorded to send.
func sentNotices(t *testing.T) (all []notice) {
	t.Helper()
	for _, r := range recording.Notices(t) {
		n := notice{path: r.Path, header: r.Headers, body: map[string]any{}}
		d := json.NewDecoder(bytes.NewReader(r.Body))
		d.UseNumber()
		if err := d.Decode(&n.body); err == nil && n.body["error"] != nil {
			all = append(all, n)
		}
	}
	if len(all) < 20 {
		t.Fatalf("only %d notices are recorded", len(all))
	}
	return all
}

// report sends a notice with a key. No other notice has its token.
func (n notice) report(t *testing.T, base, key string, token int) {
	t.Helper()
	n.body["error"].(map[string]any)["token"] = fmt.Sprintf("%08x-0000-4000-8000-000000000000", token)
	text, err := json.Marshal(n.body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+n.path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range n.header {
		request.Header.Set(name, value)
	}
	request.Header.Set("X-API-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	if response.Body.Close(); response.StatusCode != http.StatusCreated {
		t.Fatalf("a notice was refused with status %d", response.StatusCode)
	}
}

// oldHoneybadger is the service that people move away from, for which another sett stands. It answers so many requests an
// hour, and then 403, until the import waits for the next hour.
type oldHoneybadger struct {
	*setttest.Server
	URL    string
	waits  []string
	asked  []string
	hourly int64
	left   atomic.Int64
	bare   bool // answers have only what the contract shows
}

func oldAccount(t *testing.T, hourly int64) *oldHoneybadger {
	t.Helper()
	o := &oldHoneybadger{Server: setttest.Start(t, "sqlite"), hourly: hourly}
	o.left.Store(hourly)
	target, err := url.Parse(o.App.BaseURL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
			r.Header.Del(name)
		}
		return o.strip(r)
	}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.asked = append(o.asked, r.URL.Path)
		if o.left.Add(-1) < 0 {
			w.WriteHeader(http.StatusForbidden)
			_, _ = w.Write([]byte(`{"errors":"You have used up your requests"}`))
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(h.Close)
	o.URL = h.URL
	return o
}

// strip leaves of a notice only what the contract shows.
func (o *oldHoneybadger) strip(r *http.Response) error {
	if !o.bare || !strings.HasSuffix(r.Request.URL.Path, "/notices") {
		return nil
	}
	defer r.Body.Close()
	var list map[string]any
	if err := json.NewDecoder(r.Body).Decode(&list); err != nil {
		return err
	}
	results, _ := list["results"].([]any)
	for _, one := range results {
		n, _ := one.(map[string]any)
		for name := range n {
			if !strings.Contains(" id fault_id created_at message url environment cookies web_environment request backtrace application_trace ", " "+name+" ") {
				delete(n, name)
			}
		}
		for _, list := range []string{"backtrace", "application_trace"} {
			frames, _ := n[list].([]any)
			for i, f := range frames {
				frame, _ := f.(map[string]any)
				frames[i] = map[string]any{"number": frame["number"], "file": frame["file"], "method": frame["method"]}
			}
		}
	}
	text, err := json.Marshal(list)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	r.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return err
}

func (o *oldHoneybadger) options(t *testing.T, s *setttest.Server) movein.Options {
	t.Helper()
	source, err := fromhoneybadger.New(fromhoneybadger.Options{
		URL: o.URL, Token: o.Token, Do: http.DefaultClient.Do, Now: s.Clock.Now,
		Wait: func(_ context.Context, d time.Duration, why string) error {
			o.waits = append(o.waits, why)
			s.Clock.Push(d)
			o.left.Store(o.hourly)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return movein.Options{
		Source: source, Rules: movein.Rules{Sites: probe.Rules(), Channels: channel.Rules()}, Moves: s.App.Store().Moves, Owner: movedb.Owner{AccountID: s.Setup.AccountID, UserID: s.Setup.UserID}, Events: 1, OpenFirst: true, Now: s.Clock.Now,
		Audited: func(ctx context.Context, _, _ string) context.Context { return ctx },
	}
}

// Notices that clients were recorded to send land, after the move, in the errors that came.
func TestNewNoticesLandInErrorsOfHoneybadger(t *testing.T) {
	t.Parallel()
	for _, bare := range []bool{false, true} {
		t.Run(fmt.Sprintf("bare=%t", bare), func(t *testing.T) {
			t.Parallel()
			testHoneybadger(t, bare)
		})
	}
}

func testHoneybadger(t *testing.T, bare bool) {
	o := oldAccount(t, 1_000_000)
	o.bare = bare
	sent := sentNotices(t)
	if bare { // what a client said about grouping is not shown
		sent = slices.DeleteFunc(sent, func(n notice) bool {
			f, _ := n.body["error"].(map[string]any)["fingerprint"].(string)
			return f != ""
		})
	}
	for i, n := range sent {
		n.report(t, o.App.BaseURL(), o.Key, 0x1000+i)
	}
	if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	project := fmt.Sprint("/v2/projects/", o.Setup.ProjectID)
	var list struct {
		Results []struct {
			ID int64 `json:"id"`
		} `json:"results"`
	}
	o.Get(project + "/faults?limit=25").Into(&list)
	first := fmt.Sprint(project, "/faults/", list.Results[0].ID)
	o.Put(first, `{"fault":{"resolved":true}}`).Want(204)
	o.Put(fmt.Sprint(project, "/faults/", list.Results[1].ID), `{"fault":{"ignored":true}}`).Want(204)
	o.Post(first+"/comments", `{"comment":{"body":"Seen it"}}`).Want(201)
	o.Post("/v1/deploys", `{"deploy":{"environment":"production","revision":"abc123","local_username":"ann","repository":"https://git.example.test/shop"}}`).Want(201)
	o.AddUser(t, "bob@example.test", accounts.Admin)
	const state = `SELECT count(*) + 1000 * CAST(sum(c.notices_count) AS bigint) + 1000000 * sum(CASE WHEN f.resolved AND NOT f.ignored THEN 1 ELSE 0 END) + 10000000 * sum(CASE WHEN f.ignored THEN 1 ELSE 0 END)
		FROM faults f JOIN fault_counts c ON c.fault_id = f.id`
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			s := setttest.Start(t, engine)
			want := row(t, o.Server, state)
			report := run(t, o.options(t, s))
			if got := row(t, s, state); got != want {
				t.Fatalf("state %d, want %d: %+v", got, want, report)
			}
			n := row(t, s, `SELECT count(*) FROM faults`)
			wantCame(t, report, move.Came{Noun: "projects", Found: 1, Present: 1}, move.Came{Noun: "keys", Found: 1, Made: 1}, move.Came{Noun: "errors", Found: n, Made: n},
				move.Came{Noun: "comments", Found: 1, Made: 1}, move.Came{Noun: "deploys", Found: 1, Made: 1}, move.Came{Noun: "invitations", Found: 2, Made: 1, Present: 1})
			run(t, o.options(t, s))
			if got := row(t, s, state); got != want {
				t.Errorf("a second run made %d of %d", got, want)
			}
			for i, one := range sent {
				one.report(t, s.App.BaseURL(), o.Key, 0x2000+i)
				if got := row(t, s, `SELECT count(*) FROM faults`); got != n {
					t.Errorf("notice %d made an error: %.300v", i, one.body["error"])
					n = got
				}
			}
			if got := row(t, s, `SELECT count(*) FROM deploys WHERE revision = 'abc123' AND local_username = 'ann'`); got != 1 {
				t.Errorf("%d deploys", got)
			}
			if got := row(t, s, `SELECT count(*) FROM mails`); got != 0 {
				t.Errorf("%d mails", got)
			}
		})
	}
}

// Who is refused after an answer waits for the next hour, and goes on.
func TestLimitOfHoneybadger(t *testing.T) {
	t.Parallel()
	o := oldAccount(t, 5)
	for i, n := range sentNotices(t)[:9] {
		n.report(t, o.App.BaseURL(), o.Key, 0x1000+i)
	}
	if err := o.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := setttest.Start(t, "sqlite")
	report := run(t, o.options(t, s))
	n := row(t, o.Server, `SELECT count(*) FROM faults`)
	wantCame(t, report, move.Came{Noun: "errors", Found: n, Made: n})
	if len(o.waits) < 2 || o.waits[0] != "the limit of requests per hour" {
		t.Errorf("waits %q", o.waits)
	}
	if at := s.Clock.Now(); at.Minute() != 0 {
		t.Errorf("the last wait was until %v", at)
	}
	if n := row(t, s, `SELECT count(*) FROM imported WHERE NOT complete`); n != 0 {
		t.Errorf("%d errors are not complete", n)
	}
	seen := map[string]bool{}
	for _, path := range o.asked {
		if strings.HasSuffix(path, "/comments") {
			t.Errorf("comments are asked for where there are none: %s", path)
		}
		seen[path] = true
	}
	if int64(len(seen)) < n {
		t.Errorf("asked for %d paths", len(seen))
	}
}
