package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"sett/internal/app/client"
)

// A message that acts on a terminal, and one that a spreadsheet computes.
const hostile = "\x1b=1+1 \x1b[31mred\x1b]0;title\x07\nsecond\u202eline"

// reader is a server with errors, for a user of the command line; requests are those that were sent to it.
type reader struct {
	*server
	environ  []string
	requests atomic.Int64
}

func newReader(t *testing.T) *reader {
	t.Helper()
	r := &reader{server: startServer(t)}
	target, err := url.Parse("http://" + r.addr)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	counting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.requests.Add(1)
		proxy.ServeHTTP(w, q)
	}))
	t.Cleanup(counting.Close)
	r.environ = []string{"SETT_SERVER=" + counting.URL, "SETT_AUTH_TOKEN=" + r.token}
	return r
}

// post sends a body to an address of clients.
func (r *reader) post(t *testing.T, path string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	q, err := http.NewRequest(http.MethodPost, "http://"+r.addr+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X-API-Key", r.key)
	q.Header.Set("Content-Type", "application/json")
	q.SetBasicAuth(r.token, "")
	response, err := http.DefaultClient.Do(q)
	if err != nil || response.StatusCode >= 300 {
		t.Fatal(path, response, err)
	}
	response.Body.Close()
}

// notice reports an error of a class in a revision.
func (r *reader) notice(t *testing.T, class, revision string) {
	t.Helper()
	r.post(t, "/v1/notices", map[string]any{
		"error": map[string]any{"class": class, "message": hostile, "tags": []string{"late\x1b[31m"}, "backtrace": []any{map[string]any{
			"file": "[PROJECT_ROOT]/app/pay.rb", "number": "12", "method": "total", "source": map[string]string{"11": "sum = 0", "12": "\tsum.fail \x1b[2J"},
		}}},
		"server": map[string]any{"environment_name": "production", "revision": revision},
	})
}

// do runs a command line, and checks its exit status and that nothing that it prints acts on a terminal.
func (r *reader) do(t *testing.T, want int, line string, more ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := try(r.environ, append(strings.Fields(line), more...)...)
	if status != want {
		t.Errorf("sett %s: status %d, want %d, stdout %q, stderr %q", line, status, want, stdout, stderr)
	}
	if i := strings.IndexFunc(stdout+stderr, func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f || c == '\u202e' }); i >= 0 {
		t.Errorf("sett %s: a character acts on the terminal: %q", line, (stdout + stderr)[i:])
	}
	return stdout, stderr
}

