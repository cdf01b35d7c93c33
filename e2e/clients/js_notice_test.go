package clients

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sett/e2e/rig"
)

// jsNotice is what the JavaScript client says of a notice that it has made, and JavaScript of its error; see js/shop.js
// and js/page.html.
type jsNotice struct {
	ID        string
	Name      string
	Stack     string
	Backtrace []struct {
		File   string
		Method string
		Number int
		Column int
		Source map[string]string
	}
	Causes      []struct{ Name, Message, Stack string }
	Breadcrumbs []rig.Breadcrumb
	Version     string
	PID         int
	Failure     string
}

// frames are how the notice's frames must be shown.
func (n jsNotice) frames() (all, app []rig.Frame) {
	for _, f := range n.Backtrace {
		shown := rig.Frame{Number: strconv.Itoa(f.Number), Column: f.Column, File: f.File, Method: f.Method, Source: f.Source, Context: "all"}
		name, ofProject := strings.CutPrefix(f.File, "[PROJECT_ROOT]/")
		if ofProject {
			shown.Context = "app"
		}
		all = append(all, shown)
		if ofProject {
			shown.ApplicationFile = name
			app = append(app, shown)
		}
	}
	return all, app
}

// onlyDelivered returns the one notice that was delivered, after those that were held back.
func onlyDelivered(t testing.TB, made []jsNotice, heldBack ...string) jsNotice {
	t.Helper()
	if len(made) != len(heldBack)+1 {
		t.Fatalf("the client made %d notices, want %d: %+v", len(made), len(heldBack)+1, made)
	}
	for i, name := range heldBack {
		if made[i].Name != name || made[i].Failure == "" {
			t.Errorf("the client made %+v, want %s held back", made[i], name)
		}
	}
	last := made[len(heldBack)]
	if last.Failure != "" || last.ID == "" {
		t.Fatalf("the client could not report: %+v", last)
	}
	return last
}

// notifier is how the client must be shown.
func (n jsNotice) notifier() rig.Notifier {
	return rig.Notifier{
		Name: "@honeybadger-io/js", Version: n.Version,
		URL: "https://github.com/honeybadger-io/honeybadger-js/tree/master/packages/js",
	}
}

// crumbs is how the trail of the notice must be shown: what the test had the client note, at the time that the client
// wrote down, and at the end what the client notes of the error itself.
func (n jsNotice) crumbs(t testing.TB, message string, noted ...rig.Breadcrumb) []rig.Breadcrumb {
	t.Helper()
	all := append(noted, rig.Breadcrumb{
		Category: "notice", Message: "Honeybadger Notice",
		Metadata: map[string]any{"name": n.Name, "message": message, "stack": n.Stack},
	})
	if len(n.Breadcrumbs) != len(all) {
		t.Fatalf("the client has %d breadcrumbs, want %d: %+v", len(n.Breadcrumbs), len(all), n.Breadcrumbs)
	}
	for i, b := range n.Breadcrumbs {
		all[i].Timestamp = b.Timestamp
	}
	return all
}

// causes is how the causes of the notice must be shown; ofApp says which files are the application's.
func (n jsNotice) causes(t testing.TB, ofApp func(file string) bool) []rig.Cause {
	t.Helper()
	all := []rig.Cause{}
	for _, c := range n.Causes {
		all = append(all, rig.Cause{Class: c.Name, Message: c.Message, Backtrace: stackFrames(t, c.Stack, ofApp)})
	}
	return all
}

// stackLine is a line of V8's stack traces (v8.dev/docs/stack-trace-api), such as "    at price (/srv/shop.js:37:11)"
// or "    at /srv/shop.js:37:11".
var stackLine = regexp.MustCompile(`(?m)^    at (?:(.+) \()?(.+):(\d+):(\d+)\)?$`)

// stackFrames reads the frames from the text of a stack.
func stackFrames(t testing.TB, stack string, ofApp func(file string) bool) (frames []rig.Frame) {
	t.Helper()
	for _, m := range stackLine.FindAllStringSubmatch(stack, -1) {
		column, err := strconv.Atoi(m[4])
		if err != nil {
			t.Fatal(err)
		}
		f := rig.Frame{Method: m[1], File: m[2], Number: m[3], Column: column, Context: "all"}
		if f.Method == "" {
			f.Method = "<unknown>" // the client's word
		}
		if ofApp(f.File) {
			f.Context = "app"
		}
		frames = append(frames, f)
	}
	if len(frames) == 0 {
		t.Fatalf("no frames can be read from the stack %q", stack)
	}
	return frames
}

// titles names causes in short.
func titles(causes []rig.Cause) (all []string) {
	for _, c := range causes {
		all = append(all, c.Class+": "+c.Message)
	}
	return all
}
