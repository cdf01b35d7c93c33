package app_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sett/internal/app"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/recording"
)

// mutationsOfEach is how many random mutations of each recorded request are sent. The packages of the protocols read more of them, and
// MUTATIONS=1000 sends so many here.
const mutationsOfEach = 8

// Whatever clients send, of all that are recorded: nothing fails on the server, and the API and the pages show all that was stored.
func TestMutatedRequestsOfAllClients(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		each := mutationsOfEach
		if text := os.Getenv("MUTATIONS"); text != "" {
			each = must[int](t)(strconv.Atoi(text))
		}
		seed := uint64(7)
		for _, c := range requestsToMutate(t) {
			random := rand.New(rand.NewPCG(seed, uint64(each)))
			seed++
			sendMutation(t, s, c, c.Body)
			for range each {
				sendMutation(t, s, c, recording.Mutated(c.Body, random))
			}
		}
		if shown := readAllNotices(t, s); shown < 150 {
			t.Errorf("only %d notices are shown", shown)
		}
		_, owner := addPerson(t, s, "second@example.test", accounts.Owner)
		project := fmt.Sprintf("/projects/%d", s.Setup.ProjectID)
		var list struct{ Results []struct{ ID int64 } }
		s.Get("/v2" + project + "/faults?limit=25").Into(&list)
		for _, f := range list.Results {
			owner.Get(fmt.Sprint(project, "/faults/", f.ID)).Want(http.StatusOK).CheckMarkup()
		}
		for _, page := range []string{"", "/check_ins", "/deploys", "/insights"} {
			owner.Get(project + page).Want(http.StatusOK)
		}
	})
}

// requestsToMutate returns all recorded requests with a body, without its compression, and one of each kind that no recording has.
func requestsToMutate(t *testing.T) (all []recording.Capture) {
	t.Helper()
	for _, client := range recording.Clients(t) {
		for _, c := range recording.Captures(t, client) {
			if c.Body = c.Plain(t); len(c.Body) > 0 {
				all = append(all, c)
			}
		}
	}
	add := func(target, kind, body string) {
		all = append(all, recording.Capture{Name: target, Method: http.MethodPost, Target: target, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)})
	}
	for _, n := range recording.Notices(t) {
		add(n.Path, "application/json", string(n.Body))
	}
	add("/api/42/store/?sentry_key="+recordedKey, "application/json", `{"event_id":"58ad5c2404474ae6b0a2439d0d65462c","message":"m","exception":[{"type":"E","value":"v"}],"tags":[["a","b"]]}`)
	add("/v1/check_in/"+recordedKey+"/job", "application/json", `{"check_in":{"status":"error","duration":7,"exit_code":1,"stdout":"a","stderr":"b"}}`)
	add("/v1/deploys", "application/json", `{"deploy":{"environment":"production","revision":"a","repository":"r","local_username":"u","timestamp":1795382553}}`)
	add("/v1/deploys/heroku", "application/json", `{"data":{"status":"succeeded","slug":{"commit":"a"},"user":{"email":"e"}}}`)
	add("/v1/feedback", formType, "token=6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11&name=a&email=b&comment=c")
	add("/v1/source_maps", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n"+recordedKey+"\r\n--x\r\nContent-Disposition: form-data; name=\"minified_url\"\r\n\r\nhttps://a.test/b.js\r\n--x\r\nContent-Disposition: form-data; name=\"source_map\"; filename=\"m\"\r\n\r\n{\"version\":3,\"sources\":[\"a.js\"],\"names\":[],\"mappings\":\"AAAA\"}\r\n--x--\r\n")
	return all
}

// recordedKey is the key in recorded requests, to project 42.
const recordedKey = "0123456789abcdef0123456789abcdef"

// sendMutation sends a recorded request with another body, without compression, with the key and id of the server's project.
func sendMutation(t *testing.T, s *setttest.Server, c recording.Capture, body []byte) {
	t.Helper()
	c.Body = body
	if status, said := sendTo(t, s.Base, s.Key, s.Setup.ProjectID, c); status >= 500 {
		t.Fatalf("%s is answered with %d %s to %.300q", c.Name, status, said, body)
	}
}

// sendTo sends a recorded request, which is not compressed, to a server, with a key and the id of its project.
func sendTo(t *testing.T, base, key string, project int64, c recording.Capture) (status int, said string) {
	t.Helper()
	own := strings.NewReplacer(recordedKey, key, "/projects/42/", fmt.Sprintf("/projects/%d/", project), "/api/42/", fmt.Sprintf("/api/%d/", project))
	r, err := http.NewRequestWithContext(t.Context(), c.Method, base+own.Replace(c.Target), strings.NewReader(own.Replace(string(c.Body))))
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return 0, ""
	}
	for name, values := range c.Header {
		r.Header.Set(name, own.Replace(values[0]))
	}
	r.Header.Del("Content-Encoding")
	r.Header.Del("Content-Length")
	r.Header.Set("X-API-Key", key)
	if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "+key) && !strings.HasPrefix(c.Target, "/api/0/") {
		r.Header.Del("Authorization")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Errorf("%s: %v", c.Name, err)
	}
	return answer.StatusCode, string(text)
}