// Each noun is listed for people and for programs, with the fields of its table, and each thing is found by its id, its name and its address.
func TestNounsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.post(t, "/v1/deploys", map[string]any{"deploy": map[string]any{"revision": "r2", "environment": "production"}})
	r.notice(t, "shop.Refused", "r1")
	r.post(t, "/v2/projects/1/sites", map[string]any{"site": map[string]any{"name": "=1+1 Shop", "url": "https://shop.example.test/"}})
	r.post(t, "/v2/projects/1/check_ins", map[string]any{"check_in": map[string]any{"name": "Backup", "slug": "backup", "schedule_type": "simple", "report_period": "1 day"}})
	r.post(t, "/v2/projects/1/searches", map[string]any{"search": map[string]any{"name": "Mine", "q": "-is:resolved"}})
	accounts, _ := r.do(t, 0, "projects -o json")
	var account []struct {
		ID string `json:"account_id"`
	}
	if err := json.Unmarshal([]byte(accounts), &account); err != nil || len(account) != 1 {
		t.Fatal(accounts, err)
	}
	r.post(t, "/v2/accounts/"+account[0].ID+"/status_pages", map[string]any{"status_page": map[string]any{"name": "Shop"}})

	for _, n := range client.Nouns() {
		table, _ := r.do(t, 0, n.Name)
		for _, c := range n.Columns {
			if shown := strings.Contains(table, strings.ToUpper(strings.ReplaceAll(c.Name, "_", " "))); !c.Wide && !shown {
				t.Errorf("%s: the table has no column %s:\n%s", n.Name, c.Name, table)
			}
		}
		rows := r.rows(t, n)
		for i := range rows { // each is found by its first field, which is its id
			if n.Name != "errors" {
				one, _ := r.do(t, 0, n.Name+" -o json", fmt.Sprint(rows[i][n.Columns[0].Name]))
				if !strings.HasPrefix(one, `{"`+n.Columns[0].Name+`":`) {
					t.Errorf("%s: %s", n.Name, one)
				}
			}
		}
	}
	if one, _ := r.do(t, 0, "check-ins BACKUP"); !containsAll(one, "pending", "every 1 day") {
		t.Error(one)
	}
	if message := r.rows(t, client.Errors())[0]["message"]; message != hostile {
		t.Errorf("JSON changed the message: %q", message)
	}
	if one, _ := r.do(t, 0, "sites https://shop.example.test/"); !strings.Contains(one, "=1+1 Shop") {
		t.Error(one)
	}
	for line, want := range map[string]string{ // a text that begins with ? is of a wrong command line
		"sites shopp":            "sett sites lists those",
		"check-ins bakcup":       "did you mean Backup?",
		"releases r":             "did you mean r1, or r2?",
		"sites a b":              "?takes one site",
		"projects -p 1":          "?unknown flag -p",
		"sites -o xml":           "?write table, json, jsonl or csv",
		"sites --limit -1":       "?write one from 1 to 10000",
		"sites --project Shoop":  "sett projects lists those",
		"searches --project 999": "not found",
		"search":                 "?needs a search",
		"search clas:x":          "did you mean class:?",
		"errors resolv 1":        "?did you mean resolve?",
		"errors resolve":         "?needs the number of an error",
		"error x":                "neither the number of an error nor the address",
		"error 99":               "there is no error 99",
		"error https://b.example.org/projects/1/faults/1": "of another server",
		"error https://b.example.org/projects/1/sites/1":  "no address of an error",
		"open sits":              "?did you mean sites?",
		"errors assign 1":        "?--to is missing",
		"errors assign 1 --to x": `there is no user "x"`,
		"errors comment 1":       "?--message is missing",
		"deploy":                 "?--revision is missing",
	} {
		status, stdout, stderr := try(r.environ, strings.Fields(line)...)
		if wrong := strings.HasPrefix(want, "?"); wrong != (status == misused) {
			t.Errorf("sett %s: status %d", line, status)
		}
		want = strings.TrimPrefix(want, "?")
		if status < failed || status > misused || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("sett %s: status %d, stdout %q, stderr %q; want %q", line, status, stdout, stderr, want)
		}
	}
}

// rows returns what a noun has as JSON, after a look whether JSON lines and CSV have the same.
func (r *reader) rows(t *testing.T, n client.Noun) (rows []map[string]any) {
	t.Helper()
	text, _ := r.do(t, 0, n.Name+" -o json")
	if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows) == 0 || len(rows[0]) != len(n.Columns) {
		t.Fatalf("%s: %v: %s", n.Name, err, text)
	}
	if lines, _ := r.do(t, 0, n.Name+" -o jsonl"); "["+strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",")+"]\n" != text {
		t.Errorf("%s: JSON %s, JSON lines %s", n.Name, text, lines)
	}
	table, _ := r.do(t, 0, n.Name+" -o csv")
	lines, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(lines) != len(rows)+1 || strings.Count(table, "\n") != len(lines) || strings.Contains(table, ",=1") {
		t.Fatalf("%s: %v: %s", n.Name, err, table)
	}
	for i, c := range n.Columns {
		if lines[0][i] != c.Name {
			t.Errorf("%s: CSV has %s for %s", n.Name, lines[0][i], c.Name)
		}
	}
	return rows
}

