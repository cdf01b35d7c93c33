package statuspage

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// cached is a status page as it is kept in memory.
type cached struct {
	id       string
	revision atomic.Int64 // as the directory has it
	drawn    atomic.Pointer[drawing]
	asked    atomic.Int64  // unix seconds of the last view; 0: never
	failed   atomic.Int64  // unix milliseconds of the last time when the database did not answer; 0: it did
	turn     chan struct{} // held by whoever draws

	// password is a keyed hash of the password that was last found right by HTTP Basic; see basic.
	password atomic.Pointer[[32]byte]
}

func newCached(id string) *cached { return &cached{id: id, turn: make(chan struct{}, 1)} }

// How long drawings are good, by when the page was last looked at.
const (
	watched  = 10 * time.Minute // whoever looked within it may look again: the page is kept fresh
	lookNow  = 15 * time.Second // how often it then is drawn, for its bars and what was checked when
	goodFor  = time.Minute      // after that a page is drawn before it is shown
	patience = 3 * time.Second  // of somebody who asks for a page, with the database
	respite  = time.Second      // after the database did not answer, before it is asked again
)

// ask notes that somebody looks.
func (c *cached) ask(now time.Time) {
	if s := now.Unix(); c.asked.Load() != s {
		c.asked.Store(s)
	}
}

// watched reports whether somebody has looked lately.
func (c *cached) watched(now time.Time) bool {
	asked := c.asked.Load()
	return asked > 0 && now.Unix()-asked < int64(watched/time.Second)
}

// good returns the drawing if it may be shown without another look at the database.
func (c *cached) good(now time.Time) *drawing {
	d := c.drawn.Load()
	if d == nil || d.view.Page.Revision < c.revision.Load() || now.Sub(d.view.ReadAt) >= goodFor {
		return nil
	}
	return d
}

// resting reports whether the database did not answer a moment ago.
func (c *cached) resting(now time.Time) bool {
	failed := c.failed.Load()
	return failed > 0 && now.UnixMilli()-failed < respite.Milliseconds()
}

// freshDrawing returns a drawing that is good, or the last one when the database does not answer.
func (p *Pages) freshDrawing(ctx context.Context, c *cached) (*drawing, error) {
	now := p.Now()
	c.ask(now)
	if d := c.good(now); d != nil {
		return d, nil
	}
	err := p.drawInTurn(ctx, c)
	if sett.CodeOf(err) == sett.NotFound {
		return nil, err
	}
	if d := c.drawn.Load(); d != nil {
		return d, nil
	}
	if err == nil || errors.Is(err, context.Canceled) {
		return nil, errAway()
	}
	return nil, errors.Join(errAway(), err)
}

func errAway() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The current status is not available. Try again in a moment.", RetryAfter: 5 * time.Second}
}

// drawInTurn draws a page unless somebody else has done so when it is our turn. It draws for all who wait, and so goes on
// when the one who asked first goes away.
func (p *Pages) drawInTurn(ctx context.Context, c *cached) error {
	if !c.takeTurn(ctx) {
		return nil
	}
	defer func() { <-c.turn }()
	if now := p.Now(); c.good(now) != nil || c.resting(now) {
		return nil
	}
	return p.draw(context.WithoutCancel(ctx), c)
}

// takeTurn waits for the turn, but not beside whoever asks a database that did not answer before when there is something to
// show: else all who look at the page would wait for it together, as long as it is away.
func (c *cached) takeTurn(ctx context.Context) bool {
	select {
	case c.turn <- struct{}{}:
		return true
	default:
	}
	if c.failed.Load() > 0 && c.drawn.Load() != nil {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case c.turn <- struct{}{}:
		return true
	case <-waiting.Done():
		return false
	}
}

// draw reads a page and draws it anew. It is called by whoever has the turn.
func (p *Pages) draw(ctx context.Context, c *cached) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	d, err := p.newDrawing(ctx, c)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		c.drawn.Store(nil)
		p.crowd.drop(c)
		return p.noPage()
	case err != nil:
		c.failed.Store(p.Now().UnixMilli())
		return err
	}
	c.failed.Store(0)
	c.drawn.Store(d)
	p.crowd.keep(c, d.size())
	return nil
}
