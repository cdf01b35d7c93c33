package channel

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/sett/alerts"
)

// Ways and states that people name are taken, and nothing else.
func TestNamedWaysAndStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, option, value string
		open                bool // what the issue is to be
		want                string
	}{
		{"Jira", "done_transition", "wontfix", false, `"id": "42"`},
		{"Jira", "done_transition", "Never", false, `the issue has no transition "Never" in its current status; correct the option done_transition`},
		{"Jira", "reopen_transition", "Start", true, `"id": "31"`},
		{"Jira", "", "", false, `"id": "41"`},
		{"Jira", "", "", true, `"id": "11"`},
		{"Linear", "done_state", "released", false, `"stateId": "s5"`},
		{"Linear", "done_state", "Never", false, `the issue's team has no status "Never"; correct the option done_state`},
		{"Linear", "open_state", "Later", true, `"stateId": "s1"`},
		{"Linear", "", "", false, `"stateId": "s4"`},
		{"Linear", "", "", true, `"stateId": "s2"`},
		{"Trello", "done_list_id", "", false, "closed=true"},
		{"Trello", "done_list_id", "", true, "closed=false"},
	} {
		o := startOffice(t, !c.open)
		event := map[bool]alerts.AlertEvent{true: alerts.AlertIssueReopen, false: alerts.AlertIssueClose}[c.open]
		for _, k := range trackers(t, o.URL) {
			if k.Type != c.kind {
				continue
			}
			k.values[c.option] = c.value
			_, err := send(t, k, o.URL, asks(k.Type, event, true))
			all := o.take()
			got := all[len(all)-1].String()
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, %s %q: %s, want %s", c.kind, c.option, c.value, got, c.want)
			}
		}
	}
}

// A workflow without a way says which option would name one.
func TestNoWays(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answerText(200, `{"fields":{"status":{"statusCategory":{"key":"new"}}},"transitions":[]}`))
	t.Cleanup(server.Close)
	for _, c := range trackers(t, server.URL) {
		if c.Type == "Jira" {
			_, err := send(t, c, server.URL, asks(c.Type, alerts.AlertIssueClose, true))
			checkFailure(t, err, true, "enter one in the option done_transition")
		}
	}
}

func TestJiraLogins(t *testing.T) {
	t.Parallel()
	o := startOffice(t, true)
	k, _ := Find("Jira")
	for email, want := range map[string]string{"ann@example.test": "Basic YW5uQGV4YW1wbGUudGVzdDp0MGtlbg==", "": "Bearer t0ken"} {
		s := k.Make(Tools{HTTP: anywhere(time.Minute)}, Values{"server": o.URL, "email": email, "token": "t0ken", "project_key": "OPS"})
		if _, err := s.Send(t.Context(), asks("Jira", alerts.AlertIssueCreate, false)); err != nil {
			t.Error(err)
		}
		if got := o.take()[0].header.Get("Authorization"); got != want {
			t.Errorf("%q: %s, want %s", email, got, want)
		}
	}
}

// GitHub answers 403 to a limit too.
func TestGitHubLimits(t *testing.T) {
	t.Parallel()
	const words = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`
	for name, c := range map[string]struct {
		code   int
		header map[string]string
		body   string
		want   outcome
		wait   time.Duration
	}{
		"refused":                   {403, nil, "", permanent, 0},
		"refused, with quota":       {403, map[string]string{"X-RateLimit-Remaining": "12", "X-RateLimit-Reset": "1795003260"}, "", permanent, 0},
		"secondary limit":           {403, map[string]string{"Retry-After": "90"}, words, retry, 90 * time.Second},
		"secondary limit in words":  {403, nil, words, retry, time.Minute},
		"secondary limit, 429":      {429, nil, words, retry, time.Minute},
		"primary limit":             {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795003290"}, "", retry, 90 * time.Second},
		"primary limit, 429":        {429, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1795003290"}, "", retry, 90 * time.Second},
		"limit that is over":        {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1"}, "", retry, 0},
		"no number":                 {403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "soon"}, "", retry, 0},
		"words with another status": {422, nil, words, permanent, 0},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for key, value := range c.header {
				w.Header().Set(key, value)
			}
			w.WriteHeader(c.code)
			_, _ = io.WriteString(w, c.body)
		}))
		t.Cleanup(server.Close)
		_, err := send(t, trackers(t, server.URL)[0], server.URL, asks("Github", alerts.AlertIssueCreate, false))
		if f, _ := errors.AsType[*Failure](err); outcomeOf(err) != c.want || f.RetryAfter != c.wait {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// linearTwice is Linear when it has an issue with the id of the one that is to be made, or not.
func linearTwice(there bool, asked *atomic.Value) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "issueCreate") {
			asked.Store(string(body))
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"errors":[{"message":"Conflict on insert","extensions":{"code":"INPUT_ERROR"}}]}`)
			return
		}
		answer := `{"data":null,"errors":[{"message":"Entity not found: Issue"}]}`
		if there {
			answer = `{"data":{"issue":{"id":"u7","identifier":"ENG-7","url":"https://linear.test/ENG-7"}}}`
		}
		_, _ = io.WriteString(w, answer)
	}
}

