// Package remote asks the API of another server, one request after another: it takes an address, a path and what to read
// the answer into. It waits as the server asks it to, tries again what may pass, and reads no more of an answer than a
// bound. It follows no redirect, since the token is for that server alone, and says the token to no one: not even errors
// have it.
package remote

import (
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

	"sett/internal/sett"
)

// Options say which server is asked, and how.
type Options struct {
	URL     string // of the server, without a path
	Example string // of such an address, for who writes it wrong

	Header  http.Header // of each request
	Refused string      // what to do when the server does not accept the token

	// Limit says until when no request may be sent, and whether the answer is about that alone. Nil for no such rule.
	Limit func(r *http.Response, now time.Time) (until time.Time, only bool)

	Do   func(*http.Request) (*http.Response, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration, why string) error
}

// Server is a server with an API. It is for one goroutine.
type Server struct {
	Options
	base  *url.URL
	until map[string]time.Time // endpoint → when its next request may be sent
}

const (
	mostBody   = 32 << 20         // bytes of an answer
	mostTries  = 8                // of a request that fails for a reason that may pass
	longest    = time.Hour        // that a server may ask to wait at once
	firstPause = time.Second      // after a failure; doubled after each
	longPause  = 2 * time.Minute  // the most after a failure
	resetSlack = time.Second / 10 // the clocks differ
)

// New returns a server; the error is Invalid for an address that is none.
func New(o Options) (*Server, error) {
	u, err := url.Parse(strings.TrimRight(strings.TrimSpace(o.URL), "/"))
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.User != nil {
		return nil, sett.Errorf(sett.Invalid, "--url must be the address of the server, such as %s", o.Example)
	}
	return &Server{Options: o, base: u, until: map[string]time.Time{}}, nil
}

// Host returns the host of the server, with its port if it is not the usual one.
func (s *Server) Host() string { return s.base.Host }

// missing is an answer that says that there is nothing, or nothing for this token.
type missing struct {
	status int
	path   string
}

func (m *missing) Error() string { return fmt.Sprintf("%s answered %d", m.path, m.status) }

// Missing returns the error of what a path has not, whatever the status of the answer.
func Missing(path string) error { return &missing{0, path} }

// IsMissing reports whether an error says that there is nothing at an address, or that it may not be read.
func IsMissing(err error) bool {
	_, ok := errors.AsType[*missing](err)
	return ok
}

// IsForbidden reports whether an error says that the token may not read an address.
func IsForbidden(err error) bool {
	m, ok := errors.AsType[*missing](err)
	return ok && m.status == http.StatusForbidden
}

// IsOther reports whether an answer is in a form that this program does not know.
func IsOther(err error) bool { return sett.CodeOf(err) == sett.Invalid }

// JSON reads one answer into a value. Endpoint is what limits count, such as "issues".
func (s *Server) JSON(ctx context.Context, endpoint, path string, query url.Values, into any) (http.Header, error) {
	body, header, err := s.body(ctx, endpoint, path, query, mostBody)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return nil, sett.Errorf(sett.Invalid, "%s did not answer with the JSON of this API. Check --url: it is the address of the server, such as %s.",
			s.address(path, nil), s.Example)
	}
	return header, nil
}

// Raw reads one answer that is a file, of at most so many bytes; else the error is TooLarge.
func (s *Server) Raw(ctx context.Context, endpoint, path string, query url.Values, most int) ([]byte, error) {
	body, _, err := s.body(ctx, endpoint, path, query, most)
	return body, err
}