// What reaches two servers of one database counts once: an event with an id, and a batch that an exporter sends again.
func TestReportsAtTwoNodesCountOnce(t *testing.T) {
	t.Parallel()
	a := setttest.Start(t, "postgres")
	b := setttest.Start(t, "postgres", func(c *app.Config) { c.Database = a.Config.Database })
	requests := []recording.Capture{
		{Method: http.MethodPost, Target: "/api/42/envelope/?sentry_key=" + recordedKey, Body: []byte("{}\n{\"type\":\"event\"}\n{\"event_id\":\"58ad5c2404474ae6b0a2439d0d65462c\",\"exception\":{\"values\":[{\"type\":\"A\",\"value\":\"v\"}]}}")},
		{Method: http.MethodPost, Target: "/v1/notices", Body: []byte(`{"error":{"class":"B","token":"6f1b5e0a-3c52-4f0e-9d35-0e6f6d0b1a11"}}`)},
	}
	for _, client := range []string{"otlp-python", "otlp-node-json", "otlp-go"} {
		for _, c := range recording.Captures(t, client) {
			c.Body = c.Plain(t)
			requests = append(requests, c)
		}
	}
	for range 3 {
		var both sync.WaitGroup
		for _, node := range []*setttest.Server{a, b} {
			both.Go(func() {
				for _, c := range requests {
					if status, said := sendTo(t, node.Base, a.Key, a.Setup.ProjectID, c); status != http.StatusOK && status != http.StatusCreated {
						t.Errorf("%s is answered with %d %s", c.Target, status, said)
					}
				}
			})
		}
		both.Wait()
	}
	b.Stop(t) // which stores its counts
	if n := readAllNotices(t, a); n != 5 {
		t.Errorf("%d notices are stored, want 5", n)
	}
	var list struct {
		Results []struct {
			Klass string
			Count int64 `json:"notices_count"`
		}
	}
	a.Get(fmt.Sprintf("/v2/projects/%d/faults", a.Setup.ProjectID)).Into(&list)
	if len(list.Results) != 5 {
		t.Errorf("there are %d errors, want 5", len(list.Results))
	}
	for _, f := range list.Results {
		if f.Count != 1 {
			t.Errorf("%s counts %d times", f.Klass, f.Count)
		}
	}
}

// readAllNotices reads all faults and their notices from the API, which holds each answer against the OpenAPI document.
func readAllNotices(t *testing.T, s *setttest.Server) (count int) {
	t.Helper()
	type page struct {
		Results []struct{ ID any }
		Links   struct{ Next string }
	}
	each := func(path string, yield func(id any)) {
		for path != "" {
			var p page
			s.Get(path).Want(http.StatusOK).Into(&p)
			for _, result := range p.Results {
				yield(result.ID)
			}
			path = strings.TrimPrefix(p.Links.Next, s.Base)
		}
	}
	faults := fmt.Sprintf("/v2/projects/%d/faults", s.Setup.ProjectID)
	each(faults, func(id any) {
		each(fmt.Sprintf("%s/%.0f/notices", faults, id), func(any) { count++ })
	})
	return count
}

// Pings may be in the spool of another server only with PostgreSQL.
func TestCheckInsWaitWhereThereAreSpools(t *testing.T) {
	t.Parallel()
	for engine, want := range map[string]bool{"sqlite": false, "postgres": true} {
		if s := setttest.Start(t, engine); s.App.SpoolsMayHoldPings() != want {
			t.Errorf("%s: %t, want %t", engine, !want, want)
		}
	}
}

// Jobs report to the addresses of hc-ping.com at the host alone, and what looks like none of them is not found as everywhere.
func TestJobsReportWithoutAPath(t *testing.T) {
	t.Parallel()
	s := setttest.Start(t, "sqlite")
	for path, says := range map[string]string{"/f618072a-7bde-4eee-af63-71a77c5723bc/fail": "not found", "/nothing": `{"errors":"Not found. Check the URL."}`} {
		response, err := http.Get(s.App.BaseURL() + path) //nolint:noctx // a test
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusNotFound || strings.TrimSpace(string(body)) != says {
			t.Errorf("%s: %d %s, %v", path, response.StatusCode, body, err)
		}
	}
}
