// Package inbox is a receiver of webhooks for tests. It listens on a loopback address and keeps the
// messages that a server sends, in their order. A test can make it answer like a receiver that is
// down, busy or gone. It never sends anything, and judges no message.
package inbox

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"
)

// Message is a webhook that was taken.
type Message struct {
	ID      string // of its delivery
	Event   string
	Text    string
	FaultID int64 // 0: about no fault
	Header  http.Header
	Body    []byte
}

// Inbox is a receiver. It answers with 200 until it is set to answer otherwise.
type Inbox struct {
	URL string

	mu       sync.Mutex
	answer   func(w http.ResponseWriter, tries int) bool
	tries    int
	messages []Message
	changed  chan struct{} // is closed with every change
}

// Open starts a receiver for the length of a test.
func Open(t testing.TB) *Inbox {
	t.Helper()
	b := &Inbox{changed: make(chan struct{})}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.URL = server.URL + "/hook"
	return b
}

// Answer has f answer what comes; it gets the number of attempts so far, and returns whether the message was taken. nil
// takes everything.
func (b *Inbox) Answer(f func(w http.ResponseWriter, tries int) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answer = f
}

// Down answers everything with a status.
func (b *Inbox) Down(status int) {
	b.Answer(func(w http.ResponseWriter, _ int) bool { w.WriteHeader(status); return false })
}

// ServeHTTP takes a webhook.
func (b *Inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var said struct {
		Event, Message string
		Fault          struct{ ID json.Number } // a text in payloads of version 3
	}
	if err := json.Unmarshal(body, &said); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fault, _ := said.Fault.ID.Int64()
	b.mu.Lock()
	b.tries++
	b.change()
	answer, tries := b.answer, b.tries
	b.mu.Unlock()
	taken := answer == nil || answer(w, tries)
	b.mu.Lock()
	defer b.mu.Unlock()
	if taken {
		b.messages = append(b.messages, Message{r.Header.Get("webhook-id"), said.Event, said.Message, fault, r.Header.Clone(), body})
	}
	b.change()
}

func (b *Inbox) change() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// Messages returns what was taken so far.
func (b *Inbox) Messages() []Message {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.messages)
}

// Tries returns how often something came.
func (b *Inbox) Tries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tries
}

// Await returns what was taken once there are so many, and fails the test when they do not come.
func (b *Inbox) Await(t testing.TB, n int) []Message {
	t.Helper()
	b.await(t, func() bool { return len(b.messages) >= n })
	return b.Messages()
}

// AwaitTries returns once something came so often.
func (b *Inbox) AwaitTries(t testing.TB, n int) {
	t.Helper()
	b.await(t, func() bool { return b.tries >= n })
}

func (b *Inbox) await(t testing.TB, holds func() bool) {
	t.Helper()
	tired := time.After(time.Minute)
	for {
		b.mu.Lock()
		done, changed := holds(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-tired:
			t.Fatalf("the inbox waits for more, after %d tries and %d messages", b.Tries(), len(b.Messages()))
		}
	}
}
