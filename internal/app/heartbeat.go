package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"sett/internal/app/operate"
	"sett/internal/base/about"
	"sett/internal/base/dial"
	"sett/internal/base/loop"
	"sett/internal/sett"
)

// How the heartbeat of this server is sent to a check-in elsewhere.
const (
	heartbeatEvery = time.Minute
	heartbeatLasts = 15 * time.Second
)

// heartbeat requests the URL of a check-in on another system, as long as this server works: its database takes writes. Without a URL it does nothing.
type heartbeat struct {
	url string

	mu     sync.Mutex
	sentAt time.Time // the last that was accepted
	failed bool      // the last one was not sent, or not accepted
}

// errHeartbeat is what anyone may know of a heartbeat that failed; the log has more.
var errHeartbeat = &sett.Error{Code: sett.Unavailable, Message: "the last heartbeat was not delivered; see the log"}

// beating is the loop that sends heartbeats; none without --heartbeat-url.
func (a *App) beating() []*loop.Loop {
	if a.heartbeat.url == "" {
		return nil
	}
	return []*loop.Loop{{
		Name: "heartbeat", Does: "Sends a heartbeat to the check-in at --heartbeat-url while the database takes writes.", Every: heartbeatEvery, Jitter: 0.1, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) {
			return false, a.heartbeat.beat(ctx, a.now(), a.readinessProbe.see(ctx))
		},
	}}
}

// beat sends a heartbeat unless a check has found a problem, and notes how it went.
func (h *heartbeat) beat(ctx context.Context, now time.Time, found map[string]error) error {
	err := notReady(found)
	if err == nil {
		err = h.send(ctx)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed = err != nil; err == nil {
		h.sentAt = now
	}
	return err
}

func notReady(found map[string]error) error {
	if _, looked := found["writes"]; !looked {
		return errors.New("no heartbeat is sent, because it is unknown whether the database takes writes")
	}
	for check, err := range found {
		if err != nil {
			return fmt.Errorf("no heartbeat is sent, because of the check %s: %w", check, err)
		}
	}
	return nil
}

func (h *heartbeat) send(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, h.url, http.NoBody)
	if err != nil {
		return errors.New("the heartbeat cannot be sent: --heartbeat-url is no URL")
	}
	request.Header.Set("User-Agent", "sett/"+about.Current().Version)
	response, err := dial.New(dial.Anywhere()).Client(heartbeatLasts).Do(request) // the operator has set it
	if err != nil {
		return fmt.Errorf("the heartbeat was not delivered: %w", operate.Reason(err)) // without the URL, which is a secret
	}
	defer response.Body.Close()
	if _, err := io.CopyN(io.Discard, response.Body, 1<<10); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the heartbeat was not delivered: %w", operate.Reason(err))
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the heartbeat was not accepted: the check-in responded with status %d", response.StatusCode)
	}
	return nil
}

// state returns when a heartbeat was last accepted, and an error if the last one was not; on is false without a URL.
func (h *heartbeat) state() (on bool, sentAt time.Time, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.failed {
		err = errHeartbeat
	}
	return h.url != "", h.sentAt, err
}