// body reads one answer. A server that says when to ask again is asked again, however often it does.
func (s *Server) body(ctx context.Context, endpoint, path string, query url.Values, most int) ([]byte, http.Header, error) {
	pause, last := firstPause, error(nil)
	for tries := 0; tries < mostTries; {
		if err := s.Pause(ctx, s.until[endpoint], "the limit of requests"); err != nil {
			return nil, nil, err
		}
		body, response, err := s.once(ctx, path, query, most)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case sett.CodeOf(err) == sett.TooLarge, sett.CodeOf(err) == sett.Forbidden: // the address may not be asked: Do says it
			return nil, nil, err
		case err == nil:
			limited := s.note(endpoint, response)
			done, failed := s.judge(path, response)
			if done && !limited {
				return body, response.Header, failed
			}
			if err = failed; limited && s.until[endpoint].After(s.Now()) {
				continue
			}
		}
		tries, last = tries+1, err
		if s.until[endpoint].After(s.Now()) {
			continue
		}
		if err := s.Wait(ctx, pause, "another try"); err != nil {
			return nil, nil, err
		}
		pause = min(2*pause, longPause)
	}
	return nil, nil, sett.Errorf(sett.Unavailable, "%s does not answer: %v. Run the command again later; it goes on where it was.",
		s.address(path, nil), last)
}

// Pause waits until a time, and says why.
func (s *Server) Pause(ctx context.Context, until time.Time, why string) error {
	for d := until.Sub(s.Now()); d > 0; d = until.Sub(s.Now()) {
		if err := s.Wait(ctx, min(d, longest), why); err != nil {
			return err
		}
		if d > longest {
			return nil // it is asked again, and says it again if that is so
		}
	}
	return nil
}

// Address returns the address of a page of the server, for people.
func (s *Server) Address(path string) string { return s.address(path, nil) }

// address returns the address of a path. One that ends with a slash keeps it.
func (s *Server) address(path string, query url.Values) string {
	u := s.base.JoinPath(path)
	u.RawQuery = query.Encode()
	return u.String()
}

// once sends a request once. The error never contains the token, which is in a header.
func (s *Server) once(ctx context.Context, path string, query url.Values, most int) ([]byte, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.address(path, query), nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header = s.Header.Clone()
	request.Header.Set("Accept", "application/json")
	response, err := s.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, int64(most)+1))
	if err == nil && len(body) > most {
		return nil, nil, sett.Errorf(sett.TooLarge, "an answer has more than %d bytes", most)
	}
	return body, response, err
}

// judge says whether an answer is the last word, and with which error.
func (s *Server) judge(path string, r *http.Response) (done bool, err error) {
	switch {
	case r.StatusCode == http.StatusOK:
		return true, nil
	case r.StatusCode == http.StatusUnauthorized:
		return true, sett.Errorf(sett.Unauthenticated, "%s does not accept the token. %s", s.base.Host, s.Refused)
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusNotFound, r.StatusCode == http.StatusBadRequest,
		r.StatusCode == http.StatusGone, r.StatusCode == http.StatusUnprocessableEntity: // a query with a word that it does not know
		return true, &missing{r.StatusCode, path}
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode >= 500:
		return false, fmt.Errorf("status %d", r.StatusCode)
	case r.StatusCode >= 300 && r.StatusCode < 400: // nothing is followed: the token is for this server alone
		return true, sett.Errorf(sett.Invalid, "%s redirects to %q. Use that server as --url if it is the right one.",
			s.address(path, nil), r.Header.Get("Location"))
	}
	return true, sett.Errorf(sett.Invalid, "%s answered with status %d.", s.address(path, nil), r.StatusCode)
}

// note notes when the next request may be sent to an endpoint, and reports whether the answer is about that alone.
func (s *Server) note(endpoint string, r *http.Response) (limited bool) {
	var until time.Time
	if s.Limit != nil {
		until, limited = s.Limit(r, s.Now())
	}
	if seconds, err := strconv.ParseInt(r.Header.Get("Retry-After"), 10, 32); err == nil && seconds > 0 && r.StatusCode != http.StatusOK {
		if at := s.Now().Add(time.Duration(seconds) * time.Second); at.After(until) {
			until = at
		}
	}
	s.until[endpoint] = until
	return limited || r.StatusCode == http.StatusTooManyRequests
}

// Reset reads when a limit ends, in seconds since 1970; zero for what is no such time.
func Reset(text string) time.Time {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds <= 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).Add(resetSlack)
}
