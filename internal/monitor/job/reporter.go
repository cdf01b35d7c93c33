package job

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
	"time"
)

// How a report is tried again.
const (
	persistence = time.Minute // within which a try begins
	firstPause  = time.Second
	mostPause   = 15 * time.Second
)

// Reporter reports to one check-in. With a Key, CheckIn is a slug in the project of that key, otherwise an id.
type Reporter struct {
	Do                   func(*http.Request) (*http.Response, error) // of a client with a timeout that follows no redirects
	Server, Key, CheckIn string                                      // Server without a slash at the end
}

// Report reports the result of a command to the check-in. Temporary failures are retried for a minute, or until ctx ends;
// the error then is the last one. Its text contains neither the key nor the id, which are secrets.
func (r Reporter) Report(ctx context.Context, o Outcome) error {
	body, began := o.body(), time.Now()
	var last error
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		wait, again, err := r.try(ctx, body)
		if last == nil || ctx.Err() == nil {
			last = err
		}
		left := persistence - time.Since(began)
		wait = max(wait, min(pause, left)) // so that the last try is at the end
		if err == nil || !again || left <= 0 || wait > left {
			return last
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return last
		}
	}
}

// try sends the report once and says whether another try may help, and how long the server wants to be left alone.
func (r Reporter) try(ctx context.Context, body []byte) (wait time.Duration, again bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address(), bytes.NewReader(body))
	if err != nil {
		return 0, false, fmt.Errorf("%s is not the URL of a server; correct --server", r.Server)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "sett run")
	answer, err := r.Do(request)
	if err != nil {
		return 0, true, r.unreachable(err)
	}
	defer answer.Body.Close()
	return r.read(answer)
}

func (r Reporter) address() string {
	if r.Key != "" {
		return r.Server + "/v1/check_in/" + url.PathEscape(r.Key) + "/" + url.PathEscape(r.CheckIn)
	}
	return r.Server + "/v1/check_in/" + url.PathEscape(r.CheckIn)
}

// unreachable leaves the address out of an error: the key or the id is in it.
func (r Reporter) unreachable(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("a signal arrived before %s responded", r.Server)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s does not respond", r.Server)
	}
	return fmt.Errorf("%s cannot be reached (%w)", r.Server, err)
}

// read says what an answer means.
func (r Reporter) read(answer *http.Response) (wait time.Duration, again bool, err error) {
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	switch status := answer.StatusCode; {
	case status < 300:
		return 0, false, nil
	case status == http.StatusNotFound && r.Key != "":
		return 0, false, fmt.Errorf("%s has no check-in with this slug in the project of this API key; correct --check-in or --api-key", r.Server)
	case status == http.StatusNotFound:
		return 0, false, fmt.Errorf("%s has no check-in with this id; correct --check-in, or use --api-key with a slug", r.Server)
	case status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500:
		return time.Duration(seconds) * time.Second, true, r.refused(answer)
	case status < 400:
		return 0, false, fmt.Errorf("%s redirects reports (%d); set --server to %.200q", r.Server, status, hostOf(answer))
	default:
		return 0, false, r.refused(answer)
	}
}

// hostOf returns the server that an answer leads to.
func hostOf(answer *http.Response) string {
	to, err := answer.Location()
	if err != nil {
		return ""
	}
	return to.Scheme + "://" + to.Host
}

// refused repeats what the server says, where it is a server that says something.
func (r Reporter) refused(answer *http.Response) error {
	var said struct{ Error string }
	text, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err != nil || json.Unmarshal(text, &said) != nil || said.Error == "" {
		return fmt.Errorf("%s returned %s", r.Server, answer.Status)
	}
	return fmt.Errorf("%s returned %d: %.200q", r.Server, answer.StatusCode, said.Error)
}
