// Package watch does what is due without a request. From the time, and from results of checks here and by agents, it finds what must be
// recorded: that this server is alive, that a job has not reported in time, that a site is down. The rules of package sett decide, and the
// store records each fact in one transaction with its consequences. The package also hands out work to those who check. The package keeps
// nothing that a restart would need, never decides what a fact means, and sends no notifications.
package watch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett/checks"
	"sett/internal/store/uptimedb"
)

const (
	beatEvery    = 10 * time.Second
	beatLasts    = 30 * time.Second // another server may then have recorded the gap
	sweepEvery   = time.Second
	settleFor    = 5 * time.Second  // after the database was away: pings that servers kept meanwhile are stored first
	lateFor      = 20 * time.Second // after it was: a server that keeps pings may have been killed too, so deadlines have this much more time
	sweepAtOnce  = 200              // check-ins in one transaction, so that pings never wait long for their turn
	pruneHistory = time.Hour
)

// CheckInOptions are what CheckIns work with.
type CheckInOptions struct {
	Uptime *uptimedb.Store
	Now    func() time.Time
	Spools bool // servers keep pings while the database does not respond
	Log    *slog.Logger
}

// CheckIns finds jobs that have not reported in time, and records the heartbeat that shows whether they could.
type CheckIns struct {
	CheckInOptions
	beatAt atomic.Int64 // the last beat of this process, in microseconds since 1970; 0: none
	others peerWatch    // used by one loop
	away   bool         // the database did not respond to the last sweep; used by one loop, as back
	back   time.Time    // when it first did again, or to the first one
}

// NewCheckIns returns a CheckIns. It does nothing before its Loops run.
func NewCheckIns(o CheckInOptions) *CheckIns { return &CheckIns{CheckInOptions: o} }

// Loops returns the loops that beat, that look for deadlines that have passed, and that drop old history.
func (c *CheckIns) Loops() []*loop.Loop {
	return []*loop.Loop{
		{Name: "presence", Does: "Records a heartbeat of this server. Check-ins are not reported as missed while no server is running.", Every: beatEvery, Log: c.Log, Work: c.beat},
		{Name: "check-ins", Does: "Finds check-ins whose jobs have not reported in time.", Every: sweepEvery, Log: c.Log, Work: c.sweep},
		{Name: "check-in history", Does: "Deletes old pings of check-ins.", Every: pruneHistory, Jitter: 0.2, Log: c.Log, Work: c.prune},
	}
}

func (c *CheckIns) beat(ctx context.Context) (more bool, err error) {
	now := c.Now()
	b, ready, err := c.beginning(ctx, now)
	if err != nil || !ready {
		return false, err
	}
	blind, err := c.Uptime.Beat(ctx, now, b)
	if err != nil {
		return false, err
	}
	c.beatAt.Store(now.UnixMicro())
	if !blind.IsZero() {
		level := slog.LevelInfo // a restart
		if blind.To.Sub(blind.From) > beatLasts {
			level = slog.LevelWarn
		}
		c.Log.Log(ctx, level, "sett was stopped, so check-ins that were due then are not reported as missed", "from", blind.From, "to", blind.To, "hint", "check yourself whether jobs ran in that time")
	}
	return false, nil
}

// beginning returns what is known of other servers, once enough is.
func (c *CheckIns) beginning(ctx context.Context, now time.Time) (b checks.Beginning, ready bool, err error) {
	if c.beatAt.Load() != 0 {
		return b, true, nil
	}
	switch alive, beating, err := c.Uptime.OtherNodes(ctx); {
	case err != nil:
		return b, false, err
	case beating > 0 || alive == 0:
		return checks.Beginning{Begins: true, Beside: beating > 0}, true, nil
	} // others begin at this moment, or are of an older version, which does not say when it had a beat
	last, err := c.Uptime.LastBeat(ctx)
	if err != nil {
		return b, false, err
	}
	seen, ready := c.others.look(last, now)
	return checks.Beginning{Begins: true, Seen: seen}, ready, nil
}

// Sees reports whether this process has a fresh beat: whether it knows in which times no server ran.
func (c *CheckIns) Sees(now time.Time) bool {
	at := c.beatAt.Load()
	return at != 0 && now.Sub(time.UnixMicro(at)) <= beatLasts
}

// sweep does nothing while this process has no fresh beat: a server that was cut off from the database, or from time
// itself, must not hold that against jobs. Soon after the database was away, it leaves jobs more time, but never waits for long: where the
// database fails again and again, nothing would be found.
func (c *CheckIns) sweep(ctx context.Context) (more bool, err error) {
	now := c.Now()
	if !c.Sees(now) {
		return false, nil
	}
	responds, err := c.responding(ctx)
	switch {
	case err != nil || responds < settleFor:
		return false, err
	case responds < lateFor:
		now = now.Add(-lateFor)
	}
	more, _, err = c.Uptime.SweepCheckIns(ctx, now, sweepAtOnce)
	c.away = err != nil
	return more, err
}

// responding returns for how long the database has responded. A process that starts does not know, so for it that begins then.
func (c *CheckIns) responding(ctx context.Context) (time.Duration, error) {
	if c.away || c.Spools && c.back.IsZero() {
		if _, err := c.Uptime.LastBeat(ctx); err != nil {
			return 0, err
		}
		c.away, c.back = false, time.Now()
	}
	return time.Since(c.back), nil
}

func (c *CheckIns) prune(ctx context.Context) (more bool, err error) {
	return false, c.Uptime.PruneCheckIns(ctx, c.Now())
}
