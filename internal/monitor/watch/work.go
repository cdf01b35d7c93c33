package watch

import (
	"context"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store/work"
)

// workEvery is the interval at which work of dead processes is picked up; new work wakes the loops.
const workEvery = 30 * time.Second

// Work does in the background what touches many rows.
type Work struct{ Upkeep }

// NewWork returns a Work. It does nothing before its Loops run.
func NewWork(u Upkeep) *Work { return &Work{u} }

// Loops returns the loops that do pending work: deletions may take minutes, and changes do not wait for them.
func (w *Work) Loops() []*loop.Loop {
	changes, _ := w.Store.Sleep(work.Added)
	deletions, _ := w.Store.Sleep(work.Added)
	o := work.Options{Now: w.Now, Holder: w.Node, Rest: rest}
	return []*loop.Loop{{
		Name: "pending changes", Does: "Finishes changes of many errors, for example when a user resolves all.",
		Every: workEvery, Jitter: 0.2, Wake: changes, Log: w.Log,
		Work: func(ctx context.Context) (bool, error) { return w.Store.Work.DoLots(ctx, o) },
	}, {
		Name: "pending deletions", Does: "Deletes the data of deleted projects, sites, channels and status pages, and unassigns errors of users who left.",
		Every: workEvery, Jitter: 0.2, Wake: deletions, Log: w.Log,
		Work: func(ctx context.Context) (bool, error) { return w.Store.Work.DoWhole(ctx, o) },
	}}
}
