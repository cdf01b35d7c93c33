package channel

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
)

// links are of an issue in each tracker.
func links() map[string]triage.LinkData {
	return map[string]triage.LinkData{
		"Github": {"number": json.RawMessage(`7`)},
		"Gitlab": {"number": json.RawMessage(`7`)},
		"Jira":   {"id": json.RawMessage(`10007`), "key": json.RawMessage(`"OPS-7"`), "self": json.RawMessage(`"https://jira.test/rest/api/2/issue/10007"`)},
		"Linear": {"id": json.RawMessage(`"u7"`), "identifier": json.RawMessage(`"ENG-7"`), "url": json.RawMessage(`"https://linear.test/ENG-7"`)},
		"Trello": {"id": json.RawMessage(`"10007"`), "shortUrl": json.RawMessage(`"https://trello.test/c/7"`)},
	}
}

// office is a server that stands in for all trackers. It has one issue.
type office struct {
	*recorder
	open bool
}

func startOffice(t *testing.T, open bool) *office {
	t.Helper()
	o := &office{&recorder{}, open}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen = append(o.seen, seen{r.Method, r.RequestURI, r.Header, string(body)})
	jira, linear := "done", "completed"
	if o.open {
		jira, linear = "indeterminate", "started"
	}
	_, _ = io.WriteString(w, strings.NewReplacer("JIRA", jira, "LINEAR", linear).Replace(strings.TrimSuffix(happy, "}}")+`,
		"issue":{"id":"u7","identifier":"ENG-7","url":"https://linear.test/ENG-7","state":{"type":"LINEAR"},"team":{"states":{"nodes":[
			{"id":"s5","name":"Released","type":"completed","position":5},{"id":"s4","name":"Done","type":"completed","position":4},
			{"id":"s3","name":"Doing","type":"started","position":3},{"id":"s2","name":"Next","type":"unstarted","position":2},
			{"id":"s1","name":"Later","type":"backlog","position":1},{"id":"s6","name":"Won't do","type":"canceled","position":0}]}}},
		"issueUpdate":{"success":true}},
		"fields":{"status":{"statusCategory":{"key":"JIRA"}}},
		"transitions":[{"id":"31","name":"Start","to":{"statusCategory":{"key":"indeterminate"}}},{"id":"41","name":"Fixed","to":{"statusCategory":{"key":"done"}}},
			{"id":"42","name":"Wontfix","to":{"statusCategory":{"key":"done"}}},{"id":"11","name":"To do","to":{"statusCategory":{"key":"new"}}}]}`))
}

// asks returns a message of an event to a tracker, of a fault that is linked with an issue there or not.
func asks(kind string, event alerts.AlertEvent, linked bool) Message {
	m := samples()["occurred"]
	m.Event, m.Body = event, json.RawMessage(`{"fault":{"klass":"RuntimeError"}}`)
	m.Title = "RuntimeError: <b>boom</b> & @everyone #1 *x* [l](http://evil.test)"
	m.Detail = "first ```` line\n```\n/close\n{noFormat}*bold*\n@ann !1 ~bug"
	if linked {
		m.Issue = &Issue{links()[kind]}
	}
	return m
}

// trackers are the kinds that are trackers, with all options but those that name ways and states.
func trackers(t *testing.T, server string) (all []tried) {
	t.Helper()
	for _, c := range triedKinds(server) {
		for _, name := range []string{"done_transition", "reopen_transition", "done_state", "open_state"} {
			delete(c.values, name)
		}
		if c.Tracker {
			all = append(all, c)
		}
	}
	if len(all) < 5 {
		t.Fatalf("only %d trackers", len(all))
	}
	return all
}

func send(t *testing.T, c tried, server string, m Message) (Receipt, error) {
	t.Helper()
	return c.sender(server, anywhere(time.Minute)).Send(t.Context(), m)
}

// What each tracker is sent is in testdata/<kind>.
func TestTrackerRequests(t *testing.T) {
	t.Parallel()
	for _, ask := range []struct {
		event    alerts.AlertEvent
		open     bool // the issue, before
		requests int  // to Jira and Linear
	}{{alerts.AlertIssueCreate, false, 1}, {alerts.AlertIssueClose, true, 2}, {alerts.AlertIssueReopen, false, 2}} {
		o := startOffice(t, ask.open)
		creates := ask.event == alerts.AlertIssueCreate
		for _, c := range trackers(t, o.URL) {
			receipt, err := send(t, c, o.URL, asks(c.Type, ask.event, !creates))
			if err != nil || receipt.Status != 200 || receipt.Note != "" {
				t.Errorf("%s, %s: %+v, %v", c.name, ask.event, receipt, err)
			}
			checkLink(t, c, receipt.Link, creates)
			all := o.take()
			if n := len(all); n != 1 && (n != ask.requests || c.Type != "Jira" && c.Type != "Linear") {
				t.Errorf("%s, %s: %d requests", c.name, ask.event, n)
			}
			got := ""
			for _, s := range all {
				got += s.String()
			}
			golden(t, c, string(ask.event), strings.ReplaceAll(c.masked(got), o.URL, "http://server"))
		}
	}
}

