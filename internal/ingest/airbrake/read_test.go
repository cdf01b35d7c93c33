package airbrake

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/event/payload"
	"sett/internal/ingest/event"
	"sett/internal/ingest/notice"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest/recording"
)

var update = flag.Bool("update", false, "write the golden files anew")

var clients = []string{"airbrake-browser", "airbrake-go", "airbrake-node", "airbrake-python"}

// reports returns the recorded requests of all clients that report an error.
func reports(t testing.TB) (all []recording.Capture) {
	t.Helper()
	for _, client := range clients {
		for _, c := range recording.Captures(t, client) {
			if c.Method == "POST" {
				all = append(all, c)
			}
		}
	}
	return all
}

func TestCaptures(t *testing.T) {
	t.Parallel()
	for _, c := range reports(t) {
		r, err := Read(c.Body)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		var got bytes.Buffer
		if err := json.Indent(&got, r.Notice.Append(nil, event.MaxNotice), "", "  "); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		got.WriteString("\npattern: " + r.Pattern + "\n")
		file := filepath.Join("testdata", "golden", strings.ReplaceAll(c.Name, "/", "_")+".txt")
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s changed (-want +got); run with -update if that is meant:\n%s", file, diff)
		}
	}
}

// Whatever a client sends is a notice that can be read again, or an error that is the client's.
func TestMutations(t *testing.T) {
	t.Parallel()
	for _, c := range reports(t) {
		stored := 0
		for doc := range recording.Mutations(t, c.Body) {
			if check(t, doc) {
				stored++
			}
		}
		if stored < 300 {
			t.Errorf("%s: only %d mutations were notices", c.Name, stored)
		}
	}
}

// check reads a body, and what is made of it as the store and /v2 do. It reports whether the body is a notice.
func check(t testing.TB, body []byte) bool {
	t.Helper()
	r, err := Read(body)
	if err != nil {
		if _, ok := errors.AsType[*sett.Error](err); !ok {
			t.Fatalf("the error is %v, for %.300q", err, body)
		}
		return false
	}
	out := r.Notice.Append(nil, event.MaxNotice)
	report, _, err := event.Parse(out, event.Options{
		Project: accounts.KeyedProject{ProjectID: 1, AccountID: "a", Active: true}, Now: time.Unix(1_800_000_000, 0), Hints: event.Hints{Message: r.Pattern},
	}, new(event.Facets))
	if err != nil {
		if code := sett.CodeOf(err); code != sett.Invalid {
			t.Fatalf("the notice is refused: %v, for %.300q", err, body)
		}
		return false // too deep, or too many keys
	}
	shown, err := payload.Read(payload.Body{Format: report.Format, JSON: report.Body}, "")
	if err == nil {
		_, err = json.Marshal(shown)
	}
	if err != nil {
		t.Fatalf("the notice cannot be shown: %v, for %.300q", err, body)
	}
	return true
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for body, says := range map[string]string{
		"":                           "The body is empty",
		"hello":                      "not valid JSON",
		"{}":                         "contains no error",
		`{"errors":[]}`:              "contains no error",
		`{"errors":["a",null,[]]}`:   "contains no error",
		`{"errors":[{"type":"a"}]`:   "truncated",
		`[{"errors":[{}]}]`:          "contains no error",
		strings.Repeat("[", 1<<10):   "levels deep",
		`{"errors":[{}],"errors":7}`: "",
	} {
		_, err := Read([]byte(body))
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%.40s: %v, want %q", body, err, says)
		}
	}
}

// What is odd in a report costs that part alone.
func TestReadOdd(t *testing.T) {
	t.Parallel()
	r, err := Read([]byte(`{"errors":[{"type":"A\u0000","message":{"no":"text"},"backtrace":[{"file":"/GEM_ROOT/a.rb","line":"3","column":-1,"code":{"4":"d","3":null,"x":"y"}},7,{"file":"/srv/shop/b.rb","line":1e99}]},{}],` +
		`"context":{"rootDirectory":"/srv/shop/","severity":" Warning","route":"/a/:id","user":7,"component":"","versions":[1],"history":[{"type":"console","message":"hi","severity":"info"},3]},"session":null}` + ""))
	if err != nil {
		t.Fatal(err)
	}
	n := r.Notice
	if n.Class != "A\uFFFD" || n.Message != `{"no":"text"}` || n.Component != "/a/:id" || n.Session != "" || len(n.Causes) != 1 {
		t.Errorf("the notice is %+v", n)
	}
	if n.Level != "warning" || len(n.Tags) > 0 {
		t.Errorf("the level is %q, and the tags are %q", n.Level, n.Tags)
	}
	if len(n.Backtrace) != 2 || n.Backtrace[0].File != "[GEM_ROOT]/a.rb" || n.Backtrace[0].Line != 3 || len(n.Backtrace[0].Source) != 2 || n.Backtrace[1].File != "[PROJECT_ROOT]/b.rb" || n.Backtrace[1].Line != 0 {
		t.Errorf("the backtrace is %+v", n.Backtrace)
	}
	if len(n.Breadcrumbs) != 1 || n.Breadcrumbs[0].Message != "hi" || len(n.Details) != 0 {
		t.Errorf("breadcrumbs are %+v, details %+v", n.Breadcrumbs, n.Details)
	}
}

// Some clients send the text of a stack trace in place of its frames.
func TestReadText(t *testing.T) {
	t.Parallel()
	r, err := Read([]byte(`{"errors":[{"type":"Error","backtrace":"no price at pay.pl line 4.\n\tmain::pay() called at pay.pl line 9\n"},{"type":"Inner","backtrace":" "}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []notice.Frame{{File: "pay.pl", Method: "main::pay", Line: 4}, {File: "pay.pl", Method: "main", Line: 9}}
	if diff := cmp.Diff(want, r.Notice.Backtrace); diff != "" || len(r.Notice.Causes[0].Backtrace) != 0 {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range reports(f) {
		f.Add(c.Body)
	}
	f.Fuzz(func(t *testing.T, body []byte) { check(t, body) })
}
