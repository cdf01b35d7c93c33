package clients

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/honeybadger-io/honeybadger-go"

	"sett/e2e/rig"
)

// goClient returns a client set up as its documentation says, and the notices that it made, as it made them.
func goClient(t testing.TB, s *rig.Server) (*honeybadger.Client, <-chan *honeybadger.Notice) {
	t.Helper()
	client := honeybadger.New(honeybadger.Configuration{
		APIKey: s.APIKey, Endpoint: s.Base, Root: root(), Env: "production", Hostname: "web-1", Sync: true, Timeout: 10 * time.Second,
	})
	made := make(chan *honeybadger.Notice, 100)
	client.BeforeNotify(func(n *honeybadger.Notice) error {
		made <- n
		return nil
	})
	return client, made
}

// root is the directory of this file by the name that it was compiled under, which -trimpath shortens.
func root() string {
	_, file, _, _ := runtime.Caller(0)
	return path.Dir(file)
}

// fromGo is how a notice of the Go client must be shown, as far as the client decides it alone. It reports neither
// causes nor breadcrumbs, details, local variables or a correlation context (asJSON in its notice.go): they must be
// shown empty, also of an error that wraps another.
func fromGo(t testing.TB, sent *honeybadger.Notice, f rig.Fault) (want rig.Notice) {
	t.Helper()
	want = rig.Bare(sent.Token, f)
	want.Message, want.Klass, want.Fingerprint = sent.ErrorMessage, sent.ErrorClass, sent.Fingerprint
	want.Notifier = rig.Notifier{Name: "honeybadger", URL: "https://github.com/honeybadger-io/honeybadger-go", Version: honeybadger.VERSION}
	want.Environment.Hostname = "web-1"
	want.Environment.PID = os.Getpid()
	want.Environment.ProjectRoot.Path = root()
	for _, f := range sent.Backtrace {
		shown := rig.Frame{Number: f.Number, File: f.File, Method: f.Method, Context: "all"}
		name, ofProject := strings.CutPrefix(f.File, "[PROJECT_ROOT]/")
		if ofProject {
			shown.Context = "app"
		}
		want.Backtrace = append(want.Backtrace, shown)
		if ofProject {
			shown.ApplicationFile = name
			want.ApplicationTrace = append(want.ApplicationTrace, shown)
		}
	}
	return want
}

// cartError is an error of a shop, with the one that led to it.
type cartError struct {
	item string
	why  error
}

func (e *cartError) Error() string { return "no price for " + e.item }

func (e *cartError) Unwrap() error { return e.why }

func TestGoClientNotify(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	client, made := goClient(t, s)
	client.SetContext(honeybadger.Context{"user_id": 4711, "user_email": "ada@example.test"})
	since := time.Now()

	id, err := client.Notify(&cartError{"pears — 梨", errors.New("price list is empty")},
		honeybadger.Context{"cart": map[string]any{"items": 3, "total": 9.5}, "_component": "carts", "_action": "checkout"},
		honeybadger.Tags{"shop", "checkout"},
		honeybadger.Fingerprint{Content: "cart-without-price"},
		honeybadger.Params{"step": {"2"}, "items[]": {"a", "b"}},
		honeybadger.CGIData{"REQUEST_METHOD": "POST", "HTTP_USER_AGENT": "shopper/1.0", "SERVER_PORT": "443"},
		url.URL{Scheme: "https", Host: "shop.example.test", Path: "/checkout", RawQuery: "step=2"},
	)
	if err != nil {
		t.Fatalf("the client could not report: %v", err)
	}
	sent := <-made
	if sent.Token != id {
		t.Fatalf("Notify returned %s, want the notice's token %s", id, sent.Token)
	}
	f, got := s.Find(s.Manage(t), id)

	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "*clients.cartError", Message: "no price for pears — 梨", Component: "carts", Action: "checkout",
		Environment: "production", NoticesCount: 1, Tags: []string{"shop", "checkout"},
	})
	want := fromGo(t, sent, f)
	want.WebEnvironment = map[string]string{"REQUEST_METHOD": "POST", "HTTP_USER_AGENT": "shopper/1.0", "SERVER_PORT": "443"}
	want.Request = rig.Request{
		Component: "carts", Action: "checkout", URL: "https://shop.example.test/checkout?step=2",
		Context: map[string]any{
			"user_id": 4711.0, "user_email": "ada@example.test", "_component": "carts", "_action": "checkout",
			"cart": map[string]any{"items": 3.0, "total": 9.5},
		},
		Params:  map[string]any{"step": []any{"2"}, "items[]": []any{"a", "b"}},
		Session: map[string]any{},
		User:    &rig.User{Email: "ada@example.test", ID: 4711.0},
	}
	rig.Compare(t, got, want, since)
	compareOrigin(t, got, "sett/e2e/clients.TestGoClientNotify", since)
	t.Logf("Go client %s: Notify compared in %d frames and every field", honeybadger.VERSION, len(got.Backtrace))
}

