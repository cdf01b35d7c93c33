package fault

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"sett/internal/event/query"
	"sett/internal/sett"
	"sett/internal/web"
)

// liveAddress returns the URL of the stream that reports how many faults have new events.
func (p *pages) liveAddress(v *list) string {
	query := url.Values{"q": {v.Asked.Q}, "since": {v.Now.UTC().Format(time.RFC3339Nano)}}
	if v.Asked.Environment != "" {
		query.Set("environment", v.Asked.Environment)
	}
	return p.At(fmt.Sprintf("/projects/%d/faults/live", v.ProjectID)) + "?" + query.Encode()
}

// liveEvery is after how many polls the store is queried.
const liveEvery = 2

// longestLive is the maximum age of a list for which new events are counted.
const longestLive = time.Hour

// live reports how many faults that match the search have new events since the list was rendered.
func (p *pages) live(w http.ResponseWriter, r *http.Request) error {
	var problems sett.Problems
	filter := askedOf(r).filter(&problems, web.Who(r).User.ID, p.Now())
	if err := problems.Refusal(); err != nil {
		return err
	}
	since, err := time.Parse(time.RFC3339Nano, r.URL.Query().Get("since"))
	if earliest := p.Now().Add(-longestLive); err != nil || since.Before(earliest) {
		since = earliest
	}
	after := query.Value{Op: query.After, From: since}
	filter.Search.Terms = append(filter.Search.Terms, query.Term{Key: query.LastOccurred, Values: []query.Value{after}})
	polls, sent := 0, int64(0)
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (bool, error) {
		if polls++; polls%liveEvery != 1 {
			return false, nil
		}
		n, err := p.Search.CountMatches(ctx, p.Now(), web.Project(r), filter)
		if err != nil || n == sent {
			return false, err
		}
		sent = n
		return false, e.Send("count", "", strconv.FormatInt(n, 10))
	})
}
