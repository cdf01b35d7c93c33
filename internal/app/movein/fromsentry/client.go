package fromsentry

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
)

// client asks the API of a server for lists and objects.
type client struct{ *remote.Server }

// limits says when the next request may be sent: each answer has how many are left, and when their count begins anew.
func limits(r *http.Response, _ time.Time) (until time.Time, only bool) {
	only = r.StatusCode == http.StatusTooManyRequests
	if only || r.Header.Get("X-Sentry-Rate-Limit-Remaining") == "0" {
		until = remote.Reset(r.Header.Get("X-Sentry-Rate-Limit-Reset"))
	}
	return until, only
}

// answer is what a page of a list says beside its rows.
type answer struct {
	next  string // cursor of the next page; "" for none
	total int64  // of the list; 0 if it is not known
}

// get reads one answer into a value. Endpoint is what limits count, such as "issues".
func (c *client) get(ctx context.Context, endpoint, path string, query url.Values, into any) (answer, error) {
	header, err := c.JSON(ctx, endpoint, "api/0/"+strings.TrimSuffix(path, "/")+"/", query, into)
	if err != nil {
		return answer{}, err
	}
	total, _ := strconv.ParseInt(header.Get("X-Hits"), 10, 64)
	if most, err := strconv.ParseInt(header.Get("X-Max-Hits"), 10, 64); err == nil && total >= most {
		total = 0 // it has counted no further
	}
	return answer{nextPage(header.Values("Link")), max(total, 0)}, nil
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
