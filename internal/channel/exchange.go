package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"sett/internal/dial"
)

// SendTimeout is how long a service may take for a message, from the look-up of its name to the end of its answer.
const SendTimeout = 30 * time.Second

// mostAnswer is how much of an answer is read, in bytes.
const mostAnswer = 64 << 10

// mostWait bounds what a service may ask for in Retry-After.
const mostWait = 24 * time.Hour

// answer is what a service said to a request that it took.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// postJSON sends v as JSON.
func (t Tools) postJSON(ctx context.Context, address string, header http.Header, v any) (answer, error) {
	body, err := marshal(v)
	if err != nil {
		return answer{}, failure(true, "the message is no JSON: "+err.Error())
	}
	return t.exchange(ctx, http.MethodPost, address, header, "application/json", body)
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
	return t.exchange(ctx, http.MethodPost, address, header, "application/x-www-form-urlencoded", []byte(values.Encode()))
}

// exchange sends one request and judges its answer; the error is a *Failure. Neither the address nor a header is in its
// text: both may hold secrets.
func (t Tools) exchange(ctx context.Context, method, address string, header http.Header, mediaType string, body []byte) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return answer{}, failure(true, "the address of the channel is none; correct it")
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
		return answer{}, unreachable(request.URL, err)
	}
	defer response.Body.Close()
	said, _ := io.ReadAll(io.LimitReader(response.Body, mostAnswer))
	a := answer{response.StatusCode, response.Header, said}
	if f := a.judge(request.URL); f != nil {
		return a, f
	}
	return a, nil
}

// unreachable says why there was no answer.
func unreachable(to *url.URL, err error) *Failure {
	if forbidden, ok := errors.AsType[*dial.ForbiddenError](err); ok {
		return failure(true, forbidden.Error())
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		if e.Timeout() {
			return failure(false, fmt.Sprintf("%s did not answer within %v", to.Hostname(), SendTimeout))
		}
		err = e.Err
	}
	return failure(false, fmt.Sprintf("%s cannot be reached: %v", to.Hostname(), err))
}

// judge says what is wrong with an answer; nil when the message was taken. Of what the client did wrong, only what
// waiting mends is worth another try (monitoring.md, Notification).
func (a answer) judge(to *url.URL) *Failure {
	f := &Failure{Status: a.status, Problem: oneLine(fmt.Sprintf("%s answered %d %s%s", to.Hostname(), a.status, http.StatusText(a.status), a.words()))}
	switch {
	case a.status >= 200 && a.status < 300:
		return nil
	case a.status == http.StatusRequestTimeout, a.status == http.StatusTooEarly, a.status == http.StatusTooManyRequests, a.status >= 500:
		f.RetryAfter = a.retryAfter()
	case a.status == http.StatusGone:
		f.Permanent, f.Gone = true, true
	case a.status < 400:
		f.Permanent = true
		f.Problem += "; redirects are not followed: give the address that it leads to"
	default:
		f.Permanent = true
	}
	return f
}

// words repeats how an answer begins, where it is text.
func (a answer) words() string {
	kind := a.header.Get("Content-Type")
	if len(a.body) == 0 || strings.HasPrefix(kind, "text/html") {
		return ""
	}
	return ": " + strings.ToValidUTF8(string(a.body[:min(len(a.body), 200)]), "")
}

func (a answer) retryAfter() time.Duration {
	said := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(said); err == nil && seconds > 0 {
		return min(time.Duration(seconds)*time.Second, mostWait)
	}
	if at, err := http.ParseTime(said); err == nil {
		return min(max(time.Until(at), 0), mostWait)
	}
	return 0
}
