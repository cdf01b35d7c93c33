package ingest

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/insight"
	"sett/internal/store/insightdb"
)

// eventBytes is how many bytes of events tests may send a day.
const eventBytes = 20_000

// stored returns the events of the project.
func (o *office) storedEvents(t *testing.T) insight.Result {
	t.Helper()
	r, err := o.store.Insights.Query(t.Context(), o.now, time.Now().Add(time.Minute), o.setup.ProjectID, insight.Plan{Streams: []insight.Stream{insight.Sent}, To: math.MaxInt64 / 4, Rows: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Events are stored when they are answered with 201, whatever the form in which clients send them.
func TestEventsAreStored(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	var deflated bytes.Buffer
	z := zlib.NewWriter(&deflated)
	fmt.Fprint(z, `{"event_type":"sql","duration":1.5}`+"\n"+`{"event_type":"sql","duration":2}`+"\n")
	z.Close()
	n := int64(0)
	for _, c := range []struct {
		body, kind, encoding string
		events               int64
	}{
		{`{"event_type":"order","ts":"2026-11-20T11:59:00Z","user":{"id":5,"name":"Ann"}}`, "application/json", "", 1},
		{"{\"a\":1}\n{\"a\":2}\r\n\n{\"a\":3}", "application/x-ndjson", "", 3},
		{"{\n  \"pretty\": true\n}\n", "application/json", "", 1},
		{`[{"a":1}, {"a":2}]`, "application/json", "", 2},
		{deflated.String(), "application/json", "deflate", 2},
		{"", "application/json", "", 0},
	} {
		for _, path := range []string{"/v1/events", "/v1/events/"} {
			w := o.post(t, path, strings.NewReader(c.body), map[string]string{"Content-Type": c.kind, "Content-Encoding": c.encoding})
			var answer takenEvents
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || answer.Errors || int64(len(answer.Events)) != c.events {
				t.Errorf("%q at %s: %d %s", c.body, path, w.Code, w.Body)
			}
			if n += c.events; o.storedEvents(t).Total != n {
				t.Errorf("%q: %d events are stored, want %d", c.body, o.storedEvents(t).Total, n)
			}
		}
	}
	for _, e := range o.storedEvents(t).Events {
		if v, _ := e.Get(insight.KeyType); v.Text != "order" {
			continue
		}
		id, _ := e.Get("user.id")
		name, _ := e.Get("user.name")
		if want := o.now.Add(-time.Minute); !e.Time().Equal(want) || id.Num != 5 || name.Text != "Ann" || len(e.Fields) != 3 {
			t.Errorf("event = %+v", e)
		}
	}
	o.wantToday(t, accounts.UsageDay{}) // events are no notices
}

// One bad event costs no other, and a request of bad ones says what is wrong.
func TestEventsThatAreBad(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	w := o.post(t, "/v1/events", strings.NewReader("{\"a\":1}\n{\"a\":\n[1]\n{\"b\":\""+strings.Repeat("x", 110_000)+"\"}\n"), nil)
	var answer takenEvents
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusCreated || !answer.Errors || len(answer.Events) != 4 {
		t.Fatalf("answer = %d %s", w.Code, w.Body)
	}
	for i, want := range []int{201, 400, 400, 413} {
		if e := answer.Events[i]; e.Status != want || (e.Error == "") != (want == 201) {
			t.Errorf("event %d: %+v, want %d", i, e, want)
		}
	}
	for body, want := range map[string]int{"\x00\x01": 400, "no": 400, strings.Repeat("{}\n", 10_001): 413, strings.Repeat("x", 3<<20): 413} {
		if w := o.post(t, "/v1/events", strings.NewReader(body), nil); w.Code != want {
			t.Errorf("%.20q: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
	for name, key := range map[string]string{"no key": "", "another key": "sett_p_wrong"} {
		if w := o.post(t, "/v1/events", strings.NewReader("{}"), map[string]string{"X-API-Key": key}); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if n := o.storedEvents(t).Total; n != 1 {
		t.Errorf("%d events are stored, want 1", n)
	}
}

// Beyond the bytes of a day events are rejected until midnight, and notices are not.
func TestEventsBeyondTheLimitOfADay(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	body := strings.Repeat(`{"event_type":"sql","text":"`+strings.Repeat("x", 1000)+"\"}\n", 10)
	codes := ""
	for range 4 {
		w := o.post(t, "/v1/events", strings.NewReader(body), nil)
		codes += fmt.Sprint(w.Code, " ")
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") != "3600" {
			t.Errorf("Retry-After = %q", w.Header().Get("Retry-After"))
		}
	}
	if codes != "201 201 429 429 " {
		t.Errorf("answers = %s", codes)
	}
	if w := o.post(t, "/v1/notices", strings.NewReader(`{"error":{"class":"A"}}`), nil); w.Code != http.StatusCreated {
		t.Errorf("a notice: %d %s", w.Code, w.Body)
	}
	o.push(12 * time.Hour)
	if w := o.post(t, "/v1/events", strings.NewReader(body), nil); w.Code != http.StatusCreated {
		t.Errorf("on the next day: %d %s", w.Code, w.Body)
	}
}

// What cannot be stored is not answered with success, and nothing of why reaches the client.
func TestEventsThatCannotBeStored(t *testing.T) {
	t.Parallel()
	events := NewEvents(failingEvents{}, 1000, time.Now, slog.New(slog.DiscardHandler))
	defer events.Close()
	s := &sentEvents{project: 1}
	s.add(insight.Event{At: 1}, 2)
	if err := events.submit(s); err == nil {
		t.Error("events that were not stored are accepted")
	}
	if events.bytes.Load() != 0 {
		t.Error("the memory of events is not given back")
	}
	events.bytes.Store(mostEventBytes)
	if err := events.submit(s); sett.CodeOf(err) != sett.Unavailable {
		t.Errorf("without room: %v", err)
	}
}

type failingEvents struct{}

func (failingEvents) Record(context.Context, time.Time, int64, []*insightdb.Batch) ([]bool, error) {
	return nil, errors.New("the disk is full")
}

// A browser asks before it reports events.
func TestEventsFromBrowsers(t *testing.T) {
	t.Parallel()
	o := setup(t, accounts.Limits{})
	for _, path := range []string{"/v1/events", "/v1/events/"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodOptions, path, nil)
		r.Header.Set("Access-Control-Request-Headers", "content-type,x-api-key")
		w := httptest.NewRecorder()
		o.ServeHTTP(w, r)
		if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Methods") != "POST, OPTIONS" {
			t.Errorf("a browser asks first: %d %v", w.Code, w.Header())
		}
	}
}