// One error is shown with the line that failed and its source; commands change errors, each by as many requests as it needs.
func TestErrorsFromTheCommandLine(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.Refused", "r1")
	r.notice(t, "shop.Late", "r1")
	shown, _ := r.do(t, 0, "error 1")
	if !containsAll(shown, "app/pay.rb:12 in total", ">    12      sum.fail [2J", "     11  sum = 0", "r1", "late[31m", "open", "=1+1 [31mred]0;title secondline") {
		t.Error(shown)
	}
	var one struct {
		Place string
		Event struct {
			Frames []struct{ Source []struct{ Text string } }
		}
	}
	text, _ := r.do(t, 0, "error 1 -o json")
	if err := json.Unmarshal([]byte(text), &one); err != nil || one.Place != "app/pay.rb:12 in total" || one.Event.Frames[0].Source[1].Text != "\tsum.fail \x1b[2J" {
		t.Errorf("%v: %s", err, text)
	}
	if table, _ := r.do(t, 0, "error 1 -o csv"); !containsAll(table, "url,place\n", ",'=1+1 ") {
		t.Error(table)
	}
	said, failed := r.do(t, 1, "errors resolve 1 99 2")
	if said != "Error 1 is resolved.\nError 2 is resolved.\n" || !strings.Contains(failed, "no error 99") {
		t.Errorf("%q, %q", said, failed)
	}
	if said, _ := r.do(t, 0, "errors resolve 2 --in r1"); said != "Error 2 is resolved in r1.\n" {
		t.Error(said)
	}
	if _, failed := r.do(t, 1, "errors resolve 2 --in r9"); !strings.Contains(failed, `check the spelling of "r9"`) {
		t.Error(failed)
	}
	if _, failed := r.do(t, 2, "errors resolve 2 --in="); !strings.Contains(failed, "--in is empty") {
		t.Error(failed)
	}
	r.do(t, 0, "errors reopen 2")
	r.do(t, 0, "errors assign 2 --to me")
	r.do(t, 0, "errors comment 2 --message", "Fixed.")
	if list, _ := r.do(t, 0, "errors -o csv"); strings.Contains(list, "Refused") || !containsAll(list, "shop.Late", "admin@example.com,1,") {
		t.Error(list)
	}
	r.do(t, 0, "errors ignore 2")
	if list, said := r.do(t, 0, "errors"); list != "" || said != "There are no open errors here; --all also lists those that are resolved or ignored.\n" {
		t.Errorf("%q, %q", list, said)
	}
	if list, said := r.do(t, 0, "search class:Unknown"); list != "" || said != "No error of the project matches.\n" {
		t.Errorf("%q, %q", list, said)
	}
	if list, said := r.do(t, 0, "errors --all --limit 1 --environment production"); strings.Count(list, "\n") != 2 || said != "1 of 2; --limit shows more.\n" {
		t.Errorf("%q, %q", list, said)
	}
	for line, want := range map[string]int64{
		"errors": 2, "errors -p 1": 1, "error 1": 3, "error 1 -p 1": 2, "projects": 1, "sites -p 1": 1, "releases r1 -p 1": 1, "search class:x": 2, "status-pages": 2,
		"errors reopen 1 -p 1": 2, "deploy --revision r2 --api-key " + r.key: 1, "deploy --revision r3": 2, "open -p 1": 0, "errors -p " + r.key: 2,
	} {
		before := r.requests.Load()
		r.do(t, 0, line)
		if got := r.requests.Load() - before; got != want {
			t.Errorf("sett %s sent %d requests, want %d", line, got, want)
		}
	}
	r.resolveAll(t)
}

// A page is opened in the browser, whose address is printed where there is none.
func TestPagesAreOpened(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.Refused", "r1")
	if said, _ := r.do(t, 0, "open 1"); said != "http://"+r.addr+"/projects/1/faults/1\n" {
		t.Error(said)
	}
	if said, _ := r.do(t, 0, "search --web class:x"); !strings.HasSuffix(said, "/projects/1/faults?q=class%3Ax\n") {
		t.Error(said)
	}
	script, seen := filepath.Join(t.TempDir(), "browser"), filepath.Join(t.TempDir(), "seen")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nprintf %s \"$1\" > "+seen+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	r.environ = append(r.environ, "BROWSER="+script)
	if said, _ := r.do(t, 0, "sites --web"); !strings.HasPrefix(said, "Opened ") {
		t.Error(said)
	}
	if text, err := os.ReadFile(seen); err != nil || !strings.HasSuffix(string(text), "/projects/1/sites") {
		t.Errorf("%q, %v", text, err)
	}
}

