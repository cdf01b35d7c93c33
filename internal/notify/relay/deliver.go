package relay

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/forward"
)

// The bounds of a delivery.
const (
	attempts    = 3
	firstWait   = 2 * time.Second // it grows five times with each attempt
	longestWait = time.Minute     // that a target may ask for
	mostAnswer  = 64 << 10        // bytes that are read, so that the connection can be used again
	leastPacked = 1 << 10         // bytes from which a body is compressed
)

// Doer sends a request. Its errors are network errors, which may have addresses in them: users see none.
type Doer func(*http.Request) (*http.Response, error)

// outcome is what became of a report.
type outcome int

const (
	sent outcome = iota
	refused
	failed
	dropped
)

// count counts a report by the day on which it was received. The caller holds mu.
func (r *Relay) count(projectID int64, report forward.Report, became outcome) {
	d := r.dayOf(projectID, report.At)
	switch became {
	case sent:
		d.Sent++
		d.Errors += report.Errors
	case refused:
		d.Refused++
	case failed:
		d.Failed++
	case dropped:
		d.Dropped++
	}
}

// deliver sends a request, again if that may help. Only the context of the Relay ends it early.
func (r *Relay) deliver(projectID int64, l *lane, q forward.Request) outcome {
	wait := firstWait
	var became outcome
	for attempt := 1; ; attempt++ {
		if err := r.waitFor(l); err != nil {
			return dropped
		}
		status, pause, err := r.attempt(q)
		switch {
		case r.running.Err() != nil:
			return dropped
		case err != nil:
			became = failed
			r.note(projectID, err.Error())
		case status >= 200 && status < 300:
			return sent
		default:
			became = refused
			r.note(projectID, fmt.Sprintf("it returned %d %s", status, http.StatusText(status)))
		}
		if pause > 0 {
			r.pause(l, pause)
		}
		if attempt == attempts || err == nil && !mayHelp(status) {
			return became
		}
		if pause == 0 {
			if r.sleep(wait) != nil {
				return dropped
			}
			wait *= 5
		}
	}
}

// mayHelp reports whether the same request may be accepted later.
func mayHelp(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusTooManyRequests || status >= 500
}

// attempt sends a request once. The error is what users may read of why there was no response. pause is for how long the target asks to be
// left alone.
func (r *Relay) attempt(q forward.Request) (status int, pause time.Duration, err error) {
	body, encoding := packed(q)
	request, err := http.NewRequestWithContext(r.running, http.MethodPost, q.URL, bytes.NewReader(body))
	if err != nil {
		return 0, 0, fmt.Errorf("its address cannot be used; enter it again")
	}
	request.Header = q.Header.Clone()
	request.Header.Set("User-Agent", r.Agent)
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	response, err := r.Do(request)
	if err != nil {
		return 0, 0, fmt.Errorf("there was no response from %s", request.URL.Host)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, mostAnswer) // the status says all that counts
	if mayHelp(response.StatusCode) {
		seconds, _ := strconv.ParseInt(response.Header.Get("Retry-After"), 10, 32)
		pause = min(max(0, time.Duration(seconds)*time.Second), longestWait)
	}
	return response.StatusCode, pause, nil
}

// packed returns a body as it is sent, and its encoding.
func packed(q forward.Request) (body []byte, encoding string) {
	if len(q.Body) < leastPacked || q.Encoding == "" {
		return q.Body, ""
	}
	var b bytes.Buffer
	var z io.WriteCloser = gzip.NewWriter(&b)
	if q.Encoding == "deflate" {
		z = zlib.NewWriter(&b)
	}
	if _, err := z.Write(q.Body); err != nil || z.Close() != nil {
		return q.Body, ""
	}
	return b.Bytes(), q.Encoding
}

// pause leaves a target alone for a while.
func (r *Relay) pause(l *lane, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := r.Now().Add(d); until.After(l.pause) {
		l.pause = until
	}
}

// waitFor waits until the target of a lane may be asked.
func (r *Relay) waitFor(l *lane) error {
	r.mu.Lock()
	d := min(l.pause.Sub(r.Now()), longestWait)
	r.mu.Unlock()
	if d <= 0 {
		return r.running.Err()
	}
	return r.sleep(d)
}

func (r *Relay) sleep(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-r.running.Done():
		return context.Cause(r.running)
	case <-t.C:
		return nil
	}
}

func isNotFound(err error) bool { return sett.CodeOf(err) == sett.NotFound }
