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
)

const streamMedia = "text/event-stream"

// The measures of streams.
const (
	streamBeat     = time.Second      // how often is looked for what is new
	streamBeats    = 600              // after so many a stream ends: who forgot a page costs nothing
	streamCheck    = 15               // after so many it is asked whether the user still may, and a sign of life is sent
	streamPatience = 10 * time.Second // for a reader that takes nothing
	mostStreams    = 4                // of a user
)

// Stream is the route of what a page listens to; see Listen.
func Stream(path, name string, permission sett.Permission, handle serve.Handler, doc string) serve.Route {
	rt := Get(path, name, permission, handle, doc)
	rt.Media = streamMedia
	return rt
}

// streams are those that are open, by user.
type streams struct {
	mu     sync.Mutex
	open   map[int64]int
	ending chan struct{}
	ended  sync.Once
}

func newStreams() *streams { return &streams{open: map[int64]int{}, ending: make(chan struct{})} }

// Drain ends every stream, for a server that is to stop.
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

// Events are those that a stream sends; app.js says what each does.
type Events struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

// endsOfLine are all that ends a line of a stream: what clients said must not end one, and begin an event of its own.
var endsOfLine = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// Send sends an event; id is where a browser that lost the stream goes on, and "" for none.
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
	if err := e.control.SetWriteDeadline(time.Now().Add(streamPatience)); err != nil {
		return fmt.Errorf("set deadline of stream: %w", err)
	}
	if _, err := e.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write to stream: %w", err)
	}
	return e.control.Flush()
}

// Listen answers with a stream: look is called at once and then every second, and sends what is new. It ends when look says
// so, which needs no word, when the browser is gone, when the user may no more, and after ten minutes.
func (p *Pages) Listen(w http.ResponseWriter, r *http.Request, look func(ctx context.Context, e Events) (over bool, err error)) error {
	user := Who(r).User.ID
	if r.Method == http.MethodHead { // which asks what there is, and would wait for ten minutes
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
	w.Header().Set("X-Accel-Buffering", "no") // a proxy that keeps it back
	if over, err := p.listen(r, e, look); over {
		_ = e.Send("end", "", "")
	} else if err == nil {
		_ = e.Send("end", "", "Live updates have ended. Reload the page to continue.")
	}
	return nil // half a stream is a whole one
}

// listen reports whether look said that the stream is over; an error is that there is nobody to tell any more.
func (p *Pages) listen(r *http.Request, e Events, look func(ctx context.Context, e Events) (over bool, err error)) (over bool, err error) {
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
		if over, err := p.look(r, e, look); over || err != nil {
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

func (p *Pages) look(r *http.Request, e Events, look func(ctx context.Context, e Events) (over bool, err error)) (bool, error) {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	return look(ctx, e)
}

// still reports whether the user is still signed in, and may still do what the route says.
func (p *Pages) still(r *http.Request) bool {
	who, err := p.Sessions.Of(r)
	if err != nil || who.User.ID != Who(r).User.ID {
		return false
	}
	_, err = p.authorize(r, visitOf(r).route.Permission)
	return err == nil
}
