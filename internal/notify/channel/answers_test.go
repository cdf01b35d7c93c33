package channel

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sett/internal/sett/alerts"
)

// outcome is what is to become of a message.
type outcome string

const (
	sent      outcome = "sent"
	retry     outcome = "worth another try"
	permanent outcome = "permanent"
	notGiven  outcome = "not given up" // sent, or worth another try, as the kind needs to read an answer or not
)

func outcomeOf(err error) outcome {
	f, failed := errors.AsType[*Failure](err)
	switch {
	case err == nil:
		return sent
	case !failed:
		return outcome(fmt.Sprintf("an error that is no Failure: %v", err))
	case f.Permanent:
		return permanent
	}
	return retry
}

func (want outcome) takes(got outcome) bool {
	return want == got || want == notGiven && got != permanent
}

// reply is what a server does to a request, and what is to become of the message.
type reply struct {
	name       string
	serve      http.HandlerFunc
	want       outcome
	retryAfter time.Duration
}

// replies are all that servers may do.
func replies() (all []reply) {
	for code := 200; code < 600; code++ {
		if http.StatusText(code) == "" {
			continue
		}
		want := permanent
		switch {
		case code == 204:
			want = notGiven
		case code < 300:
			want = sent
		case slices.Contains([]int{408, 425, 429}, code), code >= 500:
			want = retry
		}
		all = append(all, reply{fmt.Sprint(code), answering(code, ""), want, 0})
	}
	for said, wait := range map[string]time.Duration{
		"120": 2 * time.Minute, "1.5": 1500 * time.Millisecond, "Wed, 18 Nov 2026 12:01:30 GMT": 90 * time.Second, "Wed, 18 Nov 2026 11:00:00 GMT": 0,
		"-5": 0, "0": 0, "soon": 0, "NaN": 0, "99999999999": mostWait, "9999999999999999999999": mostWait, "Fri, 31 Dec 9999 23:59:59 GMT": mostWait, "Inf": mostWait,
	} {
		for _, code := range []int{429, 503} {
			all = append(all, reply{fmt.Sprintf("%d, Retry-After: %s", code, said), answering(code, said), retry, wait})
		}
		all = append(all, reply{"400, Retry-After: " + said, answering(400, said), permanent, 0})
	}
	return append(
		all,
		reply{"reset", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", true) }, retry, 0},
		reply{"closed", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "", false) }, retry, 0},
		reply{"no HTTP", func(w http.ResponseWriter, _ *http.Request) { hijack(w, "SSH-2.0-OpenSSH_9.9\r\n", false) }, retry, 0},
		reply{"half a body", func(w http.ResponseWriter, _ *http.Request) {
			hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", false)
		}, notGiven, 0},
		reply{"huge headers", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("a", 1<<20)) }, retry, 0},
		reply{"endless and well", endless(200), notGiven, 0},
		reply{"endless and broken", endless(500), retry, 0},
		reply{"endless and refused", endless(403), permanent, 0},
	)
}

func answering(code int, retryAfter string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, happy)
	}
}

func endless(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		for {
			if _, err := io.WriteString(w, strings.Repeat("never enough\n", 1000)); err != nil {
				return
			}
		}
	}
}

// hijack writes as it is and ends the connection.
func hijack(w http.ResponseWriter, text string, reset bool) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, text)
	if reset {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}
	_ = conn.Close()
}

// Whatever a server does, each kind says whether another try is of use, and nothing is read without end.
func TestEveryAnswerToEveryKind(t *testing.T) {
	t.Parallel()
	for _, reply := range replies() {
		t.Run(reply.name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				_, _ = io.Copy(io.Discard, r.Body) // what is left of it would end the connection
				reply.serve(w, r)
			}))
			t.Cleanup(server.Close)
			for _, c := range triedKinds(server.URL) {
				asked.Store(0)
				receipt, err := c.sender(server.URL, anywhere(time.Minute)).Send(t.Context(), samples()["occurred"])
				checkOutcome(t, c, reply, receipt, err)
				if n := asked.Load(); n != 1 {
					t.Errorf("%s: %d requests, want one", c.name, n)
				}
			}
		})
	}
}

func checkOutcome(t *testing.T, c tried, want reply, receipt Receipt, err error) {
	t.Helper()
	if got := outcomeOf(err); !want.want.takes(got) {
		t.Errorf("%s: %s (%v), want %s", c.name, got, err, want.want)
	}
	f, failed := errors.AsType[*Failure](err)
	if !failed {
		return
	}
	if f.RetryAfter != want.retryAfter || f.Gone != (want.name == "410") || f.Status != receipt.Status {
		t.Errorf("%s: to wait %v, gone %v, status %d and %d in the receipt", c.name, f.RetryAfter, f.Gone, f.Status, receipt.Status)
	}
	if f.Problem == "" || len(f.Problem) > maxProblem+100 || strings.ContainsAny(f.Problem, "\r\n") {
		t.Errorf("%s: %q", c.name, f.Problem)
	}
	if len(want.name) == 3 && !strings.Contains(f.Problem, "127.0.0.1 returned "+want.name) && f.Status >= 300 {
		t.Errorf("%s: %q does not say who answered what", c.name, f.Problem)
	}
}

