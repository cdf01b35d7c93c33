package statuspage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett"
)

const (
	// Every is the longest rest between two calls of Refresh: what other processes write to an SQLite file wakes nobody.
	Every = time.Second

	warmPages    = 500 // are drawn before anybody asks, so that they can be shown when the database goes away
	atOnce       = 50  // drawn in a round; then the directory is looked at again
	lookPatience = 5 * time.Second
)

// Refresh looks where pages are and draws those that have changed, those that somebody watches and that were drawn a while
// ago, and at first some that nobody has asked for. It is the work of a loop that store.StatusChanged wakes, and reports
// whether there is more to do at once. A database that does not answer is no error of it: it is asked again with the next
// round, as what is shown must not lag once it is back.
func (p *Pages) Refresh(ctx context.Context) (more bool, err error) {
	more, err = p.refresh(ctx)
	switch failed := err != nil && ctx.Err() == nil; {
	case failed && !p.ailing.Swap(true):
		p.Log.Error("status pages cannot be read; those that are drawn are shown as they were", "error", err)
	case err == nil && p.ailing.Swap(false):
		p.Log.Info("status pages can be read again")
	}
	return more, ctx.Err()
}

func (p *Pages) refresh(ctx context.Context) (more bool, err error) {
	look, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	if err := p.look(look); err != nil {
		return false, err
	}
	failures := 0
	for i, page := range p.due(p.Now()) {
		if i == atOnce {
			return err == nil, err
		}
		if failed := p.redraw(ctx, page); failed != nil {
			err = failed
			failures++
		}
		if failures == enough {
			break
		}
	}
	return false, err
}

// enough failures of different pages say that it is not for the pages that they fail.
const enough = 3

// redraw draws a page that is due, unless somebody is drawing it.
func (p *Pages) redraw(ctx context.Context, c *cached) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if urgency(c, p.Now(), true) == notDue {
		return nil
	}
	if err := p.draw(ctx, c); err != nil && sett.CodeOf(err) != sett.NotFound {
		return err
	}
	return nil
}

// How urgent a drawing is.
const (
	changedAndSeen = iota
	changedUnseen
	old
	neverDrawn
	failing
	notDue
)

// urgency says how soon a page is to be drawn.
func urgency(c *cached, now time.Time, room bool) int {
	d, seen := c.drawn.Load(), c.watched(now)
	switch {
	case c.failed.Load() > 0 && (d == nil || seen):
		return failing
	case d == nil && (room || seen):
		return neverDrawn
	case d == nil:
		return notDue
	case d.view.Page.Revision < c.revision.Load() && seen:
		return changedAndSeen
	case d.view.Page.Revision < c.revision.Load():
		return changedUnseen
	case seen && now.Sub(d.view.ReadAt) >= lookNow:
		return old
	}
	return notDue
}

// due returns the pages that are to be drawn, the most urgent first.
func (p *Pages) due(now time.Time) (due []*cached) {
	room := warmPages - p.crowd.count()
	urgencies := map[*cached]int{}
	for _, page := range p.index.Load().pages {
		u := urgency(page, now, room > 0)
		if u == notDue {
			continue
		}
		if u == neverDrawn {
			room--
		}
		urgencies[page] = u
		due = append(due, page)
	}
	slices.SortStableFunc(due, func(a, b *cached) int { return cmp.Compare(urgencies[a], urgencies[b]) })
	return due
}
