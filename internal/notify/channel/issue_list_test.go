package channel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/sett/alerts"
)

// drawer is a server that stands in for all trackers and keeps the issues that are made.
type drawer struct {
	*httptest.Server
	mu      sync.Mutex
	issues  []string      // their texts, the oldest first
	made    time.Duration // after noon
	asked   []seen        // for lists
	loses   bool          // the answers to those that are made
	filler  int           // issues of others, made later
	noCloud bool          // Jira is a Data Center
}

func startDrawer(t *testing.T) *drawer {
	t.Helper()
	d := &drawer{}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

func (d *drawer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	if r.Method == http.MethodGet {
		d.list(w, r, seen{r.Method, r.RequestURI, r.Header, string(body)})
		return
	}
	d.issues = append(d.issues, textOfIssue(r, body))
	if d.loses {
		hijack(w, "", true)
		return
	}
	n := len(d.issues)
	_, _ = fmt.Fprintf(w, `{"number":%d,"iid":%[1]d,"id":"%[1]d","key":"OPS-%[1]d","self":"https://jira.test/%[1]d","shortUrl":"https://trello.test/c/%[1]d"}`, n)
}

// textOfIssue is the text of an issue that is to be made.
func textOfIssue(r *http.Request, body []byte) string {
	if form, err := url.ParseQuery(string(body)); err == nil && strings.HasPrefix(r.URL.Path, "/1/") {
		return form.Get("desc")
	}
	var issue struct {
		Body, Description string
		Fields            struct{ Description string }
	}
	_ = json.Unmarshal(body, &issue)
	return cmp.Or(issue.Body, issue.Description, issue.Fields.Description)
}

// list answers as each tracker does; those of GitHub come with the newest first.
func (d *drawer) list(w http.ResponseWriter, r *http.Request, s seen) {
	d.asked = append(d.asked, s)
	if d.noCloud && strings.HasSuffix(r.URL.Path, "/search/jql") {
		http.NotFound(w, r)
		return
	}
	all := slices.Clone(d.issues)
	for range d.filler {
		all = append(all, "of another user")
	}
	issues := []map[string]any{}
	for i, text := range all {
		id := fmt.Sprint(i + 1)
		if strings.HasPrefix(r.URL.Path, "/1/") {
			id = fmt.Sprintf("%08x%016d", noon.Add(d.made).Unix(), i+1)
		}
		issues = append(issues, map[string]any{
			"number": i + 1, "iid": i + 1, "id": id, "key": fmt.Sprint("OPS-", i+1), "self": fmt.Sprint("https://jira.test/", i+1),
			"shortUrl": fmt.Sprint("https://trello.test/c/", i+1), "body": text, "description": text, "desc": text, "created_at": noon.Add(d.made),
			"fields": map[string]any{"description": text},
		})
	}
	answer := any(issues)
	switch {
	case strings.HasPrefix(r.URL.Path, "/rest/"):
		answer = map[string]any{"issues": issues, "isLast": true}
	case strings.Contains(r.URL.Path, "/repos/"):
		slices.Reverse(issues)
		pull := map[string]any{"number": 900, "body": "[Open](https://sett.example.org/projects/1/faults/7#msg_1)", "created_at": noon.Add(d.made), "pull_request": map[string]any{"url": "x"}}
		answer = append([]map[string]any{pull}, issues[:min(len(issues), mostListed-1)]...)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// listers are the trackers that make an issue for every request to.
func listers(t *testing.T, server string) []tried {
	t.Helper()
	return slices.DeleteFunc(trackers(t, server), func(c tried) bool { return c.Type == "Linear" })
}

// eachLister calls f with each of them and a drawer of its own.
func eachLister(t *testing.T, f func(d *drawer, c tried)) {
	t.Helper()
	for i := range listers(t, "") {
		d := startDrawer(t)
		f(d, listers(t, d.URL)[i])
	}
}

// lose has the answers to those that are made lost, or no more.
func (d *drawer) lose(loses bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loses = loses
}

// count returns how many issues there are, and what was asked for lists.
func (d *drawer) count() (issues int, asked []seen) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.issues), slices.Clone(d.asked)
}

// asksAgain is a message that may have arrived before.
func asksAgain(kind string, try int) Message {
	m := asks(kind, alerts.AlertIssueCreate, false)
	m.Try, m.Again, m.Since = try, true, noon
	return m
}

// A tracker whose answer was lost is not asked for a second issue. How it is looked for is in testdata/<kind>.
func TestTrackersMakeOneIssue(t *testing.T) {
	t.Parallel()
	eachLister(t, func(d *drawer, c tried) {
		d.issues = []string{"of another user", "[Open](https://sett.example.org/projects/1/faults/7#msg_12)"}
		d.loses = true
		_, err := send(t, c, d.URL, asks(c.Type, alerts.AlertIssueCreate, false))
		checkFailure(t, err, false, "")
		d.lose(false)
		receipt, err := send(t, c, d.URL, asksAgain(c.Type, 2))
		issues, asked := d.count()
		if err != nil || receipt.Note != issueMade || receipt.Status != 200 || receipt.Link.Validate(c.Type) != nil || issues != 3 || len(asked) != 1 {
			t.Fatalf("%s: %+v, %v, %d issues and %d lists", c.name, receipt, err, issues, len(asked))
		}
		if link := linkText(receipt.Link, "id") + linkNumber(receipt.Link, "number") + linkNumber(receipt.Link, "id"); !strings.Contains(link, "3") {
			t.Errorf("%s: linked with %s", c.name, link)
		}
		golden(t, c, "issue_look_up", strings.ReplaceAll(c.masked(asked[0].String()), d.URL, "http://server"))
	})
}

// Where no earlier try has made an issue, it is made; what is new is not looked for.
func TestTrackersLookOnlyAgain(t *testing.T) {
	t.Parallel()
	eachLister(t, func(d *drawer, c tried) {
		for lists, again := range []bool{false, true} {
			m := asksAgain(c.Type, 3)
			m.ID, m.Again = fmt.Sprint("msg_", lists), again
			receipt, err := send(t, c, d.URL, m)
			if issues, asked := d.count(); err != nil || receipt.Note != "" || len(asked) != lists || issues != lists+1 {
				t.Errorf("%s, again %v: %+v, %v, %d lists, %d issues", c.name, again, receipt, err, len(asked), issues)
			}
		}
	})
}

// Jira Data Center has no search as Jira Cloud has it.
func TestJiraSearches(t *testing.T) {
	t.Parallel()
	eachLister(t, func(d *drawer, c tried) {
		if c.Type != "Jira" {
			return
		}
		d.noCloud, d.loses = true, true
		_, err := send(t, c, d.URL, asks(c.Type, alerts.AlertIssueCreate, false))
		checkFailure(t, err, false, "")
		receipt, err := send(t, c, d.URL, asksAgain(c.Type, 2))
		issues, asked := d.count()
		if err != nil || receipt.Note != issueMade || issues != 1 || len(asked) != 2 || !strings.HasPrefix(asked[1].uri, "/rest/api/2/search?") {
			t.Errorf("%+v, %v, %d issues, %v", receipt, err, issues, asked)
		}
	})
}

// What Jira's search does not find it may not know of yet.
func TestJiraIsGivenTime(t *testing.T) {
	t.Parallel()
	for try, want := range map[int]outcome{1: retry, 2: retry, 3: sent} {
		eachLister(t, func(d *drawer, c tried) {
			if c.Type != "Jira" {
				return
			}
			_, err := send(t, c, d.URL, asksAgain(c.Type, try))
			f, failed := errors.AsType[*Failure](err)
			if outcomeOf(err) != want || failed && (f.RetryAfter != searchLag || !strings.Contains(f.Problem, "Jira's search may not have indexed it yet")) {
				t.Errorf("try %d: %v", try, err)
			}
		})
	}
}

// A list that ends before the issue may have been made in it says nothing.
func TestTrackersWithMoreThanIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		filler int
		made   time.Duration
		want   outcome
	}{{mostListed + 50, 0, retry}, {mostListed - 2, 0, sent}, {mostListed + 50, -clockSlack - time.Minute, retry}} {
		eachLister(t, func(d *drawer, k tried) {
			d.filler, d.made = c.filler, c.made
			want := c.want
			if c.made < 0 && (k.Type == "Github" || k.Type == "Trello") { // which tell that there is nothing newer
				want = sent
			}
			_, err := send(t, k, d.URL, asksAgain(k.Type, 3))
			if outcomeOf(err) != want || want == retry && !strings.Contains(err.Error(), "could not be checked: the tracker has more than 100") {
				t.Errorf("%s, %+v: %v", k.name, c, err)
			}
		})
	}
}

// Whatever comes of the look, no issue is made without it.
func TestEveryAnswerToALook(t *testing.T) {
	t.Parallel()
	for _, reply := range append(replies(), reply{"200, no list", answerText(200, `{"error":"x"}`), retry, 0}, reply{"200, half a list", answerText(200, `[{"number":1,`), retry, 0}) {
		t.Run(reply.name, func(t *testing.T) {
			t.Parallel()
			var made atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				if r.Method != http.MethodGet {
					made.Add(1)
				}
				reply.serve(w, r)
			}))
			t.Cleanup(server.Close)
			for _, c := range listers(t, server.URL) {
				receipt, err := send(t, c, server.URL, asksAgain(c.Type, 3))
				f, failed := errors.AsType[*Failure](err)
				if !failed || f.Permanent || f.Gone || f.Status != receipt.Status || made.Load() != 0 || !strings.HasPrefix(f.Problem, "an earlier attempt may have created the issue") {
					t.Errorf("%s: %+v, %+v, %d issues", c.name, receipt, f, made.Load())
				}
				if want := reply.retryAfter; failed && f.RetryAfter != want {
					t.Errorf("%s: to wait %v, want %v", c.name, f.RetryAfter, want)
				}
			}
		})
	}
}