// A server that is not there, or says nothing, may be back later.
func TestNoAnswerToEveryKind(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	for _, c := range triedKinds(silent.URL) {
		_, err := c.sender(silent.URL, anywhere(20*time.Millisecond)).Send(t.Context(), samples()["occurred"])
		checkFailure(t, err, false, "127.0.0.1 did not respond within 30s")
	}
	for _, c := range triedKinds(down.URL) {
		_, err := c.sender(down.URL, anywhere(time.Minute)).Send(t.Context(), samples()["occurred"])
		checkFailure(t, err, false, "connection refused")
	}
}

// A redirect could lead anywhere, into this machine too.
func TestNoKindFollowsRedirects(t *testing.T) {
	t.Parallel()
	inside := startRecorder(t)
	for _, code := range []int{301, 302, 303, 307, 308} {
		server := httptest.NewServer(http.RedirectHandler(inside.URL, code))
		t.Cleanup(server.Close)
		for _, c := range triedKinds(server.URL) {
			_, err := c.sender(server.URL, anywhere(time.Minute)).Send(t.Context(), samples()["occurred"])
			checkFailure(t, err, true, "redirects are not followed")
		}
	}
	if n := len(inside.take()); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestAnswersAreReadUpToALimit(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answerText(200, strings.Repeat("a", 2*mostAnswer)))
	t.Cleanup(server.Close)
	a, err := Tools{HTTP: anywhere(time.Minute)}.exchange(t.Context(), http.MethodGet, server.URL, nil, "", nil)
	if err != nil || len(a.body) != mostAnswer {
		t.Errorf("%d bytes, %v", len(a.body), err)
	}
}

// The page of a captive portal is the answer of no service; a web hook may answer anything.
func TestPagesOfPortalsAreNoAnswers(t *testing.T) {
	t.Parallel()
	const page = "<!DOCTYPE html><html><title>Sign in to the network</title></html>"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(server.Close)
	for _, c := range triedKinds(server.URL) {
		for event, m := range samples() {
			receipt, err := c.sender(server.URL, anywhere(time.Minute)).Send(t.Context(), m)
			want := retry
			if c.Type == "WebHook" || receipt.Status == 0 { // which sends nothing for this event
				want = sent
			}
			if got := outcomeOf(err); got != want {
				t.Errorf("%s, %s: %s, %v", c.name, event, got, err)
			}
		}
	}
}

