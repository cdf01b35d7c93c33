package app

import (
	"context"
	"errors"
	"time"

	"sett/internal/loop"
	"sett/internal/scrub"
	"sett/internal/stats"
	"sett/internal/store/release"
)

// intakeCounts is the loop that saves how much was removed from events, and how much was not stored.
func (a *App) intakeCounts() *loop.Loop {
	return &loop.Loop{
		Name: "intake counts", Does: "Saves how many values were removed from events, and how much was not stored.", Every: 10 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.saveIntakeCounts(ctx) },
	}
}

func (a *App) saveIntakeCounts(ctx context.Context) error {
	return errors.Join(
		a.scrubbing.Save(func(all []scrub.Removed) error { return a.store.Intake.AddScrubbed(ctx, all) }),
		a.discards.Save(func(all []stats.Discard) error { return a.store.Intake.AddDiscards(ctx, all) }),
		a.discards.SaveCheckIns(func(all []stats.RefusedCheckIn) error { return a.store.Uptime.RefuseCheckIns(ctx, all) }),
	)
}

// sessionSums is the loop that saves sums of sessions.
func (a *App) sessionSums() *loop.Loop {
	return &loop.Loop{
		Name: "sessions", Does: "Saves how many sessions of each release there were in each hour.", Every: 5 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.saveSessions(ctx) },
	}
}

func (a *App) saveSessions(ctx context.Context) error {
	return a.sessions.Save(func(all []release.Hour) error { return a.store.Releases.AddHours(ctx, a.now(), all) })
}

// sourceMapUse is the loop that saves which source maps are used.
func (a *App) sourceMapUse() *loop.Loop {
	return &loop.Loop{
		Name: "source map use", Does: "Saves which source maps are used, so that they are kept.", Every: 30 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.maps.SaveUse(ctx) },
	}
}
