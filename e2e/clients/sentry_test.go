package clients

import (
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

func installCargo(t *testing.T, dir string) {
	rig.NeedCommand(t, "cargo", "apt-get install cargo-web")
	runIn(t, dir, "cargo", "build", "--quiet", "--locked")
}

// dsn returns the DSN with which Sentry SDKs report to the server's project.
func dsn(s *rig.Server) string {
	return fmt.Sprintf("http://%s@%s/%d", s.APIKey, strings.TrimPrefix(s.Base, "http://"), s.ProjectID)
}

// Sentry SDKs report with nothing changed but the DSN: errors with their causes and frames, messages, and check-ins that the report
// creates.
func TestSentry(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]exporter{
		"Python":            {"sentry/python", installPip, []string{"python3", "exceptions.py"}, nil, checkSentryPython},
		"Django and Celery": {"sentry/frameworks", installPip, []string{"python3", "frameworks.py"}, nil, checkSentryFrameworks},
		"Raven":             {"sentry/raven", installPip, []string{"python3", "old.py"}, nil, checkRaven},
		"Node.js":           {"sentry/node", installSentryNode, []string{"node", "exceptions.js"}, nil, checkSentryNode},
		"Go":                {"sentry/go", installGo, []string{"bin/exceptions"}, nil, checkSentryGo},
		"Java":              {"sentry/java", installMaven, []string{"java", "-cp", "lib/*:classes", "Exceptions"}, nil, checkSentryJava},
		"Rust":              {"sentry/rust", installCargo, []string{"target/debug/shop"}, nil, checkSentryRust},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rig.Start(t, "")
			e.run(t, s, e.installed(t), s.Base)
			e.check(t, s, s.Manage(t))
		})
	}
}

// wantFeedback fails the test unless the user's feedback is the comment of the error with a message.
func wantFeedback(t *testing.T, s *rig.Server, m rig.Manager, message string) {
	t.Helper()
	type comment struct{ Source, Author, Body string }
	want := []comment{{"user", "Ines", "I cannot pay.\n\nines@example.test\nplan=gold"}}
	for _, f := range s.Faults(m) {
		if f.Message != message {
			continue
		}
		var got []comment
		rig.Await(t, "feedback that came before its event is a comment", func() bool {
			got = rig.List[comment](m, s.FaultPath(f.ID)+"/comments")
			return len(got) > 0
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("comments (-want +got):\n%s", diff)
		}
		return
	}
	t.Errorf("there is no error with the message %q", message)
}

// wantNotices fails the test unless the faults of the project have these classes and messages, with so many notices.
func wantNotices(t *testing.T, s *rig.Server, m rig.Manager, want map[string]int64) {
	t.Helper()
	got := map[string]int64{}
	for _, f := range s.Faults(m) {
		got[f.Klass+": "+f.Message] = f.NoticesCount
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notices by fault (-want +got):\n%s", diff)
	}
}

// sentryCheckIn is what the API has of a check-in that an SDK reports.
type sentryCheckIn struct {
	Slug         string
	State        string
	CronSchedule string `json:"cron_schedule"`
	CronTimezone string `json:"cron_timezone"`
	ReportPeriod string `json:"report_period"`
	GracePeriod  string `json:"grace_period"`
}

// nightly is the check-in of every program that sends a schedule.
var nightly = sentryCheckIn{Slug: "nightly-import", State: "reporting", CronSchedule: "*/5 * * * *", CronTimezone: "Europe/Vienna", GracePeriod: "3 minutes"}

func wantCheckIns(t *testing.T, s *rig.Server, m rig.Manager, want ...sentryCheckIn) {
	t.Helper()
	if diff := cmp.Diff(want, rig.List[sentryCheckIn](m, s.Project()+"/check_ins")); diff != "" {
		t.Errorf("check-ins (-want +got):\n%s", diff)
	}
}

// wantOrder fails the test unless a notice is of the order that every program fails to charge, with the user, tags, environment and release.
func wantOrder(t *testing.T, n rig.Notice, message, method, file, causeClass string) {
	t.Helper()
	wantTop(t, n, message, method, file)
	if e := n.Environment; e.EnvironmentName != "staging" || e.Revision != "shop@4f2a9c1" || e.Hostname != "web-1" {
		t.Errorf("the environment is %+v", e)
	}
	if u := n.Request.User; u == nil || u.ID != "7" || u.Email != "ann@example.test" {
		t.Errorf("the user is %+v", u)
	}
	if tags, _ := n.Request.Context["tags"].(map[string]any); tags["plan"] != "gold" {
		t.Errorf("the context is %+v", n.Request.Context)
	}
	if len(n.Causes) != 1 || n.Causes[0].Class != causeClass {
		t.Errorf("the causes are %+v, want one %s", n.Causes, causeClass)
	}
}

func checkSentryPython(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{
		"Refused: payment refused for order 42": 1, "Message: order 1 is out of stock": 2, "ValueError: line 1 is not a price": 2,
		"TimeoutError: order 42 waits for the bank": 1, "LookupError: the basket is empty": 1, "ExceptionGroup: no shop answers": 1,
	})
	wantFeedback(t, s, m, "payment refused for order 42")
	if _, n := s.Only(m, "ExceptionGroup"); len(n.Causes) != 2 || n.Causes[0].Class != "OSError" || n.Causes[1].Message != "second shop" {
		t.Errorf("the causes of the group are %+v", n.Causes)
	}
	_, n := s.Only(m, "Refused")
	wantOrder(t, n, "payment refused for order 42", "charge", "exceptions.py", "KeyError")
	if len(n.Backtrace[0].Source) == 0 || n.LocalVariables["password"] != "[Filtered]" || n.Details["modules"] == nil {
		t.Errorf("the first frame is %+v, the variables %+v", n.Backtrace[0], n.LocalVariables)
	}
	f, n := s.Only(m, "TimeoutError")
	wantTop(t, n, "order 42 waits for the bank", "pay", "exceptions.py")
	if r := n.Request; f.Component != "pay" || !strings.HasSuffix(r.URL, "/orders/42?coupon=spring") || r.Params["note"] != "gift" || r.Params["coupon"] != "spring" || n.WebEnvironment["HTTP_USER_AGENT"] != "shopper" {
		t.Errorf("the fault is %+v, the request %+v, %+v", f, r, n.WebEnvironment)
	}
	wantCheckIns(t, s, m, nightly)
}

