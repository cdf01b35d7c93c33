package watch

import (
	"context"
	"errors"
	"time"

	"sett/internal/base/loop"
	"sett/internal/base/progress"
)

const (
	purgeEvery = time.Hour            // what becomes too old does so at midnight, UTC
	leastRest  = 2 * time.Millisecond // between two pieces
)

// Retention deletes what is kept no longer.
type Retention struct{ Upkeep }

// NewRetention returns a Retention. It does nothing before its Loops run.
func NewRetention(u Upkeep) *Retention { return &Retention{u} }

// Loops returns the loop that deletes what is too old.
func (r *Retention) Loops() []*loop.Loop {
	return []*loop.Loop{{
		Name: "retention", Does: "Deletes events older than the retention of their project, and old history, in small batches.",
		Every: purgeEvery, Jitter: 0.2, Log: r.Log, Work: r.purge,
	}}
}

func (r *Retention) purge(ctx context.Context) (more bool, err error) {
	o := r.purging(rest)
	n, err := r.Store.PurgeProjects(ctx, o)
	if n > 0 {
		r.Log.Info("deleted events that are older than the retention of their project", "events", n)
	}
	if err != nil {
		return false, err
	}
	if err := r.Store.PurgeHistories(ctx, o); err != nil {
		return false, err
	}
	if _, err := r.Store.PurgeInsights(ctx, o); err != nil {
		return false, err
	}
	rewriting, ended := progress.Log(ctx, r.Log)
	_, err = r.Store.RewriteBlocks(rewriting, o)
	ended()
	_, failed := r.Store.ReturnSpace(ctx, o)
	return false, errors.Join(err, failed)
}

// rest waits as long as a piece took, so that others have the database for at least half of the time.
func rest(ctx context.Context, took time.Duration) error {
	pause(ctx, max(took, leastRest))
	return ctx.Err()
}
