package api_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest"
)

func TestOutagesOfASite(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		live(t, s, checks.Virginia)
		site := createSite(t, s)
		path := sitesPath(s, "/"+site.ID+"/outages")
		if answer := s.Get(path).JSON(); cmp.Diff([]any{}, answer["results"]) != "" {
			t.Errorf("before the first outage: %v", answer)
		}
		refused := checks.ProbeResult{
			Status: 503, Reason: "Expected 2xx status code -- got 503", Duration: 80 * time.Millisecond,
			Headers: map[string]string{"server": "nginx", "retry-after": "5"}, Body: []byte("<h1>Sorry</h1>\xff"),
		}
		timedOut := checks.ProbeResult{Reason: "Connection timed out", Duration: 30 * time.Second, Phase: checks.PhaseConnect}
		var downAt, createdAt, upAt []time.Time
		for _, result := range []checks.ProbeResult{refused, timedOut} {
			checked(t, s, site, fine(time.Second))
			s.Clock.Push(time.Minute)
			downAt = append(downAt, s.Clock.Now())
			checked(t, s, site, result)
			createdAt = append(createdAt, s.Clock.Now())
			if s.Get(sitesPath(s, "/"+site.ID)).Into(&site); site.State != sett.SiteDown {
				t.Fatalf("the site is %s", site.State)
			}
			s.Clock.Push(time.Minute)
			upAt = append(upAt, s.Clock.Now())
		}
		status, body := 503, "<h1>Sorry</h1>\uFFFD"
		want := []api.Outage{
			{DownAt: downAt[1], CreatedAt: createdAt[1], Reason: "Connection timed out", Location: checks.Virginia},
			{
				DownAt: downAt[0], UpAt: &upAt[0], CreatedAt: createdAt[0], Status: &status, Reason: "Expected 2xx status code -- got 503",
				Headers: &map[string]string{"server": "nginx", "retry-after": "5"}, Location: checks.Virginia, Body: &body,
			},
		}
		list := func(query string) []api.Outage {
			var list serve.List[api.Outage]
			s.Get(path + query).Into(&list)
			return list.Results
		}
		if diff := cmp.Diff(want, list("")); diff != "" {
			t.Errorf("outages (-want +got):\n%s", diff)
		}
		raw := s.Get(path).JSON()["results"].([]any)[0].(map[string]any)
		for _, name := range []string{"up_at", "status", "headers", "body"} {
			if v, ok := raw[name]; !ok || v != nil {
				t.Errorf("%s of an outage without a response is %v, want null", name, v)
			}
		}
		second := createdAt[1].Unix()
		for query, want := range map[string][]api.Outage{
			fmt.Sprint("?created_after=", second):                     want[:1],
			fmt.Sprint("?created_after=", second+1):                   {},
			fmt.Sprint("?created_before=", second):                    want[1:],
			"?created_before=" + createdAt[1].Format(time.RFC3339):    want[1:],
			fmt.Sprint("?created_before=", second, "&created_after="): want[1:],
			"?limit=1":        want[:1],
			"?limit=1&page=2": want[1:],
			"?limit=26":       want,
		} {
			if diff := cmp.Diff(want, list(query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

const wrongSpan = "Please correct: created_after must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z; " +
	"created_before must be Unix seconds, such as 1795000000, or a time such as 2026-11-18T10:30:00Z; limit must be a positive integer."

func TestQueriesOfHistoriesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	path := sitesPath(s, "/"+createSite(t, s).ID)
	for query, want := range map[string]string{
		"created_after=x&created_before=2026-13-40&limit=0": wrongSpan,
		"page=0":         "Please correct: page must be a positive integer.",
		"cursor=after.x": "Please correct: cursor must be from a next or prev link of the same list.",
	} {
		for _, list := range []string{"/outages?", "/uptime_checks?"} {
			if text := s.Do("GET", path+list+query, nil).Want(http.StatusUnprocessableEntity).Errors(); text != want {
				t.Errorf("%s%s:\ngot  %s\nwant %s", list, query, text, want)
			}
		}
	}
}