func checkSentryNode(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{
		"RangeError: payment refused for order 42": 1, "Message: stock is low": 1, "Error: only a text": 1, "AggregateError: no shop answers": 1,
		"SyntaxError: no such order": 1, "URIError: not handled": 1, "Error: null, in main (exceptions.js:29)": 1, "Error: Object captured as exception with keys: order, reason": 1,
	})
	wantFeedback(t, s, m, "only a text")
	_, n := s.Only(m, "RangeError")
	wantOrder(t, n, "payment refused for order 42", "charge", "exceptions.js", "TypeError")
	if len(n.Breadcrumbs) == 0 || n.Breadcrumbs[0].Message != "three pears" || n.Notifier.Name != "sentry.javascript.node" {
		t.Errorf("the breadcrumbs are %+v, the notifier %+v", n.Breadcrumbs, n.Notifier)
	}
	if _, n = s.Only(m, "AggregateError"); len(n.Causes) != 2 || n.Causes[0].Message != "first shop" || n.Causes[1].Message != "second shop" {
		t.Errorf("the causes are %+v", n.Causes)
	}
	f, n := s.Only(m, "SyntaxError")
	if f.Component != "GET /orders/:id" || n.Request.Params["coupon"] != "spring" || n.WebEnvironment["HTTP_USER_AGENT"] != "shopper" {
		t.Errorf("the fault is %+v, the request %+v", f, n.Request)
	}
	wantCheckIns(t, s, m, sentryCheckIn{Slug: "nightly-import", State: "reporting", ReportPeriod: "2 hours", GracePeriod: "3 minutes"})
}

func checkSentryGo(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{
		"*errors.errorString: charge order 42: card gateway is down": 1, "*errors.joinError: main.closed: the first till is closed; the second till is closed": 1, "Message: stock is low": 1, "Message: no such order": 1,
		"runtime.boundsError: runtime error: index out of range [0] with length 0": 1,
	})
	_, n := s.Only(m, "*errors.errorString")
	wantOrder(t, n, "charge order 42: card gateway is down", "main.main", "exceptions/main.go", "*errors.errorString")
	_, n = s.Only(m, "runtime.boundsError")
	wantTop(t, n, "runtime error: index out of range [0] with length 0", "main.pack", "exceptions/main.go")
	wantCheckIns(t, s, m, nightly)
}

