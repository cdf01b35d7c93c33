package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SendTimeout is how long a service may take for a message, from the look-up of its name to the end of its answer.
const SendTimeout = 30 * time.Second

// mostAnswer is how much of an answer is read, in bytes.
const mostAnswer = 64 << 10

// mostWait bounds what a service may ask for in Retry-After.
const mostWait = 24 * time.Hour

// answer is what a service said to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
	inside bool // the response came from a private network, so it must not be shown to users
}

// postJSON sends v as JSON.
func (t Tools) postJSON(ctx context.Context, address string, header http.Header, v any) (answer, error) {
	return t.sendJSON(ctx, http.MethodPost, address, header, v)
}

// sendJSON sends v as JSON by another method.
func (t Tools) sendJSON(ctx context.Context, method, address string, header http.Header, v any) (answer, error) {
	body, err := marshal(v)
	if err != nil {
		return answer{}, failure(true, "the message could not be encoded as JSON")
	}
	return t.exchange(ctx, method, address, header, "application/json", body)
}

// marshal writes v as JSON with <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// postForm sends values as a form.
func (t Tools) postForm(ctx context.Context, address string, header http.Header, values url.Values) (answer, error) {
	return t.sendForm(ctx, http.MethodPost, address, header, values)
}

// sendForm sends values as a form by another method.
func (t Tools) sendForm(ctx context.Context, method, address string, header http.Header, values url.Values) (answer, error) {
	return t.exchange(ctx, method, address, header, "application/x-www-form-urlencoded", []byte(values.Encode()))
}

// exchange sends one request and evaluates its response, of which it reads at most mostAnswer bytes.
func (t Tools) exchange(ctx context.Context, method, address string, header http.Header, mediaType string, body []byte) (answer, error) {
	return t.exchangeUpTo(ctx, mostAnswer, method, address, header, mediaType, body)
}

// exchangeUpTo sends one request and judges its answer, of which so many bytes are read; the error is a *Failure, and the answer is there beside it when there
// was one. Neither the address nor a header is in its text: both may hold secrets.
func (t Tools) exchangeUpTo(ctx context.Context, most int64, method, address string, header http.Header, mediaType string, body []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, SendTimeout)
	defer cancel()
	inside := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { inside = t.inside(i.Conn.RemoteAddr()) }})
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil || addressProblem(address) != "" {
		return answer{}, failure(true, "the URL of the channel is not valid; correct it")
	}
	if header != nil {
		request.Header = header.Clone()
	}
	request.Header.Set("User-Agent", t.Agent)
	if len(body) > 0 {
		request.Header.Set("Content-Type", mediaType)
	}
	response, err := t.HTTP.Do(request)
	if err != nil {
		return answer{}, t.unreachable(request.URL, err)
	}
	defer func() { _ = response.Body.Close() }()
	said, _ := io.ReadAll(io.LimitReader(response.Body, most)) // how the status was said is all that counts
	a := answer{response.StatusCode, response.Header, said, inside}
	if f := t.judge(request.URL, a); f != nil {
		return a, f
	}
	return a, nil
}

// judge returns what is wrong with a response; nil if the message was accepted. Client errors are retried only if waiting
// can help (monitoring.md, Notification).
func (t Tools) judge(to *url.URL, a answer) *Failure {
	f := &Failure{Status: a.status, Problem: oneLine(fmt.Sprintf("%s returned %d %s%s", to.Hostname(), a.status, http.StatusText(a.status), t.words(a)))}
	switch {
	case a.status >= 200 && a.status < 300:
		return nil
	case a.status == http.StatusRequestTimeout, a.status == http.StatusTooEarly, a.status == http.StatusTooManyRequests, a.status >= 500:
		f.RetryAfter = a.retryAfter(t.now())
	case a.status == http.StatusGone:
		f.Permanent, f.Gone = true, true
	case a.status >= 300 && a.status < 400:
		f.Permanent = true
		f.Problem += "; redirects are not followed: enter the URL that it redirects to"
	default:
		f.Permanent = true
	}
	return f
}

func (a answer) retryAfter(now time.Time) time.Duration {
	said := a.header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(said, 64); err == nil {
		return wait(seconds)
	}
	if at, err := http.ParseTime(said); err == nil {
		return wait(at.Sub(now).Seconds())
	}
	return 0
}

// wait is how long to leave a service alone that asks for so many seconds.
func wait(seconds float64) time.Duration {
	if !(seconds > 0) { // NaN too
		return 0
	}
	return time.Duration(math.Round(min(seconds, mostWait.Seconds())*1000)) * time.Millisecond
}

// understand reads the JSON of a service that reports errors in the body. If it cannot be parsed, it is unknown whether the
// message was accepted, so it is retried.
func (a answer) understand(service string, v any) error {
	if json.Unmarshal(a.body, v) == nil {
		return nil
	}
	return a.strange(service)
}

// acknowledged returns the failure of a success that does not say what the service says when it has taken a message: captive
// portals and proxies return 200 too.
func acknowledged(service string, a answer, err error, says bool) error {
	if err == nil && !says {
		return a.strange(service)
	}
	return err
}

// has reports whether an answer is a JSON object with a member that says something.
func (a answer) has(member string) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(a.body, &object) == nil && !slices.Contains([]string{"", "null", "false", "0", `""`}, string(object[member]))
}

// saysOK reports whether an answer is that of an incoming webhook of Slack, or of a service that is like it.
func (a answer) saysOK() bool {
	return strings.TrimSpace(string(a.body)) == "ok" || a.has("ok") || a.has("success")
}

// isPage reports whether an answer is for people.
func (a answer) isPage() bool {
	kind, _, _ := mime.ParseMediaType(a.header.Get("Content-Type"))
	return kind == "text/html" || strings.HasPrefix(strings.TrimSpace(string(a.body)), "<")
}

// strange is the failure of an answer that says nothing that its service says.
func (a answer) strange(service string) *Failure {
	return &Failure{Status: a.status, Problem: fmt.Sprintf("%s returned %d with an unexpected response", service, a.status)}
}

// refused is a failure that is reported only in the body of a response.
func (t Tools) refused(a answer, permanent bool, problem string) *Failure {
	f := failure(permanent, t.hide(problem))
	f.Status = a.status
	return f
}

// delayed adds to a failure how long the body of the answer asks to wait, where its header does not say.
func delayed(err error, a answer, seconds func(body []byte) float64) error {
	f, ok := errors.AsType[*Failure](err)
	if !ok || f.Permanent || f.RetryAfter > 0 || a.status == 0 {
		return err
	}
	f.RetryAfter = wait(seconds(a.body))
	return f
}

// under returns the address of a path below a server's.
func under(server string, path ...string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server // which is refused when it is used
	}
	for i, name := range path {
		path[i] = url.PathEscape(name)
	}
	return u.JoinPath(path...).String()
}

// with returns an address with one more parameter.
func with(address, name, value string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address // which is refused when it is used
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