// compareOrigin checks that a notice of the Go client blames this file, and what the client says of machine and time.
func compareOrigin(t testing.TB, got rig.Notice, method string, since time.Time) {
	t.Helper()
	if len(got.ApplicationTrace) == 0 {
		t.Fatal("the notice has no application frames")
	}
	top := got.ApplicationTrace[0]
	if top.ApplicationFile != "go_client_test.go" || top.Method != method {
		t.Errorf("the first application frame is %s in %s, want %s in go_client_test.go", top.Method, top.ApplicationFile, method)
	}
	if got.Environment.Stats["mem"]["total"] <= 0 {
		t.Errorf("stats are %v, want the machine's memory in them", got.Environment.Stats)
	}
	at, err := time.Parse(time.RFC3339Nano, got.Environment.Time)
	if err != nil || at.Before(since) || at.After(time.Now()) {
		t.Errorf("environment.time is %q, want the time of the report (%v)", got.Environment.Time, err)
	}
}

func TestGoClientHandler(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	client, made := goClient(t, s)
	shop := httptest.NewUnstartedServer(client.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		panic(errors.New("handler blew up"))
	})))
	shop.Config.ErrorLog = log.New(io.Discard, "", 0) // where net/http would print the panic
	shop.Start()
	t.Cleanup(shop.Close)
	since := time.Now()

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, shop.URL+"/orders/9?debug=1&debug=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("User-Agent", "shopper/2.0")
	r.Header.Set("Cookie", "basket=b%2017; theme=dark")
	if answer, err := http.DefaultClient.Do(r); err == nil {
		t.Fatalf("the panic did not reach net/http: status %d", answer.StatusCode)
	}
	sent := <-made
	f, got := s.Find(s.Manage(t), sent.Token)

	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "*errors.errorString", Message: "handler blew up", Environment: "production",
		NoticesCount: 1, Tags: []string{},
	})
	want := fromGo(t, sent, f)
	want.Cookies = map[string]string{"basket": "b 17", "theme": "dark"}
	want.WebEnvironment = map[string]string{
		"HTTP_USER_AGENT": "shopper/2.0", "HTTP_ACCEPT_ENCODING": "gzip", "HTTP_COOKIE": "basket=b%2017; theme=dark",
	}
	want.Request.URL = "/orders/9?debug=1&debug=2"
	want.Request.Params = map[string]any{"debug": []any{"1", "2"}}
	rig.Compare(t, got, want, since)
	compareOrigin(t, got, "sett/e2e/clients.TestGoClientHandler.func1", since)
	t.Logf("Go client %s: a handler's panic compared in %d frames and every field", honeybadger.VERSION, len(got.Backtrace))
}

func TestGoClientFaultLife(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	m := s.Manage(t)
	client, _ := goClient(t, s)
	report := func(extra ...any) (id string) {
		t.Helper()
		id, err := client.Notify(errors.New("cart is empty"), extra...)
		if err != nil {
			t.Fatalf("the client could not report: %v", err)
		}
		return id
	}
	expect := func(id int64, resolved bool, notices int64) {
		t.Helper()
		if f := s.Fault(m, id); f.Resolved != resolved || f.NoticesCount != notices {
			t.Fatalf("the fault has resolved %t and %d notices, want %t and %d", f.Resolved, f.NoticesCount, resolved, notices)
		}
	}

	once := report()
	again := report()
	f, _ := s.Find(m, once)
	if other, _ := s.Find(m, again); other.ID != f.ID {
		t.Fatalf("the same error twice made the faults %d and %d", f.ID, other.ID)
	}
	expect(f.ID, false, 2)

	if other, _ := s.Find(m, report(honeybadger.Fingerprint{Content: "mine"})); other.ID == f.ID {
		t.Fatal("a notice with a fingerprint came to the fault without one")
	}
	if all := s.Faults(m); len(all) != 2 {
		t.Fatalf("there are %d faults, want 2", len(all))
	}

	m.Put(s.FaultPath(f.ID), map[string]any{"fault": map[string]any{"resolved": true}})
	expect(f.ID, true, 2)
	report()
	expect(f.ID, false, 3)

	m.Put(s.FaultPath(f.ID), map[string]any{"fault": map[string]any{"ignored": true}})
	report() // the client must not learn of it
	expect(f.ID, false, 3)
	if st := s.Stats(m); rig.Sum(st.Stored) != 4 || rig.Sum(st.Ignored) != 1 || rig.Sum(st.Limited) != 0 {
		t.Fatalf("api_stats are %+v, want 4 stored, 1 ignored, 0 limited", st)
	}
	t.Logf("Go client %s: 5 notices grouped into 2 faults, reopened once, ignored once", honeybadger.VERSION)
}

func TestGoClientWrongKey(t *testing.T) {
	t.Parallel()
	s := rig.Start(t, "")
	client, _ := goClient(t, s)
	client.Configure(honeybadger.Configuration{APIKey: "hbp_of_somebody_else", Sync: true, Logger: log.New(io.Discard, "", 0)})
	if _, err := client.Notify(errors.New("never stored")); !errors.Is(err, honeybadger.ErrUnauthorized) {
		t.Fatalf("with a wrong key the client says %v, want %v", err, honeybadger.ErrUnauthorized)
	}
	if all := s.Faults(s.Manage(t)); len(all) != 0 {
		t.Fatalf("a wrong key made %d faults", len(all))
	}
	t.Logf("Go client %s: a wrong key is reported as such", honeybadger.VERSION)
}
