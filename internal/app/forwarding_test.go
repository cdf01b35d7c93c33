package app_test

import (
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/serve"
	"sett/internal/setttest"
)

// oldService is a service that a project moves from.
type oldService struct {
	*httptest.Server
	mu  sync.Mutex
	got []string // path, key and body of each request
}

func newOldService(t *testing.T) *oldService {
	old := &oldService{}
	old.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "deflate" {
			body, _ = zlib.NewReader(r.Body)
		}
		text, _ := io.ReadAll(body)
		old.mu.Lock()
		defer old.mu.Unlock()
		if r.Header.Get(serve.OutboundHeader) == "" {
			t.Error("a request has no mark of the server")
		}
		old.got = append(old.got, r.URL.RequestURI()+" "+r.Header.Get("X-Api-Key")+r.Header.Get("X-Sentry-Auth")+" "+string(text))
		w.WriteHeader(http.StatusCreated)
	}))
	t.Cleanup(old.Close)
	return old
}

// waits returns which of the texts are in no request; one request has all parts of a text, which have spaces between them.
func (o *oldService) waits(texts ...string) (missing []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, text := range texts {
		if !slices.ContainsFunc(o.got, func(request string) bool {
			return !slices.ContainsFunc(strings.Fields(text), func(part string) bool { return !strings.Contains(request, part) })
		}) {
			missing = append(missing, text)
		}
	}
	return missing
}

func (o *oldService) requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.got)
}

func loopback(c *app.Config) { c.EgressAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }

// post sends a report as a client does, and fails the test if it is not taken.
func post(t *testing.T, address, body string, header ...string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if text, _ := io.ReadAll(answer.Body); answer.StatusCode/100 != 2 {
		t.Fatalf("%s: %d %s", address, answer.StatusCode, text)
	}
}

func forwardingPath(s *setttest.Server) string {
	return fmt.Sprintf("/v2/projects/%d/forwarding", s.Setup.ProjectID)
}

func TestReportsGoOnToTheOldHoneybadger(t *testing.T) {
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		old := newOldService(t)
		if a := s.Do("GET", forwardingPath(s), nil); a.Status != http.StatusNotFound {
			t.Errorf("before: %d %s", a.Status, a.Body)
		}
		if a := s.Do("PUT", forwardingPath(s), map[string]any{"forwarding": map[string]any{"address": old.URL, "key": "oldkey"}}); a.Status != http.StatusNoContent {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		post(t, s.Base+"/v1/notices", `{"error":{"class":"Boom"}}`, "X-API-Key", s.Setup.APIKey)
		post(t, s.Base+"/v1/notices", `{"api_key":"`+s.Setup.APIKey+`","error":{"class":"Bang"}}`)
		post(t, s.Base+"/v1/notices", `{"error":{"class":"Loop"}}`, "X-API-Key", s.Setup.APIKey, serve.OutboundHeader, "another")
		post(t, s.Base+"/v1/events", `{"event_type":"order","pad":"`+strings.Repeat("x", 2_000)+`"}`, "X-API-Key", s.Setup.APIKey)
		post(t, s.Base+"/v1/deploys", `{"deploy":{"revision":"abc","environment":"production"}}`, "X-API-Key", s.Setup.APIKey)
		s.Do("POST", fmt.Sprintf("/v2/projects/%d/check_ins", s.Setup.ProjectID), map[string]any{"check_in": map[string]any{"name": "Nightly", "slug": "nightly", "schedule_type": "simple", "report_period": "1 hour"}})
		post(t, s.Base+"/v1/check_in/"+s.Setup.APIKey+"/nightly", `{"check_in":{"status":"success"}}`)
		until(t, func() []string {
			return old.waits("/v1/notices oldkey Boom", "/v1/notices oldkey Bang", "/v1/events oldkey order", "/v1/deploys oldkey abc production", "/v1/check_in/oldkey/nightly success")
		})
		if missing := old.waits(s.Setup.APIKey, "Loop"); len(missing) != 2 || old.requests() != 5 {
			t.Errorf("the key of this server, or what was forwarded to it, goes on: %q", old.got)
		}
		until(t, func() (waits []string) {
			a := s.Do("GET", forwardingPath(s), nil)
			if text := string(a.Body); !strings.Contains(text, `"stored_errors":3,"forwarded_errors":2,"accepted":5,"refused":0,"failed":0,"dropped":0`) || strings.Contains(text, "oldkey") {
				waits = append(waits, text)
			}
			return waits
		})
		if a := s.Do("DELETE", forwardingPath(s), nil); a.Status != http.StatusNoContent {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		post(t, s.Base+"/v1/notices", `{"error":{"class":"Late"}}`, "X-API-Key", s.Setup.APIKey)
		if a := s.Do("DELETE", forwardingPath(s), nil); a.Status != http.StatusNotFound {
			t.Errorf("twice: %d %s", a.Status, a.Body)
		}
	}, loopback)
}