// checkLink holds a link against what the interface has of its type, no more and no less.
func checkLink(t *testing.T, c tried, got triage.LinkData, wanted bool) {
	t.Helper()
	var want triage.LinkData
	if wanted {
		want = links()[c.Type]
	}
	if diff := cmp.Diff(want, got); diff != "" || wanted && got.Validate(c.Type) != nil {
		t.Errorf("%s: link (-want +got):\n%s", c.name, diff)
	}
}

// What each event has a tracker do, for a fault that is linked with an issue and for one that is not.
func TestTrackerEvents(t *testing.T) {
	t.Parallel()
	const create, reopen, closing, nothing = alerts.AlertIssueCreate, alerts.AlertIssueReopen, alerts.AlertIssueClose, alerts.AlertEvent("")
	for _, c := range []struct{ event, alone, linked alerts.AlertEvent }{
		{alerts.AlertOccurred, create, reopen},
		{alerts.AlertResolved, nothing, closing},
		{alerts.AlertUnresolved, nothing, reopen},
		{alerts.AlertIssueCreate, create, nothing},
		{alerts.AlertIssueClose, nothing, closing},
		{alerts.AlertIssueReopen, nothing, reopen},
		{alerts.AlertDown, nothing, nothing},
		{alerts.AlertFlooded, nothing, nothing},
	} {
		checkSame(t, c.event, false, c.alone)
		checkSame(t, c.event, true, c.linked)
	}
}

// checkSame holds what an event has trackers do against what another does, that says what it is for.
func checkSame(t *testing.T, event alerts.AlertEvent, linked bool, as alerts.AlertEvent) {
	t.Helper()
	o := startOffice(t, as == alerts.AlertIssueClose)
	for _, c := range trackers(t, o.URL) {
		receipt, err := send(t, c, o.URL, asks(c.Type, event, linked))
		got := o.take()
		if as == "" {
			if err != nil || len(got) > 0 || receipt.Note == "" || receipt.Link != nil || receipt.Status != 0 {
				t.Errorf("%s, %s: %+v, %v, %v", c.name, event, receipt, got, err)
			}
			continue
		}
		if _, err := send(t, c, o.URL, asks(c.Type, as, linked)); err != nil {
			t.Errorf("%s, %s: %v", c.name, as, err)
		}
		want := o.take()
		if len(got) == 0 || len(got) != len(want) || got[len(got)-1].String() != want[len(want)-1].String() {
			t.Errorf("%s, %s: %v, want as %s: %v", c.name, event, got, as, want)
		}
	}
}

// An issue that is as it should be stays as it is, where the tracker has ways that would lead elsewhere.
func TestTrackersLeaveWhatIsSo(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{true, false} {
		o := startOffice(t, open)
		event := map[bool]alerts.AlertEvent{true: alerts.AlertIssueReopen, false: alerts.AlertIssueClose}[open]
		for _, c := range trackers(t, o.URL) {
			receipt, err := send(t, c, o.URL, asks(c.Type, event, true))
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			if n := len(o.take()); n != 1 || (receipt.Note == issueSo) != (c.Type == "Jira" || c.Type == "Linear") {
				t.Errorf("%s: %d requests, %+v", c.name, n, receipt)
			}
		}
	}
}

// A deleted issue says nothing about its tracker, which continues to receive changes.
func TestGoneIssues(t *testing.T) {
	t.Parallel()
	for _, code := range []int{404, 410} {
		server := httptest.NewServer(answerText(code, `{"message":"Not Found"}`))
		t.Cleanup(server.Close)
		for _, c := range trackers(t, server.URL) {
			for _, event := range []alerts.AlertEvent{alerts.AlertIssueClose, alerts.AlertIssueReopen} {
				receipt, err := send(t, c, server.URL, asks(c.Type, event, true))
				checkFailure(t, err, true, "the linked issue does not exist")
				if f, ok := errors.AsType[*Failure](err); !ok || f.Gone || f.Status != code || receipt.Status != code {
					t.Errorf("%s: %+v, %+v", c.name, f, receipt)
				}
			}
		}
	}
}

// Whatever a tracker refuses, closing an issue fails as making one does.
func TestEveryRefusalToClose(t *testing.T) {
	t.Parallel()
	for _, reply := range replies() {
		if reply.want == sent || reply.want == notGiven || reply.name == "410" {
			continue
		}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			reply.serve(w, r)
		}))
		t.Cleanup(server.Close)
		for _, c := range trackers(t, server.URL) {
			receipt, err := send(t, c, server.URL, asks(c.Type, alerts.AlertIssueClose, true))
			checkOutcome(t, c, reply, receipt, err)
		}
	}
}