// A gate fails when errors follow a deploy, new ones or reopened ones, and passes otherwise.
func TestGates(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.Refused", "r1")
	r.do(t, 0, "errors resolve 1")
	r.do(t, 0, "deploy --revision r2 --environment production")
	if said, _ := r.do(t, 0, "gate --revision r2 --window 0"); said != "No new or reopened error follows r2.\n" {
		t.Error(said)
	}
	r.notice(t, "shop.Refused", "r2")
	if said, _ := r.do(t, 1, "gate --revision r2 --window 0 -o csv"); !strings.Contains(said, "\nreopened,1,open,production,2,") {
		t.Error(said)
	}
	r.notice(t, "shop.Other", "r2")
	if said, _ := r.do(t, 1, "gate --revision r2 --window 0"); !containsAll(said, "new       2   open", "reopened  1") {
		t.Error(said)
	}
	r.do(t, 0, "gate --revision r2 --window 0 --environment staging")
	r.do(t, 3, "gate --revision r3 --window 0")
	r.do(t, 2, "gate --window 0")
	r.do(t, 2, "gate --revision r2 --window x")
	r.do(t, 3, "gate --revision r2 --window 0 --project none")
	r.do(t, 3, "gate --revision r2 --window 0 --server http://127.0.0.1:1")
	r.do(t, 4, "gate --revision r2 --window 0 --auth-token wrong")
	r.do(t, 2, "tail --every 1ms")
	r.do(t, 2, "tail --error 1 shop")
}

// Shells complete names that the server has, but none that a shell would act on.
func TestNamesAreCompleted(t *testing.T) {
	t.Parallel()
	r := newReader(t)
	r.notice(t, "shop.Refused", "$(touch${IFS}x)")
	r.notice(t, "shop.Refused", "r1")
	for line, want := range map[string]string{
		"releases ":         "r1\n:4\n",
		"errors resolve ":   "1\tshop.Refused: =1+1 [31mred]0;title secondline\n:4\n",
		"sites --output js": "table\njson\njsonl\ncsv\n:4\n",
		"projects ":         "1\tMy project\n:4\n",
		"errors --project ": "1\tMy project\n:4\n",
		"open status":       "status-pages\n:4\n",
	} {
		i := strings.LastIndex(line, " ")
		status, stdout, _ := try(r.environ, append(append([]string{"__complete"}, strings.Fields(line[:i])...), line[i+1:])...)
		if status != 0 || stdout != want {
			t.Errorf("%q: status %d, %q, want %q", line, status, stdout, want)
		}
	}
	r.environ[1] = "SETT_AUTH_TOKEN=wrong"
	if _, stdout, _ := try(r.environ, "__complete", "releases", ""); stdout != ":4\n" {
		t.Errorf("without an answer: %q", stdout)
	}
}

// resolveAll resolves what a search finds: without a terminal only if that is said, and nothing else.
func (r *reader) resolveAll(t *testing.T) {
	t.Helper()
	r.notice(t, "shop.A", "r1")
	r.notice(t, "shop.B", "r1")
	if _, failed := r.do(t, 1, "errors resolve --search class:shop.A"); !containsAll(failed, "nothing was changed: this would resolve 1 error, see http://", "/projects/1/faults?q=-is%3Aresolved+class%3Ashop.A", "--yes") {
		t.Error(failed)
	}
	if list, _ := r.do(t, 0, "errors -o csv"); !containsAll(list, "shop.A", "shop.B") {
		t.Errorf("something was resolved without an answer: %s", list)
	}
	if said, _ := r.do(t, 0, "errors resolve --search class:shop.A --yes"); said != "1 error is resolved.\n" {
		t.Error(said)
	}
	if list, _ := r.do(t, 0, "errors -o csv"); strings.Contains(list, "shop.A") || !strings.Contains(list, "shop.B") {
		t.Errorf("after one was resolved: %s", list)
	}
	if said, _ := r.do(t, 0, "errors resolve --search class:shop.A --yes"); said != "No error that is not resolved matches.\n" {
		t.Error(said)
	}
	if said, _ := r.do(t, 0, "errors resolve --search class:shop.B --yes --in r1"); said != "1 error is resolved in r1.\n" {
		t.Error(said)
	}
	for line, want := range map[string]string{"errors resolve --search=": "--search is empty", "errors resolve 1 --search class:x": "leave one of them out"} {
		if _, failed := r.do(t, 2, line); !strings.Contains(failed, want) {
			t.Errorf("%s: %s", line, failed)
		}
	}
	if _, failed := r.do(t, 1, "errors resolve --yes --search", "clas:x"); !strings.Contains(failed, "class:") {
		t.Error(failed)
	}
}
