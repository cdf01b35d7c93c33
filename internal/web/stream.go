package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

const streamMedia = "text/event-stream"

// Limits of streams.
const (
	streamBeat    = time.Second      // interval between polls
	streamBeats   = 600              // polls until a stream ends, so that forgotten pages cost nothing
	streamCheck   = 15               // polls between checks of the permission, which also send a keep-alive
	streamTimeout = 10 * time.Second // for a client that reads nothing
	mostStreams   = 4                // per user
)

// Stream is the route of an event stream; see Listen.
func Stream(path, name string, permission accounts.Permission, handle serve.Handler, doc string) serve.Route {
	rt := Get(path, name, permission, handle, doc)
	rt.Media = streamMedia
	return rt
}

// streams counts the open streams by user.
type streams struct {
	mu     sync.Mutex
	open   map[int64]int
	ending chan struct{}
	ended  sync.Once
}

func newStreams() *streams { return &streams{open: map[int64]int{}, ending: make(chan struct{})} }

// Drain ends all streams when the server stops.
func (p *Pages) Drain() { p.streams.ended.Do(func() { close(p.streams.ending) }) }

func (s *streams) begin(user int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user] >= mostStreams {
		return &sett.Error{Code: sett.TooMany, RetryAfter: time.Minute, Message: "You have too many live pages open. Close another one and reload this page."}
	}
	s.open[user]++
	return nil
}

func (s *streams) end(user int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[user]--; s.open[user] == 0 {
		delete(s.open, user)
	}
}

// Events writes the events of a stream; app.js handles them.
type Events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// endsOfLine normalizes line ends: text of clients must not be able to start another event.
var endsOfLine = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Send sends an event; id is where a browser resumes after a lost connection, "" for none.
func (e Events) Send(name, id, data string) error {
	var b strings.Builder
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "event: %s\n", name)
	for line := range strings.SplitSeq(strings.TrimRight(endsOfLine.Replace(data), "\n"), "\n") { // browsers drop events without data
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	return e.write(b.String() + "\n")
}

func (e Events) write(text string) error {
	if err := e.control.SetWriteDeadline(time.Now().Add(streamTimeout)); err != nil {
		return fmt.Errorf("set deadline of stream: %w", err)
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write to stream: %w", err)
	}
	return e.control.Flush()
}

// Listen answers with a stream: poll is called immediately and then every second, and sends what is new. The stream ends when
// poll reports so, when the browser disconnects, when the user loses the permission, and after ten minutes.
func (p *Pages) Listen(w http.ResponseWriter, r *http.Request, poll func(ctx context.Context, e Events) (over bool, err error)) error {
	user := Who(r).User.ID
	if r.Method == http.MethodHead { // would otherwise wait for ten minutes
		w.Header().Set("Content-Type", streamMedia)
		w.WriteHeader(http.StatusOK)
		return nil
	}
	if err := p.streams.begin(user); err != nil {
		return err
	}
	defer p.streams.end(user)
	e := Events{w, http.NewResponseController(w)}
	if err := e.control.SetReadDeadline(time.Time{}); err != nil {
		return fmt.Errorf("open stream: %w", err)
	}
	w.Header().Set("Content-Type", streamMedia)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // no buffering in proxies
	if over, err := p.listen(r, e, poll); over {
		_ = e.Send("end", "", "")
	} else if err == nil {
		_ = e.Send("end", "", "Live updates have ended. Reload the page to continue.")
	}
	return nil // an interrupted stream is not an error
}

// listen reports whether poll has ended the stream; an error means that the client is gone.
func (p *Pages) listen(r *http.Request, e Events, poll func(ctx context.Context, e Events) (over bool, err error)) (over bool, err error) {
	beat := time.NewTicker(streamBeat)
	defer beat.Stop()
	if err := e.write(": listening\n\n"); err != nil {
		return false, err
	}
	for n := range streamBeats {
		if n%streamCheck == streamCheck-1 {
			if err := e.write(": still here\n\n"); err != nil || !p.still(r) {
				return false, err
			}
		}
		if over, err := p.poll(r, e, poll); over || err != nil {
			return over && err == nil, err
		}
		select {
		case <-r.Context().Done():
			return false, r.Context().Err()
		case <-p.streams.ending:
			return false, sett.Errorf(sett.Unavailable, "The server is stopping.")
		case <-beat.C:
		}
	}
	return false, nil
}

func (p *Pages) poll(r *http.Request, e Events, poll func(ctx context.Context, e Events) (over bool, err error)) (bool, error) {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	return poll(ctx, e)
}

// still reports whether the session still counts and opens something, and the user has the permission of the route.
func (p *Pages) still(r *http.Request) bool {
	who, required, err := p.visitor(r)
	if err != nil || who.User.ID != Who(r).User.ID || required.AccountID != "" {
		return false
	}
	_, err = p.authorize(r, visitOf(r).route.Permission)
	return err == nil
}