// Where an issue is looked at before it is closed, what comes of closing it counts.
func TestClosingFailsAfterTheLook(t *testing.T) {
	t.Parallel()
	o := startOffice(t, true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodGet && !strings.Contains(string(body), "query($id") {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		o.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for _, c := range trackers(t, server.URL) {
		receipt, err := send(t, c, server.URL, asks(c.Type, alerts.AlertIssueClose, true))
		if outcomeOf(err) != retry || receipt.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %+v, %v", c.name, receipt, err)
		}
	}
}

// Links that people have made and that lead nowhere are refused before anything is sent.
func TestTrackersRefuseBrokenLinks(t *testing.T) {
	t.Parallel()
	o := startOffice(t, true)
	for _, c := range trackers(t, o.URL) {
		for _, link := range []triage.LinkData{{}, {"number": json.RawMessage(`"../1"`), "id": json.RawMessage(`".."`), "shortUrl": json.RawMessage(`"https://trello.test/c/7"`)}} {
			m := asks(c.Type, alerts.AlertIssueClose, true)
			m.Issue.Link = link
			_, err := send(t, c, o.URL, m)
			checkFailure(t, err, true, "unlink the error and link it again")
		}
	}
	if n := len(o.take()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestIssueTitles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, body, format, want string }{
		{"Boom: it broke", `{"fault":{"klass":"Boom"}}`, "", "[Boom] it broke"},
		{"A::B: c: d", `{"fault":{"klass":"A::B"}}`, "", "[A::B] c: d"},
		{"Boom", `{"fault":{"klass":"Boom"}}`, "", "[Boom]"},
		{"It broke", `{"fault":{"klass":"Boom"}}`, "", "It broke"},
		{"It broke", `{}`, "[class]!", "It broke"},
		{"It broke", `null`, "[project]: [message]", "Shop: It broke"},
		{"Boom: [class]", `{"fault":{"klass":"Boom"}}`, "[environment]: [message] of [class], [other]", "test: [class] of Boom, [other]"},
		{"Boom: x", `{"fault":{"klass":"Boom"}}`, " ", "Boom: x"},
		{"", `{}`, "", "Unnamed error"},
		{"Boom: " + strings.Repeat("x", 300), `{"fault":{"klass":"Boom"}}`, "", "[Boom] " + strings.Repeat("x", 242) + "…"},
	} {
		m := Message{Title: c.title, Project: "Shop", Environment: "test", Body: json.RawMessage(c.body)}
		if got := issueTitle(m, c.format); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.title, c.format, got, c.want)
		}
	}
}

// Nothing that strangers write leaves the block that it is in, or begins a line as a command does.
func TestIssueTextsStayInBlocks(t *testing.T) {
	t.Parallel()
	m := asks("", alerts.AlertIssueCreate, false).brief()
	m.Trace = []string{"/assign me", "````", "{NOFORMAT}"}
	markdown, wiki := markdownIssue(m), jiraText(m)
	for _, line := range strings.Split(markdown, "\n") {
		if strings.HasPrefix(line, "/") || strings.Contains(line, "```") && line != "```" {
			t.Errorf("%q", line)
		}
	}
	if n := strings.Count(markdown, "```"); n != 4 {
		t.Errorf("%d fences in %s", n, markdown)
	}
	if n := strings.Count(strings.ToLower(wiki), "{noformat}"); n != 4 {
		t.Errorf("%d ends of blocks in %s", n, wiki)
	}
}

// People link issues by their addresses, which tell what each tracker needs to find one.
func TestTrackerClosesIssueAtAddress(t *testing.T) {
	t.Parallel()
	o := startOffice(t, true)
	addresses := map[string]string{
		"Github": "https://github.test/acme/shop/issues/7", "Gitlab": "https://gitlab.test/acme/shop/-/issues/7", "Jira": "https://jira.test/browse/OPS-7",
		"Linear": "https://linear.app/acme/issue/ENG-7/pay", "Trello": "https://trello.test/c/aB3dE5gH/7-pay",
	}
	named := map[string]string{"Github": "issues/7", "Gitlab": "issues/7", "Jira": "issue/OPS-7", "Linear": `"ENG-7"`, "Trello": "cards/aB3dE5gH"}
	for _, c := range trackers(t, o.URL) {
		data, err := triage.IssueAt(c.Type, addresses[c.Type])
		if err != nil {
			t.Fatal(c.Type, err)
		}
		m := asks(c.Type, alerts.AlertIssueClose, false)
		m.Issue = &Issue{data}
		if receipt, err := send(t, c, o.URL, m); err != nil || receipt.Status != 200 {
			t.Errorf("%s: %+v, %v", c.name, receipt, err)
		}
		if first := o.take()[0].String(); !strings.Contains(first, named[c.Type]) {
			t.Errorf("%s was asked: %s", c.Type, first)
		}
	}
}