// That an issue was closed is believed only of its tracker.
func TestPagesOfPortalsCloseNoIssues(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answerText(200, "<html>"))
	t.Cleanup(server.Close)
	for _, c := range trackers(t, server.URL) {
		if _, err := send(t, c, server.URL, asks(c.Type, alerts.AlertIssueClose, true)); outcomeOf(err) != retry {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func answerText(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// Errors that only the body of an answer contains.
func TestAnswersInBodies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string // of the kind, as in triedKinds
		status int
		body   string
		want   outcome
		wait   time.Duration
		says   string
	}{
		{"Slack", 200, "ok", sent, 0, ""},
		{"Slack", 200, "ok\n", sent, 0, ""},
		{"Slack", 200, `{"success":true}`, sent, 0, ""}, // Rocket.Chat
		{"Slack", 200, "", retry, 0, "with an unexpected response"},
		{"Slack", 200, "invalid_payload", retry, 0, "with an unexpected response"},
		{"Mattermost", 200, "ok", sent, 0, ""},
		{"Discord", 200, `{"id":"1","type":0}`, sent, 0, ""},
		{"Discord", 200, `{"message":"fine"}`, retry, 0, "with an unexpected response"},
		{"Ntfy", 200, `{"id":"x","event":"message"}`, sent, 0, ""},
		{"GoogleChat", 200, `{"name":"spaces/a/messages/b"}`, sent, 0, ""},
		{"GoogleChat", 200, `{}`, retry, 0, "with an unexpected response"},
		{"PagerDutyV2", 200, `{}`, retry, 0, "with an unexpected response"},
		{"MSTeams", 200, "1", sent, 0, ""},
		{"Slack", 404, "no_service", permanent, 0, "no_service"},
		{"Slack without url", 200, `{"ok":false,"error":"channel_not_found"}`, permanent, 0, "Slack returned: channel_not_found"},
		{"Slack without url", 200, `{"ok":false,"error":"ratelimited"}`, retry, 0, "ratelimited"},
		{"Slack without url", 200, `{"ok":false,"error":"internal_error"}`, retry, 0, "internal_error"},
		{"Slack without url", 200, `<html>`, retry, 0, "with an unexpected response"},
		{"Discord", 429, `{"message":"You are being rate limited.","retry_after":64.57,"global":false}`, retry, 64570 * time.Millisecond, "rate limited"},
		{"Telegram", 429, `{"ok":false,"error_code":429,"parameters":{"retry_after":35}}`, retry, 35 * time.Second, "429"},
		{"Telegram", 403, `{"ok":false,"error_code":403,"description":"Forbidden: bot was kicked","parameters":{"retry_after":35}}`, permanent, 0, "bot was kicked"},
		{"Telegram", 200, `{"ok":false,"description":"Bad Request: chat not found"}`, permanent, 0, "chat not found"},
		{"Telegram", 200, ``, retry, 0, "with an unexpected response"},
		{"Zulip", 429, `{"result":"error","code":"RATE_LIMIT_HIT","retry-after":28.5}`, retry, 28500 * time.Millisecond, "RATE_LIMIT_HIT"},
		{"Zulip", 400, `{"result":"error","code":"STREAM_DOES_NOT_EXIST","msg":"Channel 'x' does not exist"}`, permanent, 0, "does not exist"},
		{"Zulip", 200, `{"result":"error","msg":"no such channel"}`, permanent, 0, "no such channel"},
		{"Pushover", 200, `{"status":0,"errors":["user identifier is invalid"]}`, permanent, 0, "user identifier is invalid"},
		{"Pushover", 200, `no JSON`, retry, 0, "with an unexpected response"},
		{"PagerDutyV2", 202, `{"status":"success","dedup_key":"x"}`, sent, 0, ""},
		{"PagerDutyV2", 400, `{"status":"invalid event","errors":["Length of 'routing_key' is incorrect"]}`, permanent, 0, "invalid event"},
		{"Opsgenie", 202, `{"result":"Request will be processed"}`, sent, 0, ""},
		{"JSM", 202, `{"result":"Request will be processed"}`, sent, 0, ""},
		{"MSTeams", 202, ``, sent, 0, ""},
		{"Github", 201, `{"number":12,"title":"x"}`, sent, 0, ""},
		{"Github", 201, `{"number":0}`, retry, 0, "with an unexpected response"},
		{"Github", 200, `[]`, retry, 0, "with an unexpected response"},
		{"Github", 422, `{"message":"Validation Failed"}`, permanent, 0, "Validation Failed"},
		{"Gitlab", 201, `{"id":901,"iid":12}`, sent, 0, ""},
		{"Gitlab", 201, `{"id":901}`, retry, 0, "with an unexpected response"},
		{"Jira", 201, `{"id":"10007","key":"OPS-7","self":"https://jira.test/rest/api/2/issue/10007"}`, sent, 0, ""},
		{"Jira", 201, `{"id":"ten","key":"OPS-7","self":"https://jira.test/7"}`, retry, 0, "with an unexpected response"},
		{"Jira", 201, `{"id":"10007","key":"OPS-7"}`, retry, 0, "with an unexpected response"},
		{"Jira", 400, `{"errors":{"issuetype":"Specify a valid issue type"}}`, permanent, 0, "valid issue type"},
		{"Trello", 200, `{"id":"5abb","shortUrl":"https://trello.com/c/x"}`, sent, 0, ""},
		{"Trello", 200, `{"id":"5abb"}`, retry, 0, "with an unexpected response"},
		{"Linear", 200, `{"data":{"issueCreate":{"issue":{"id":"u","identifier":"ENG-7","url":"https://linear.app/x"}}}}`, sent, 0, ""},
		{"Linear", 200, `{"data":{"issueCreate":{"success":false,"issue":null}}}`, retry, 0, "with an unexpected response"},
		{"Linear", 200, `{"errors":[{"message":"Argument Validation Error","extensions":{"code":"INPUT_ERROR"}}]}`, permanent, 0, "Linear returned: Argument Validation Error"},
		{"Linear", 400, `{"errors":[{"message":"Rate limit exceeded","extensions":{"code":"RATELIMITED"}}]}`, retry, 0, "Linear returned: Rate limit exceeded"},
		{"Linear", 400, `<html>`, permanent, 0, "returned 400"},
		{"Discord", 204, ``, sent, 0, ""},
	} {
		t.Run(c.name+" "+c.body, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(answerText(c.status, c.body))
			t.Cleanup(server.Close)
			all := triedKinds(server.URL)
			i := slices.IndexFunc(all, func(k tried) bool { return k.name == c.name })
			_, err := all[i].sender(server.URL, anywhere(time.Minute)).Send(t.Context(), samples()["occurred"])
			f, failed := errors.AsType[*Failure](err)
			if got := outcomeOf(err); got != c.want || failed && (f.RetryAfter != c.wait || !strings.Contains(f.Problem, c.says) || f.Status != c.status) {
				t.Errorf("%s, %+v", got, f)
			}
		})
	}
}
