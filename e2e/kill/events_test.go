package kill

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"sett/e2e/rig"
	"sett/e2e/rig/load"
	"sett/internal/sett/insight"
	"sett/internal/store"
	"sett/internal/store/db"
)

// eventClient is how a kind of client sends structured events with numbers.
type eventClient struct {
	path string // %d is the project
	body func(first, n int) []byte
}

// eventsInRequest is how many events a client sends at once.
const eventsInRequest = 7

var eventClients = []eventClient{
	{"/v1/events", func(first, n int) []byte {
		var b bytes.Buffer
		for i := range n {
			fmt.Fprintf(&b, `{"event_type":"visit","n":%d}`+"\n", first+i)
		}
		return b.Bytes()
	}},
	{"/api/%d/envelope/", func(first, n int) []byte {
		var logs []any
		for i := range n {
			logs = append(logs, map[string]any{
				"timestamp": float64(time.Now().UnixMilli()) / 1000, "trace_id": "771a43a4192642f0b136d5159a501700", "level": "info", "body": "visit",
				"attributes": map[string]any{"n": map[string]any{"value": first + i, "type": "integer"}},
			})
		}
		header := fmt.Sprintf("{}\n{\"type\":\"log\",\"item_count\":%d,\"content_type\":\"application/vnd.sentry.items.log+json\"}\n", n)
		return append([]byte(header), load.Encoded(map[string]any{"items": logs})...)
	}},
	{"/v1/logs", func(first, n int) []byte {
		var records []any
		for i := range n {
			records = append(records, map[string]any{
				"timeUnixNano": fmt.Sprint(time.Now().UnixNano()), "severityNumber": 9, "body": map[string]any{"stringValue": "visit"},
				"attributes": []any{map[string]any{"key": "n", "value": map[string]any{"intValue": fmt.Sprint(first + i)}}},
			})
		}
		return load.Encoded(map[string]any{"resourceLogs": []any{map[string]any{"scopeLogs": []any{map[string]any{"logRecords": records}}}}})
	}},
}

// eventLoad is clients that send structured events, each number once, whatever the answer is.
type eventLoad struct {
	s *rig.Server

	mu       sync.Mutex
	next     int
	accepted map[int]bool // numbers of events that were answered with a success
	refused  map[int]int  // other answers, by status
}

// begin lets clients send until stop is called, which returns once every request has ended.
func (l *eventLoad) begin() (stop func()) {
	web := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}
	ended := make(chan struct{})
	var clients sync.WaitGroup
	for i := range 6 {
		clients.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					l.send(web, eventClients[i%len(eventClients)])
				}
			}
		})
	}
	return func() {
		close(ended)
		clients.Wait()
		web.CloseIdleConnections()
	}
}

func (l *eventLoad) send(web *http.Client, c eventClient) {
	l.mu.Lock()
	first := l.next
	l.next += eventsInRequest
	l.mu.Unlock()
	path := c.path
	if path == "/api/%d/envelope/" {
		path = fmt.Sprintf(path, l.s.ProjectID)
	}
	request, err := http.NewRequest(http.MethodPost, l.s.Base+path, bytes.NewReader(c.body(first, eventsInRequest)))
	if err != nil {
		panic(err) // a plain address
	}
	request.Header.Set("X-API-Key", l.s.APIKey)
	request.Header.Set("X-Sentry-Auth", "Sentry sentry_key="+l.s.APIKey)
	request.Header.Set("Authorization", "Bearer "+l.s.APIKey)
	request.Header.Set("Content-Type", "application/json")
	answer, err := web.Do(request)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer.StatusCode/100 != 2 {
		l.refused[answer.StatusCode]++
		return
	}
	for i := range eventsInRequest {
		l.accepted[first+i] = true
	}
}

// await waits until so many more events are accepted, or for a minute.
func (l *eventLoad) await(t *testing.T, more int) {
	t.Helper()
	count := func() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.accepted) }
	for want, late := count()+more, time.Now().Add(time.Minute); count() < want; <-time.After(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatalf("%d events are accepted, want %d; other answers: %v", count(), want, l.refused)
		}
	}
}

// TestKillWithEvents kills the server over and over while clients of Honeybadger, Sentry and OpenTelemetry send structured events. Those of
// which it has said that they are stored are there, each once, and no other is there twice.
func TestKillWithEvents(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) { killWithEvents(t, "") })
	t.Run("postgres", func(t *testing.T) { killWithEvents(t, rig.DurablePostgres(t)) })
}

func killWithEvents(t *testing.T, database string) {
	s := rig.Prepare(t, database)
	l := &eventLoad{s: s, accepted: map[int]bool{}, refused: map[int]int{}}
	for range max(1, load.Kills(t)/3) {
		s.Restart(t)
		end := l.begin()
		l.await(t, 50+rand.IntN(2000))
		<-time.After(rand.N(load.MostDelay))
		s.Kill()
		end()
	}
	s.Restart(t)
	s.Stop(t)
	for status, n := range l.refused {
		if status != http.StatusServiceUnavailable {
			t.Errorf("%d requests are answered with %d", n, status)
		}
	}
	stored := storedEvents(t, s, database)
	for n, times := range stored {
		if times > 1 {
			t.Errorf("event %d is stored %d times", n, times)
		}
	}
	missing := 0
	for n := range l.accepted {
		if stored[n] == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Errorf("%d of %d accepted events are not stored", missing, len(l.accepted))
	}
	t.Logf("%d events accepted, %d stored; other answers: %v", len(l.accepted), len(stored), l.refused)
}

// storedEvents returns how often each number is stored. The server must be stopped.
func storedEvents(t *testing.T, s *rig.Server, database string) (times map[int]int) {
	t.Helper()
	o := db.Options{Dir: s.Data, Database: database}
	stored, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	filter, err := insight.ParseSearch("n:*")
	if err != nil {
		t.Fatal(err)
	}
	r, err := stored.Insights.Query(t.Context(), time.Now(), time.Now().Add(time.Minute), s.ProjectID, insight.Plan{Filter: filter, To: math.MaxInt64, Rows: 1_000_000})
	if err != nil || r.Unread > 0 || r.Since > 0 {
		t.Fatalf("query events: %v, %d unread, since %d", err, r.Unread, r.Since)
	}
	times = map[int]int{}
	for _, e := range r.Events {
		n, _ := e.Get("n")
		times[int(n.Num)]++
	}
	return times
}
