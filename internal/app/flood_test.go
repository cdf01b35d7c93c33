package app_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
)

// What a project is flooded with by one who has a key of it, and what comes of that at most.
const (
	floodOfErrors  = 1500    // each with names of its own
	floodOfNotices = 1500    // of one error, each with tags and all else of its own
	floodOfDeploys = 1000    // each to an environment of its own
	mostOfAnswer   = 1 << 20 // bytes of a page, or of an answer of the API
	mostOfTable    = 8 << 20 // bytes of a table for other programs, which has up to 20,000 rows
	mostPlaces     = 210     // environments: those that a key makes, and few others
	mostTags       = 50      // of an error
)

// send posts bodies with the key, several at a time, and wants each to be answered so.
func send(t *testing.T, s *setttest.Server, path string, status, n int, body func(i int) string) {
	t.Helper()
	var done sync.WaitGroup
	next := make(chan int)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	for range 8 {
		done.Go(func() {
			for i := range next {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Base+strings.ReplaceAll(path, "{i}", fmt.Sprint(i)), strings.NewReader(body(i)))
				if err != nil {
					t.Error(err)
					continue
				}
				r.Header.Set("X-API-Key", s.Key)
				r.Header.Set("Content-Type", "application/json")
				got, err := client.Do(r)
				if err != nil {
					t.Error(err)
					continue
				}
				said, _ := io.ReadAll(got.Body)
				_ = got.Body.Close()
				if got.StatusCode != status {
					t.Errorf("POST %s: %d %s", path, got.StatusCode, said)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	done.Wait()
}

// long is a name of as many characters as are kept of one.
func long(kind string, i int) string {
	return fmt.Sprintf("%s-%05d-%s", kind, i, strings.Repeat("x", 240))
}

// noticeOf is a notice that has every name of its own, and the tags.
func noticeOf(i int, class, environment string, tags ...string) string {
	for n, tag := range tags {
		tags[n] = fmt.Sprintf("%q", tag)
	}
	return fmt.Sprintf(`{"error":{"class":%q,"message":%q,"fingerprint":%q,"tags":[%s],"backtrace":[{"file":"[PROJECT_ROOT]/%d.rb","number":"1","method":"m"}]},
		"request":{"component":%q,"action":%q,"url":"https://shop.test/%d","context":{"user_id":"%d","key%d":"v"}},
		"server":{"environment_name":%q,"hostname":%q,"revision":%q}}`,
		class, long("message", i), class, strings.Join(tags, ","), i, long("component", i), long("action", i), i, i, i, environment, long("host", i), long("revision", i))
}

// flood makes as many of everything as a key can make.
func flood(t *testing.T, s *setttest.Server) {
	t.Helper()
	send(t, s, "/v1/notices", http.StatusCreated, floodOfErrors, func(i int) string {
		return noticeOf(i, long("class", i), long("environment", i), fmt.Sprintf("tag%d", i))
	})
	send(t, s, "/v1/notices", http.StatusCreated, floodOfNotices, func(i int) string {
		tags := make([]string, 10)
		for n := range tags {
			tags[n] = fmt.Sprintf("tag-%d-%d-%s", i, n, strings.Repeat("x", 80))
		}
		return noticeOf(i, "Boom", "production", tags...)
	})
	send(t, s, "/v1/deploys", http.StatusCreated, floodOfDeploys, func(i int) string {
		return fmt.Sprintf(`{"deploy":{"environment":%q,"revision":%q,"repository":"https://github.com/acme/shop%d","local_username":%q}}`,
			long("stage", i), long("revision", i), i, long("user", i))
	})
	send(t, s, "/v1/check_in/"+s.Key+"/job-{i}", http.StatusNotFound, 100, func(int) string { return "" })
	if err := s.App.Store().Intake.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// One who has a key of a project, which is often public, breaks no list and no page of it: each is answered, and bounded.
func TestAFloodByAKeyBreaksNoPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short leaves out tests that take seconds")
	}
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := furnish(t, s, s.Client, s.Setup.AccountID, s.Setup.UserID, s.Setup.ProjectID, s.Setup.APIKey)
		flood(t, s)
		_, owner := addPerson(t, s, "second@example.test", accounts.Owner)
		judge := func(what string, status, size, most int) {
			t.Helper()
			if status >= 500 || size > most {
				t.Errorf("%s answers %d with %d bytes", what, status, size)
			}
		}
		project, asked := "/v2/projects/"+o.ids["project_id"], 0
		var places serve.List[struct{}]
		if s.Get(project + "/environments").Into(&places); len(places.Results) > mostPlaces {
			t.Errorf("the key has made %d environments", len(places.Results))
		}
		var newest serve.List[struct{ Tags []string }]
		if s.Get(project + "/faults?limit=1").Into(&newest); len(newest.Results[0].Tags) > mostTags {
			t.Errorf("an error has %d tags", len(newest.Results[0].Tags))
		}
		walkAPI(t, s, o, func(pattern string, answer *setttest.Response) {
			asked++
			judge("GET "+pattern, answer.Status, len(answer.Body), mostOfAnswer)
		})
		c := newCrawl(t, owner)
		c.run("/", "/projects/"+o.ids["project_id"])
		for path, page := range c.pages {
			most := mostOfAnswer
			if strings.HasPrefix(page.Header.Get("Content-Type"), "text/csv") || strings.HasSuffix(strings.SplitN(path, "?", 2)[0], ".json") {
				most = mostOfTable
			}
			judge("GET "+path, page.Status, len(page.Body), most)
		}
		if asked < 40 || len(c.pages) < 100 {
			t.Errorf("only %d answers and %d pages were judged", asked, len(c.pages))
		}
	})
}