func TestReportsGoOnToTheOldSentry(t *testing.T) {
	s := setttest.Start(t, "sqlite", loopback)
	old := newOldService(t)
	dsn := strings.Replace(old.URL, "http://", "http://oldkey@", 1) + "/42"
	if a := s.Do("PUT", forwardingPath(s), map[string]any{"forwarding": map[string]any{"address": dsn}}); a.Status != http.StatusNoContent {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	post(t, fmt.Sprintf("%s/api/%d/envelope/?sentry_key=%s", s.Base, s.Setup.ProjectID, s.Setup.APIKey),
		`{"dsn":"https://`+s.Setup.APIKey+`@sett.example.org/1"}`+"\n"+`{"type":"event"}`+"\n"+`{"exception":{"values":[{"type":"Boom"}]}}`)
	post(t, fmt.Sprintf("%s/api/%d/store/?sentry_key=%s", s.Base, s.Setup.ProjectID, s.Setup.APIKey), `{"exception":{"values":[{"type":"Bang"}]}}`)
	post(t, s.Base+"/v1/notices", `{"error":{"class":"Other"}}`, "X-API-Key", s.Setup.APIKey)
	until(t, func() []string {
		return old.waits("/api/42/envelope/ sentry_key=oldkey Boom", "/api/42/store/ sentry_key=oldkey Bang")
	})
	if missing := old.waits(s.Setup.APIKey, "Other"); len(missing) != 2 || old.requests() != 2 {
		t.Errorf("the key of this server, or what the service cannot read, goes on: %q", old.got)
	}
}

func TestForwardingEnds(t *testing.T) {
	s := setttest.Start(t, "sqlite", loopback)
	old := newOldService(t)
	s.Do("PUT", forwardingPath(s), map[string]any{"forwarding": map[string]any{"address": old.URL, "key": "oldkey", "days": 1}})
	post(t, s.Base+"/v1/notices", `{"error":{"class":"Early"}}`, "X-API-Key", s.Setup.APIKey)
	until(t, func() []string { return old.waits("Early") })
	s.Clock.Push(25 * time.Hour)
	post(t, s.Base+"/v1/notices", `{"error":{"class":"Late"}}`, "X-API-Key", s.Setup.APIKey)
	if a := s.Do("GET", forwardingPath(s), nil); !strings.Contains(string(a.Body), `"active":false`) {
		t.Errorf("%s", a.Body)
	}
	s.Clock.Push(time.Second) // the next forwarding starts after the late report, whose copy may wait until now
	s.Do("PUT", forwardingPath(s), map[string]any{"forwarding": map[string]any{"address": old.URL, "key": "oldkey"}})
	s.Clock.Push(time.Minute) // what was read before is read again
	post(t, s.Base+"/v1/notices", `{"error":{"class":"Again"}}`, "X-API-Key", s.Setup.APIKey)
	until(t, func() []string { return old.waits("Again") })
	if len(old.waits("Late")) == 0 {
		t.Errorf("after the end: %q", old.got)
	}
}

// An address of this machine or of a network that the settings close is not reached, and the page says that there was no response, no more.
func TestForwardingStaysOutside(t *testing.T) {
	s := setttest.Start(t, "sqlite")
	old := newOldService(t)
	s.Do("PUT", forwardingPath(s), map[string]any{"forwarding": map[string]any{"address": old.URL, "key": "oldkey"}})
	post(t, s.Base+"/v1/notices", `{"error":{"class":"Boom"}}`, "X-API-Key", s.Setup.APIKey)
	until(t, func() (waits []string) {
		if a := s.Do("GET", forwardingPath(s), nil); !strings.Contains(string(a.Body), `"failed":1`) || !strings.Contains(string(a.Body), "there was no response from 127.0.0.1") {
			waits = append(waits, string(a.Body))
		}
		return waits
	})
	if old.requests() != 0 {
		t.Errorf("%q", old.got)
	}
}
