package statuspage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"sett/internal/sett"
)

const (
	// Every is the longest pause between two calls of Refresh: writes of other processes to an SQLite file cause no wake-up.
	Every = time.Second

	warmPages    = 500 // pages rendered in advance, so that they can be shown while the database is unavailable
	atOnce       = 50  // pages rendered per round; then the directory is checked again
	checkTimeout = 5 * time.Second
)

// Refresh reads the directory and renders pages that have changed, viewed pages whose rendering is old, and initially some
// pages that were never requested. It runs in a loop that store.StatusChanged wakes, and reports whether more work is due
// immediately. An unavailable database is not an error here: the next round tries again, so that pages are up to date as soon
// as the database is back.
func (p *Pages) Refresh(ctx context.Context) (more bool, err error) {
	more, err = p.refresh(ctx)
	switch failed := err != nil && ctx.Err() == nil; {
	case failed && !p.unhealthy.Swap(true):
		p.Log.Error("status pages cannot be updated, so visitors see the last version", "error", err, "hint", "check the database with: sett doctor")
	case err == nil && p.unhealthy.Swap(false):
		p.Log.Info("status pages are up to date again")
	}
	return more, ctx.Err()
}

func (p *Pages) refresh(ctx context.Context) (more bool, err error) {
	checking, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := p.checkForChanges(checking); err != nil {
		return false, err
	}
	failures := 0
	for i, page := range p.due(p.Now()) {
		if i == atOnce {
			return err == nil, err
		}
		if failed := p.reloadDue(ctx, page); failed != nil {
			err = failed
			failures++
		}
		if failures == enough {
			break
		}
	}
	return false, err
}

// enough failures of different pages mean that the cause is not the pages.
const enough = 3

// reloadDue renders a page that is due, unless another goroutine has just rendered it.
func (p *Pages) reloadDue(ctx context.Context, c *cached) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if urgency(c, p.Now(), true) == notDue {
		return nil
	}
	if err := p.reload(ctx, c); err != nil && sett.CodeOf(err) != sett.NotFound {
		return err
	}
	return nil
}

// How urgent a rendering is, the most urgent first.
const (
	changedAndWatched = iota
	changedUnwatched
	old
	neverRendered
	failing
	notDue
)

// urgency returns how urgently a page must be rendered. room reports whether pages are still rendered in advance.
func urgency(c *cached, now time.Time, room bool) int {
	d, seen := c.rendered.Load(), c.watched(now)
	switch {
	case c.failed.Load() > 0 && (d == nil || seen):
		return failing
	case d == nil && (room || seen):
		return neverRendered
	case d == nil:
		return notDue
	case d.view.Page.Revision < c.revision.Load() && seen:
		return changedAndWatched
	case d.view.Page.Revision < c.revision.Load() || d.expired(now):
		return changedUnwatched
	case seen && now.Sub(d.view.ReadAt) >= refreshEvery:
		return old
	}
	return notDue
}

// due returns the pages to render, the most urgent first.
func (p *Pages) due(now time.Time) (due []*cached) {
	room := warmPages - p.cache.count()
	urgencies := map[*cached]int{}
	for _, page := range p.index.Load().pages {
		u := urgency(page, now, room > 0)
		if u == notDue {
			continue
		}
		if u == neverRendered {
			room--
		}
		urgencies[page] = u
		due = append(due, page)
	}
	slices.SortStableFunc(due, func(a, b *cached) int { return cmp.Compare(urgencies[a], urgencies[b]) })
	return due
}