// A message whose answer was lost makes no second issue in Linear, and another message does.
func TestLinearMakesOneIssue(t *testing.T) {
	t.Parallel()
	id := regexp.MustCompile(`"id":"([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})"`)
	for _, there := range []bool{true, false} {
		var asked atomic.Value
		server := httptest.NewServer(linearTwice(there, &asked))
		t.Cleanup(server.Close)
		k, _ := Find("Linear")
		ids := map[string]int{}
		for _, message := range []string{"msg_1", "msg_1", "msg_2"} {
			m := asks("Linear", alerts.AlertIssueCreate, false)
			m.ID = message
			receipt, err := k.Make(Tools{HTTP: anywhere(time.Minute), instead: server.URL}, Values{"token": "lin_api_x", "team_id": "t"}).Send(t.Context(), m)
			if there {
				checkLink(t, tried{Kind: k, name: "Linear"}, receipt.Link, true)
			} else {
				checkFailure(t, err, true, "Linear returned: Conflict on insert")
			}
			found := id.FindStringSubmatch(asked.Load().(string))
			if (err == nil) != there || found == nil {
				t.Fatalf("%v: %v, %v", there, err, asked.Load())
			}
			ids[found[1]]++
		}
		if len(ids) != 2 {
			t.Errorf("%v, want one id for each message", ids)
		}
	}
}

// Linear reports in texts that an issue is gone.
func TestLinearIssueThatIsGone(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"data":{"issue":null}}`, `{"errors":[{"message":"Entity not found: Issue"}]}`} {
		server := httptest.NewServer(answerText(200, body))
		t.Cleanup(server.Close)
		k, _ := Find("Linear")
		_, err := k.Make(Tools{HTTP: anywhere(time.Minute), instead: server.URL}, Values{"token": "x"}).Send(t.Context(), asks("Linear", alerts.AlertIssueClose, true))
		checkFailure(t, err, true, "the linked issue does not exist")
	}
}

// A change that Linear does not make is no success, whatever the status is.
func TestLinearThatChangesNothing(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answerText(200, `{"data":{"issueUpdate":{"success":false},"issue":{"state":{"type":"started"},"team":{"states":{"nodes":[{"id":"s","type":"completed"}]}}}}}`))
	t.Cleanup(server.Close)
	k, _ := Find("Linear")
	_, err := k.Make(Tools{HTTP: anywhere(time.Minute), instead: server.URL}, Values{"token": "x"}).Send(t.Context(), asks("Linear", alerts.AlertIssueClose, true))
	checkFailure(t, err, true, "Linear did not change the issue")
}

// A key of a person goes as it is, any other token as one of OAuth (linear.app/developers/graphql).
func TestLinearTokens(t *testing.T) {
	t.Parallel()
	o := startOffice(t, true)
	k, _ := Find("Linear")
	for token, want := range map[string]string{"lin_api_1": "lin_api_1", "lin_oauth_1": "Bearer lin_oauth_1"} {
		_, err := k.Make(Tools{HTTP: anywhere(time.Minute), instead: o.URL}, Values{"token": token}).Send(t.Context(), asks("Linear", alerts.AlertIssueCreate, false))
		if got := o.take()[0].header.Get("Authorization"); err != nil || got != want {
			t.Errorf("%s: %s, %v", token, got, err)
		}
	}
}
