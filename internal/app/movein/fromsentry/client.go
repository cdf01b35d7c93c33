package fromsentry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// client asks the API of a server, one request after another. It waits as the server asks it to, and reads no more of an answer than a bound.
type client struct {
	base  *url.URL
	token string
	do    func(*http.Request) (*http.Response, error)
	now   func() time.Time
	wait  func(ctx context.Context, d time.Duration, why string) error

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

// missing is an answer that says that there is nothing, or nothing for this token.
type missing struct {
	status int
	path   string
}

func (m *missing) Error() string { return fmt.Sprintf("%s answered %d", m.path, m.status) }

// isMissing reports whether an error says that there is nothing at an address, or that it may not be read.
func isMissing(err error) bool {
	_, ok := errors.AsType[*missing](err)
	return ok
}

// isOther reports whether an answer is in a form that this program does not know.
func isOther(err error) bool { return sett.CodeOf(err) == sett.Invalid }

// answer is what a page of a list says beside its rows.
type answer struct {
	next  string // cursor of the next page; "" for none
	total int64  // of the list; 0 if it is not known
}

// get reads one answer into a value. Endpoint is what limits count, such as "issues".
func (c *client) get(ctx context.Context, endpoint, path string, query url.Values, into any) (answer, error) {
	body, header, err := c.body(ctx, endpoint, path, query)
	if err != nil {
		return answer{}, err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return answer{}, sett.Errorf(sett.Invalid, "%s did not answer with the JSON of this API. Check --url: it is the address of the server, such as "+
			"https://sentry.example.org.", c.address(path, nil))
	}
	total, _ := strconv.ParseInt(header.Get("X-Hits"), 10, 64)
	return answer{nextPage(header.Values("Link")), max(total, 0)}, nil
}

// body reads one answer.
func (c *client) body(ctx context.Context, endpoint, path string, query url.Values) ([]byte, http.Header, error) {
	pause, last := firstPause, error(nil)
	for range mostTries {
		if d := c.until[endpoint].Sub(c.now()); d > 0 {
			if err := c.wait(ctx, min(d, longest), "the limit of requests"); err != nil {
				return nil, nil, err
			}
		}
		body, response, err := c.once(ctx, path, query)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case sett.CodeOf(err) == sett.TooLarge:
			return nil, nil, err
		case err == nil:
			c.note(endpoint, response)
			done, failed := c.judge(path, response)
			if done {
				return body, response.Header, failed
			}
			err = failed
		}
		if last = err; c.until[endpoint].After(c.now()) {
			continue // the server has said when
		}
		if err := c.wait(ctx, pause, "another try"); err != nil {
			return nil, nil, err
		}
		pause = min(2*pause, longPause)
	}
	return nil, nil, sett.Errorf(sett.Unavailable, "%s does not answer: %v. Run the command again later; it goes on where it was.",
		c.address(path, nil), last)
}

func (c *client) address(path string, query url.Values) string {
	u := c.base.JoinPath("api/0", path)
	if !strings.HasSuffix(u.Path, "/") {
		u = u.JoinPath("/")
	}
	u.RawQuery = query.Encode()
	return u.String()
}

// once sends a request once. The error never contains the token, which is in a header.
func (c *client) once(ctx context.Context, path string, query url.Values) ([]byte, *http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.address(path, query), nil)
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json")
	response, err := c.do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody+1))
	if err == nil && len(body) > mostBody {
		return nil, nil, sett.Errorf(sett.TooLarge, "an answer has more than %d bytes", mostBody)
	}
	return body, response, err
}

// judge says whether an answer is the last word, and with which error.
func (c *client) judge(path string, r *http.Response) (done bool, err error) {
	switch {
	case r.StatusCode == http.StatusOK:
		return true, nil
	case r.StatusCode == http.StatusUnauthorized:
		return true, sett.Errorf(sett.Unauthenticated, "%s does not accept the token. Create one with the scopes %s.", c.base.Host, Scopes)
	case r.StatusCode == http.StatusForbidden, r.StatusCode == http.StatusNotFound, r.StatusCode == http.StatusBadRequest,
		r.StatusCode == http.StatusGone:
		return true, &missing{r.StatusCode, path}
	case r.StatusCode == http.StatusTooManyRequests, r.StatusCode >= 500:
		return false, fmt.Errorf("status %d", r.StatusCode)
	case r.StatusCode >= 300 && r.StatusCode < 400: // nothing is followed: the token is for this server alone
		return true, sett.Errorf(sett.Invalid, "%s redirects to %q. Use that server as --url if it is the right one.",
			c.address(path, nil), r.Header.Get("Location"))
	}
	return true, sett.Errorf(sett.Invalid, "%s answered with status %d.", c.address(path, nil), r.StatusCode)
}

// note notes when the next request may be sent to an endpoint.
func (c *client) note(endpoint string, r *http.Response) {
	var until time.Time
	reset, _ := strconv.ParseInt(r.Header.Get("X-Sentry-Rate-Limit-Reset"), 10, 64)
	if limited := r.StatusCode == http.StatusTooManyRequests; reset > 0 && (limited || r.Header.Get("X-Sentry-Rate-Limit-Remaining") == "0") {
		until = time.Unix(reset, 0).Add(resetSlack)
	}
	if seconds, err := strconv.ParseInt(r.Header.Get("Retry-After"), 10, 32); err == nil && seconds > 0 && r.StatusCode != http.StatusOK {
		if at := c.now().Add(time.Duration(seconds) * time.Second); at.After(until) {
			until = at
		}
	}
	c.until[endpoint] = until
}

var linkPart = regexp.MustCompile(`<[^>]*>((?:\s*;\s*[a-z]+="[^"]*")*)`)

// nextPage returns the cursor of the next page that a Link header names. Of its address nothing is used: it may lead anywhere.
func nextPage(headers []string) string {
	for _, header := range headers {
		for _, m := range linkPart.FindAllStringSubmatch(header, -1) {
			said := map[string]string{}
			for part := range strings.SplitSeq(m[1], ";") {
				if key, value, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
					said[key] = strings.Trim(value, `"`)
				}
			}
			if said["rel"] == "next" && said["results"] == "true" {
				return said["cursor"]
			}
		}
	}
	return ""
}

// mostPages is how many pages a list has at most that is read as a whole: a server may send pages without end.
const mostPages = 1000

// all calls row with each page of a list.
func all[T any](ctx context.Context, c *client, endpoint, path string, query url.Values, page func([]T)) error {
	q := url.Values{}
	for key, values := range query {
		q[key] = values
	}
	for range mostPages {
		var rows []T
		a, err := c.get(ctx, endpoint, path, q, &rows)
		if err != nil {
			return err
		}
		if page(rows); a.next == "" || a.next == q.Get("cursor") {
			return nil
		}
		q.Set("cursor", a.next)
	}
	return nil
}
