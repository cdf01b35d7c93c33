package load

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
)

// What the load is made of.
const (
	LoadClients    = 16
	LoadFaults     = 40 // distinct errors that the notices belong to
	tokenlessEvery = 5  // every fifth notice has no token of its client
	repeatEvery    = 8  // every eighth accepted notice with a token is sent once more
)

// report is one notice of the load; its serial number is in its payload.
type report struct {
	serial int
	token  string // the client's id of the notice; "" from a client that gives none
}

// Load is clients that report to a server that dies under them, and all that they know.
type Load struct {
	key   string
	kinds []reporter    // what its clients are, in turn
	Pause time.Duration // of each client between two notices

	Mu        sync.Mutex
	next      int            // the first serial number that was never sent
	tokenless map[int]bool   // serial numbers without a token
	Ids       map[int]string // by serial number: the id that a 201 promised
	again     []report       // with a token, not answered: their clients send them again
	resent    int            // how many were sent again for want of an answer
	repeated  int            // how many were sent again although they were answered
	Refused   map[int]int    // answers other than 201, by status
	Reasons   map[string]int // of refusals, in the words of the server
	broken    Problems       // promises that were broken already
	goal      func() bool    // what a test waits for; nil: nothing
	reached   chan struct{}  // is closed when it has come
}

// New returns clients that report notices in the form of the contract with a key.
func New(key string) *Load {
	return &Load{key: key, kinds: []reporter{{"/v1/notices", payload, false}}, tokenless: map[int]bool{}, Ids: map[int]string{}, Refused: map[int]int{}, Reasons: map[string]int{}}
}

// Begin lets the clients report to the server at base, each one notice after the other. The returned function ends
// that; it returns once every request has ended.
func (l *Load) Begin(base string) (end func()) {
	web := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: LoadClients}}
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for range LoadClients {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					l.deliver(web, base, l.take(), stop)
				}
				if l.Pause > 0 {
					<-time.After(l.Pause)
				}
			}
		})
	}
	return func() {
		close(stop)
		clients.Wait()
		web.CloseIdleConnections()
	}
}

// Await returns once n more notices are accepted.
func (l *Load) Await(t testing.TB, n int) {
	t.Helper()
	l.awaitMore(t, "accepted", n, func() int { return len(l.Ids) })
}

// AwaitRefused returns once n more notices are answered with 503.
func (l *Load) AwaitRefused(t testing.TB, n int) {
	t.Helper()
	l.awaitMore(t, "refused", n, func() int { return l.Refused[http.StatusServiceUnavailable] })
}

// awaitMore returns once the count, of notices that have ended so, has grown by n.
func (l *Load) awaitMore(t testing.TB, ended string, n int, count func() int) {
	t.Helper()
	l.Mu.Lock()
	before, reached := count(), make(chan struct{})
	l.goal, l.reached = func() bool { return count() >= before+max(n, 1) }, reached
	l.Mu.Unlock()
	select {
	case <-reached:
	case <-time.After(3 * time.Minute):
		l.Mu.Lock()
		defer l.Mu.Unlock()
		t.Fatalf("the server %s %d notices in three minutes that should have been %d; %d are accepted in all; other answers, by status: %v",
			ended, count()-before, n, len(l.Ids), l.Refused)
	}
}

// Drain sends again what was never answered, until there is nothing of the kind.
func (l *Load) Drain(t testing.TB, base string) {
	t.Helper()
	web := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}
	defer web.CloseIdleConnections()
	tired := time.Now().Add(time.Minute)
	for len(l.again) > 0 {
		if time.Now().After(tired) {
			t.Fatalf("%d notices are still not accepted, a minute after the last failure; answers: %v", len(l.again), l.Refused)
		}
		l.deliver(web, base, l.take(), nil)
	}
}

// take returns what a client sends next: a notice that was never answered, or else a new one.
func (l *Load) take() report {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if last := len(l.again) - 1; last >= 0 {
		r := l.again[last]
		l.again = l.again[:last]
		l.resent++
		return r
	}
	r := report{serial: l.next}
	l.next++
	if r.serial%tokenlessEvery == 0 || l.kindOf(r).tokenless {
		l.tokenless[r.serial] = true
	} else {
		r.token = newToken()
	}
	return r
}

