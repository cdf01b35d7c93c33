package statuspage

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// cached is a status page in memory.
type cached struct {
	id       string
	revision atomic.Int64 // of the directory
	rendered atomic.Pointer[rendering]
	viewed   atomic.Int64  // Unix seconds of the last view; 0: never
	failed   atomic.Int64  // Unix milliseconds of the last database failure; 0 after a success
	turn     chan struct{} // held while rendering

	// password is a keyed hash of the last password that was accepted by HTTP Basic; see basic.
	password atomic.Pointer[[32]byte]
}

func newCached(id string) *cached { return &cached{id: id, turn: make(chan struct{}, 1)} }

// How long renderings are valid, depending on when the page was last viewed.
const (
	watched      = 10 * time.Minute // a page that was viewed within this time is kept up to date
	refreshEvery = 15 * time.Second // how often such a page is rendered, for its bars and check times
	goodFor      = time.Minute      // an older rendering is replaced before it is shown
	readTimeout  = 3 * time.Second  // how long a request waits for the database
	readBackoff  = time.Second      // pause after a database failure
)

// recordView records a view.
func (c *cached) recordView(now time.Time) {
	if s := now.Unix(); c.viewed.Load() != s {
		c.viewed.Store(s)
	}
}

// watched reports whether the page was viewed recently.
func (c *cached) watched(now time.Time) bool {
	viewed := c.viewed.Load()
	return viewed > 0 && now.Unix()-viewed < int64(watched/time.Second)
}

// good returns the rendering if it may be shown without querying the database.
func (c *cached) good(now time.Time) *rendering {
	d := c.rendered.Load()
	if d == nil || d.view.Page.Revision < c.revision.Load() || now.Sub(d.view.ReadAt) >= goodFor {
		return nil
	}
	return d
}

// resting reports whether the database failed a moment ago; a clock that was set back since then ends the pause.
func (c *cached) resting(now time.Time) bool {
	failed := c.failed.Load()
	passed := now.UnixMilli() - failed
	return failed > 0 && passed >= 0 && passed < readBackoff.Milliseconds()
}

// freshRendering returns a valid rendering, or the last one if the database is unavailable.
func (p *Pages) freshRendering(ctx context.Context, c *cached) (*rendering, error) {
	now := p.Now()
	c.recordView(now)
	if d := c.good(now); d != nil {
		return d, nil
	}
	err := p.reloadInTurn(ctx, c)
	if sett.CodeOf(err) == sett.NotFound {
		return nil, err
	}
	if d := c.rendered.Load(); d != nil {
		return d, nil
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return nil, errUnavailable()
	}
	return nil, errors.Join(errUnavailable(), err)
}

func errUnavailable() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The current status is not available. Try again in a moment.", RetryAfter: 5 * time.Second}
}

// reloadInTurn renders a page, unless another request did so before it was our turn. It renders for all waiting requests
// and therefore continues when the first request is canceled.
func (p *Pages) reloadInTurn(ctx context.Context, c *cached) error {
	if !c.takeTurn(ctx) {
		return nil
	}
	defer func() { <-c.turn }()
	if now := p.Now(); c.good(now) != nil || c.resting(now) {
		return nil
	}
	return p.reload(context.WithoutCancel(ctx), c)
}

// takeTurn waits for the turn. It does not wait if the database failed before and there is a rendering to show. Otherwise
// all visitors of the page would wait together while the database is unavailable.
func (c *cached) takeTurn(ctx context.Context) bool {
	select {
	case c.turn <- struct{}{}:
		return true
	default:
	}
	if c.failed.Load() > 0 && c.rendered.Load() != nil {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	select {
	case c.turn <- struct{}{}:
		return true
	case <-waiting.Done():
		return false
	}
}

// reload reads a page and renders it. The caller holds the turn.
func (p *Pages) reload(ctx context.Context, c *cached) error {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	d, err := p.newRendering(ctx, c)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		c.rendered.Store(nil)
		p.cache.drop(c)
		return p.noPage(true)
	case err != nil:
		c.failed.Store(p.Now().UnixMilli())
		return err
	}
	c.failed.Store(0)
	c.rendered.Store(d)
	p.cache.keep(c, d.size())
	return nil
}
