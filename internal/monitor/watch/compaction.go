package watch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett"
)

// compactEvery is how often it is checked whether there are enough events for a block. Searches read events that are in none one by one.
const compactEvery = 3 * time.Second

// logOldEvery is how often the log says how far the events of an earlier version are moved.
const logOldEvery = time.Minute

// Compaction moves notices into blocks, in which they take less space and are searched faster.
type Compaction struct {
	Upkeep
	began      time.Time // of the work since the last rest
	counted    time.Time // when it was counted how many notices wait
	waiting    atomic.Int64
	count      func(context.Context) (int64, error) // of the notices that wait
	processors processors
	old        bool      // there are notices of an earlier version
	logged     time.Time // when the log said how many of these are left
}

// NewCompaction returns a Compaction. It does nothing before its Loops run.
func NewCompaction(u Upkeep) *Compaction {
	c := &Compaction{Upkeep: u, processors: processors{time: processorTime}}
	c.count = func(ctx context.Context) (int64, error) { return u.Store.Blocks.Waiting(ctx) }
	return c
}

// Loops returns the loop that compacts notices.
func (c *Compaction) Loops() []*loop.Loop {
	return []*loop.Loop{{
		Name: "compaction", Does: "Compacts events, so that they take less space and are searched faster.",
		Every: compactEvery, Jitter: 0.2, Log: c.Log, Work: c.compact,
	}}
}

func (c *Compaction) compact(ctx context.Context) (more bool, err error) {
	c.began = time.Now()
	o := c.purging(c.rest)
	done, err := c.Store.Compact(ctx, o)
	c.old = done.OldLast != 0
	c.look(ctx)
	switch {
	case done.Old > 0 && done.OldLast == 0:
		c.Log.Info("compacted the last events that an earlier version stored")
	case done.Old > 0 && time.Since(c.logged) > logOldEvery:
		c.logged = time.Now()
		c.Log.Info("compacting the events that an earlier version stored", "at", sett.NoticeID(done.OldUpto).Time(), "to", sett.NoticeID(done.OldLast).Time())
	}
	packed, failed := c.Store.PackInsights(ctx, o)
	err = errors.Join(err, failed)
	if err == nil && done.Blocks+packed > 0 { // bundles took more
		_, err = c.Store.ReturnSpace(ctx, o)
	}
	return done.OldLast != 0 && done.Old > 0, err
}

// The rests between two pieces of work, in lengths of the last one. Most of the work is packing, which takes one core.
const (
	quietRest = 1
	busyRest  = 20 // while the processors of the machine are busy
	oldRest   = 5  // the same, with notices of an earlier version: a million take ten minutes of work, and searches read them one by one until then
)

// manyWaiting is how many notices may wait before they are compacted although the machine is busy: each search of their project reads them.
const manyWaiting = 200_000

// countEvery is how often they are counted.
const countEvery = 5 * time.Second

const (
	leastIdle  = 0.4                    // the share of processors from which the machine is not busy
	idleFor    = 250 * time.Millisecond // over which it is measured
	staleAfter = 2 * time.Second        // when a measurement does not count any more
)

// Waiting returns how many notices were in no block when they were last counted. It is safe for concurrent use.
func (c *Compaction) Waiting() int64 { return c.waiting.Load() }

// look counts them, unless it has just done so.
func (c *Compaction) look(ctx context.Context) {
	if time.Since(c.counted) < countEvery {
		return
	}
	c.counted = time.Now()
	if n, err := c.count(ctx); err == nil {
		c.waiting.Store(n)
	}
}

// hurries reports whether too many notices wait.
func (c *Compaction) hurries(ctx context.Context) bool {
	c.look(ctx)
	return c.Waiting() > manyWaiting
}

// rest waits so that intake comes first: for long while the machine is busy, until it no longer is.
func (c *Compaction) rest(ctx context.Context, _ time.Duration) error {
	worked := max(time.Since(c.began), leastRest)
	some, longest := quietRest*worked, busyRest*worked
	if c.old {
		longest = oldRest * worked
	}
	for rested := time.Duration(0); rested < longest && ctx.Err() == nil; some = idleFor {
		pause(ctx, min(some, longest-rested))
		rested += some
		if c.processors.idle(time.Now()) || c.hurries(ctx) {
			break
		}
	}
	c.began = time.Now()
	return ctx.Err()
}

// processors says whether the processors of the machine are idle enough.
type processors struct {
	time func() (idle, all int64) // see processorTime

	at        time.Time // the last measurement, with what the processors had done by then
	spare, of int64
	enough    bool // its result
}

// idle returns the result of the last measurement, and measures again if that was idleFor ago. What was measured long ago does not count.
func (p *processors) idle(now time.Time) bool {
	since := now.Sub(p.at)
	if since < idleFor {
		return p.enough
	}
	spare, of := p.time()
	p.enough = since < staleAfter && float64(spare-p.spare) >= leastIdle*float64(of-p.of)
	p.at, p.spare, p.of = now, spare, of
	return p.enough
}
