package watch

import (
	"context"
	"time"

	"sett/internal/base/loop"
	"sett/internal/store"
)

// erasuresEvery is the interval at which erasures of dead processes are picked up, and those that wait for another node; new ones wake the
// loop.
const erasuresEvery = 15 * time.Second

// Erasures deletes what projects have about affected users who are to be forgotten.
type Erasures struct{ Upkeep }

// NewErasures returns an Erasures. It does nothing before its Loops run.
func NewErasures(u Upkeep) *Erasures { return &Erasures{u} }

// Loops returns the loop that erases.
func (e *Erasures) Loops() []*loop.Loop {
	open, _ := e.Store.Sleep(store.ErasuresOpen)
	return []*loop.Loop{{
		Name: "erasures", Does: "Deletes the events of affected users who are to be erased, and removes them from the database.",
		Every: erasuresEvery, Jitter: 0.2, Wake: open, Log: e.Log, Work: e.erase,
	}}
}

func (e *Erasures) erase(ctx context.Context) (more bool, err error) {
	return false, e.Store.SweepErasures(ctx, e.purging(rest))
}
