package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/e2e/rig"
	"sett/internal/setttest/program"
)

// shop runs rig/js/shop.js, which must exit with the given status, and returns what its client said.
func shop(t testing.TB, s *rig.Server, endpoint, failure string, status int) (made []jsNotice) {
	t.Helper()
	cmd := program.Bounded("node", "shop.js", failure)
	cmd.Dir = rig.JS
	cmd.Env = append(rig.Environment(), "API_KEY="+s.APIKey, "ENDPOINT="+endpoint)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == status {
		err = nil
	}
	if err != nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("node shop.js %s ended with %v, want status %d\n%s", failure, cmd.ProcessState, status, stderr.Bytes())
	}
	for line := range bytes.Lines(out) {
		var n jsNotice
		if err := json.Unmarshal(line, &n); err != nil {
			t.Fatalf("node shop.js printed no JSON: %s", line)
		}
		made = append(made, n)
	}
	return made
}

func TestJavaScriptOnNode(t *testing.T) {
	t.Parallel()
	rig.NeedJavaScript(t)
	s := rig.Start(t, "")
	endpoint := onPort80(t, s.Base)

	t.Run("notify", func(t *testing.T) { nodeNotify(t, s, endpoint) })
	t.Run("uncaught", func(t *testing.T) { nodeUncaught(t, s, endpoint) })
	t.Run("check-ins", func(t *testing.T) { nodeCheckIns(t, s, endpoint) })

	if all := s.Faults(s.Manage(t)); len(all) != 2 {
		t.Errorf("there are %d faults, want 2: what beforeNotify holds back is never sent", len(all))
	}
}

func nodeNotify(t *testing.T, s *rig.Server, endpoint string) {
	since := time.Now()
	sent := onlyDelivered(t, shop(t, s, endpoint, "notify", 0), "Boring")
	f, got := s.Find(s.Manage(t), sent.ID)

	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "CheckoutError", Message: "cannot check out — 梨", Component: "checkout", Action: "submit",
		Environment: "staging", NoticesCount: 1, Tags: []string{"node", "shop"},
	})
	want := fromNode(t, sent, f)
	want.Cookies = map[string]string{"basket": "b 17"}
	want.WebEnvironment = map[string]string{
		"REQUEST_METHOD": "PUT", "REMOTE_ADDR": "192.0.2.8", "HTTP_USER_AGENT": "shopper/3.0", "HTTP_COOKIE": "basket=b%2017",
	}
	want.Request = rig.Request{
		Component: "checkout", Action: "submit", URL: "https://shop.example.test/cart?x=1",
		Context: map[string]any{
			"user_id": 77.0, "user_email": "grace@example.test", "cart": map[string]any{"items": 3.0}, "checked": "before notify",
		},
		Params:  map[string]any{"q": "shoes", "password": "[FILTERED]"},
		Session: map[string]any{"sid": 1.0},
		User:    &rig.User{Email: "grace@example.test", ID: 77.0},
	}
	want.Fingerprint = "checkout-failed"
	want.Details = map[string]any{"extra": map[string]any{"a": 1.0}}
	want.Breadcrumbs = sent.crumbs(t, "cannot check out — 梨", rig.Breadcrumb{
		Category: "ui.click", Message: "clicked buy", Metadata: map[string]any{"sku": "A1"},
	})
	if diff := cmp.Diff([]string{"TypeError: price is undefined", "SyntaxError: price list ends early"}, titles(want.Causes)); diff != "" {
		t.Errorf("the causes differ from the errors of rig/js/shop.js (-want +reported):\n%s", diff)
	}
	rig.Compare(t, got, want, since)
	compareTop(t, got, "checkout", "new CheckoutError(")
	t.Logf("JavaScript client on Node: notify compared in %d frames, %d causes, %d breadcrumbs and every field",
		len(got.Backtrace), len(got.Causes), len(got.Breadcrumbs))
}

func nodeUncaught(t *testing.T, s *rig.Server, endpoint string) {
	since := time.Now()
	made := shop(t, s, endpoint, "uncaught", 1)
	if len(made) != 1 {
		t.Fatalf("the client made %d notices, want 1: %+v", len(made), made)
	}
	sent := made[0]
	f, got := s.Only(s.Manage(t), "RangeError")
	sent.ID = got.ID // the client ends the process before it prints the ID

	rig.CompareFault(t, f, rig.Fault{
		ProjectID: s.ProjectID, Klass: "RangeError", Message: "nobody caught this", Environment: "staging", NoticesCount: 1, Tags: []string{},
	})
	want := fromNode(t, sent, f)
	want.Request.Context = map[string]any{"checked": "before notify"}
	want.Breadcrumbs = sent.crumbs(t, "nobody caught this")
	rig.Compare(t, got, want, since)
	compareTop(t, got, "uncaught", "new RangeError(")
	t.Logf("JavaScript client on Node: an uncaught exception compared in %d frames and every field", len(got.Backtrace))
}

// fromNode is how a notice of rig/js/shop.js must be shown, as far as its client decides it alone.
func fromNode(t testing.TB, sent jsNotice, f rig.Fault) (want rig.Notice) {
	t.Helper()
	root, err := filepath.Abs(rig.JS)
	if err != nil {
		t.Fatal(err)
	}
	want = rig.Bare(sent.ID, f)
	want.Environment.Hostname = "node-1"
	want.Environment.Revision = "r42"
	want.Environment.PID = sent.PID
	want.Environment.ProjectRoot.Path = root
	want.Notifier = sent.notifier()
	want.Causes = sent.causes(t, func(file string) bool { return file == filepath.Join(root, "shop.js") })
	want.Backtrace, want.ApplicationTrace = sent.frames()
	return want
}

// compareTop checks that the first frame of a notice points at the place in rig/js/shop.js where the code stands, and
// shows that line.
func compareTop(t testing.TB, got rig.Notice, method, code string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rig.JS, "shop.js"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), code)
	if !found {
		t.Fatalf("rig/js/shop.js does not contain %s", code)
	}
	start, _, _ := strings.Cut(rest, "\n")
	number := strconv.Itoa(strings.Count(before, "\n") + 1)
	indented := before[strings.LastIndex(before, "\n")+1:]
	want := rig.Frame{
		Number: number, Column: len(indented) + 1, File: "[PROJECT_ROOT]/shop.js", Method: method, Context: "app",
		Source: map[string]string{number: indented + code + start},
	}
	top := got.Backtrace[0]
	top.Source = map[string]string{number: top.Source[number]} // the lines around it are shown as well
	if diff := cmp.Diff(want, top); diff != "" {
		t.Errorf("the first frame does not point at %s (-want +shown):\n%s", code, diff)
	}
}