// deliver sends a notice and notes the answer. After a failure the client waits a moment, as clients do.
func (l *Load) deliver(web *http.Client, base string, r report, stop <-chan struct{}) {
	status, id, err := l.send(web, base, r)
	l.note(r, status, id)
	switch {
	case err != nil || status != http.StatusCreated:
		select {
		case <-stop:
		case <-time.After(20 * time.Millisecond):
		}
	case r.token != "" && r.serial%repeatEvery == 0:
		if status, id, err = l.send(web, base, r); err == nil {
			l.noteRepeated(r, status, id)
		}
	}
}

func (l *Load) note(r report, status int, id string) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	switch {
	case status == http.StatusCreated:
		l.Ids[r.serial] = cmp.Or(id, unknownID)
		if r.token != "" && id != "" && id != r.token {
			l.broken.Add("notice %d was accepted as %s, not as its token %s", r.serial, id, r.token)
		}
	case r.token != "":
		l.again = append(l.again, r)
	}
	if status != 0 && status != http.StatusCreated {
		l.Refused[status]++
	}
	if l.goal != nil && l.goal() {
		close(l.reached)
		l.goal = nil
	}
}

func (l *Load) noteRepeated(r report, status int, id string) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.repeated++
	if status == http.StatusCreated && id != "" && id != r.token {
		l.broken.Add("notice %d was accepted again, but as %s, not as its token %s", r.serial, id, r.token)
	}
}

// send posts a notice. The status is 0 when no answer came.
func (l *Load) send(web *http.Client, base string, r report) (status int, id string, err error) {
	kind := l.kindOf(r)
	request, err := http.NewRequest(http.MethodPost, base+kind.path, bytes.NewReader(kind.body(r)))
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("X-API-Key", l.key)
	request.Header.Set("X-Sentry-Auth", "Sentry sentry_key="+l.key)
	request.Header.Set("Authorization", "Bearer "+l.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := web.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
		l.breaks("a 503 does not say when to come back")
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, "", err
	}
	if answer.StatusCode >= 300 {
		l.Mu.Lock()
		l.Reasons[string(body)]++
		l.Mu.Unlock()
	}
	var accepted struct{ ID string }
	if err := json.Unmarshal(body, &accepted); err != nil {
		return 0, "", fmt.Errorf("read the answer %q: %w", body, err)
	}
	if answer.StatusCode == http.StatusOK { // as Sentry and OpenTelemetry say it
		answer.StatusCode = http.StatusCreated
	}
	if id := accepted.ID; len(id) == 32 { // as Sentry writes a UUID
		accepted.ID = id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
	}
	return answer.StatusCode, accepted.ID, nil
}

// breaks notes a promise that was broken.
func (l *Load) breaks(promise string) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.broken.Add("%s", promise)
}

// payload is the body of a notice.
func payload(r report) []byte {
	body, err := json.Marshal(map[string]any{
		"notifier": map[string]any{"name": "e2e", "version": "1", "url": "https://example.test"},
		"error": map[string]any{
			"token": r.token, "class": ClassName(r.serial), "message": message(r.serial),
			"backtrace": []map[string]any{{"file": "[PROJECT_ROOT]/app/cart.go", "number": 17, "method": "cart.Price"}},
		},
		"request": map[string]any{"component": "carts", "context": map[string]any{"serial": r.serial, "user_id": r.serial % 100}},
		"server":  map[string]any{"environment_name": "production", "hostname": "web-1"},
	})
	if err != nil {
		panic(err) // plain values
	}
	return body
}

// ClassName returns the class of the error that a notice is about.
func ClassName(serial int) string { return fmt.Sprintf("CartError%02d", serial%LoadFaults) }

func message(serial int) string { return fmt.Sprintf("cart %d has no price", serial) }

func newToken() string {
	var id sett.UUID
	_, _ = rand.Read(id[:]) // never fails
	return id.String()
}