func checkSentryJava(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{
		"Exceptions$Refused: payment refused for order 42": 1, "IllegalStateException: the till does not close": 1, "Message: stock is low": 1,
		"ArithmeticException: no box is large enough": 1,
	})
	_, n := s.Only(m, "Exceptions$Refused")
	wantOrder(t, n, "payment refused for order 42", "Exceptions.charge", "Exceptions.java", "NumberFormatException")
	if _, n = s.Only(m, "IllegalStateException"); len(n.Causes) != 1 || n.Causes[0].Message != "the key is bent" {
		t.Errorf("the suppressed exceptions are %+v", n.Causes)
	}
	wantCheckIns(t, s, m, nightly)
}

func checkSentryRust(t *testing.T, s *rig.Server, m rig.Manager) {
	wantNotices(t, s, m, map[string]int64{
		"ParseIntError: payment refused for order 42": 1, "Message: stock is low": 1, "panic: index out of bounds: the len is 0 but the index is 1": 1,
	})
	_, n := s.Only(m, "ParseIntError")
	wantOrder(t, n, "payment refused for order 42", "shop::charge", "main.rs", "ParseIntError")
	_, n = s.Only(m, "panic")
	wantTop(t, n, "index out of bounds: the len is 0 but the index is 1", "shop::pack", "main.rs")
}

// sentryForBrowsers returns a directory with the Sentry SDK for browsers as a script, bundle.js.
func sentryForBrowsers(t *testing.T) (dir string) {
	t.Helper()
	return exporter{language: "sentry/node", install: installSentryNode}.installed(t)
}

// installSentryNode installs the SDKs for Node.js and for browsers, and makes a script of the latter.
func installSentryNode(t *testing.T, dir string) {
	installNPM(t, dir)
	runIn(t, dir, "node_modules/.bin/esbuild", "./node_modules/@sentry/browser", "--bundle", "--format=iife", "--global-name=Sentry", "--outfile=bundle.js", "--log-level=warning")
}

// sentryPage serves the page of a shop with the Sentry SDK for browsers, and returns its address. Its origin is another than the
// server's. With a tunnel, the SDK sends there, and the DSN in its envelopes says for which project.
func sentryPage(t *testing.T, s *rig.Server, dir string, tunnel bool) (address string) {
	t.Helper()
	page, err := template.ParseFiles(filepath.Join(dir, "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	set := struct{ DSN, Tunnel string }{DSN: dsn(s)}
	if tunnel {
		set.Tunnel = s.Base + "/tunnel"
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if err := page.Execute(w, set); err != nil {
			t.Errorf("serve the page: %v", err)
		}
	})
	mux.HandleFunc("GET /sentry.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(dir, "bundle.js"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/shop"
}

// The SDK for browsers reports what a page passes to it and what was not caught, from another origin, directly and through a tunnel.
func TestSentryInBrowser(t *testing.T) {
	t.Parallel()
	dir := sentryForBrowsers(t)
	for name, tunnel := range map[string]bool{"direct": false, "tunnel": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rig.Start(t, "")
			page := sentryPage(t, s, dir, tunnel)
			b := browser.Open(t)
			b.Do(t, chromedp.Navigate(page))
			if !browser.Wait[bool](t, b, "sent.all") {
				t.Error("the SDK could not send all")
			}
			m := s.Manage(t)
			wantNotices(t, s, m, map[string]int64{"TypeError: no price for pears": 1, "RangeError: not caught": 1, "EvalError: it is late": 1})
			for class, method := range map[string]string{"TypeError": "price", "RangeError": "crash"} {
				_, n := s.Only(m, class)
				if n.Request.URL != page || n.Environment.Revision != "shop@4f2a9c1" || !strings.Contains(n.WebEnvironment["HTTP_USER_AGENT"], "Chrome") {
					t.Errorf("the request is %+v, %+v", n.Request, n.WebEnvironment)
				}
				if len(n.ApplicationTrace) == 0 || n.ApplicationTrace[0].Method != method || !strings.HasSuffix(n.ApplicationTrace[0].File, "/shop") {
					t.Errorf("the frames are %+v", n.Backtrace)
				}
			}
		})
	}
}
