package app

import (
	"context"
	"time"

	"sett/internal/base/loop"
)

// takeover is the loop that counts what other nodes have stored and did not live to count.
func (a *App) takeover() *loop.Loop {
	return &loop.Loop{
		Name: "counts of stopped servers", Does: "Counts the events that a stopped server stored and did not count.", Every: 5 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) {
			counted, err := a.store.Node.TakeOver(ctx)
			if counted > 0 {
				a.log.Info("counted the events of a server that has stopped", "events", counted)
			}
			return false, err
		},
	}
}

// rateWindows is the loop that writes how many requests users have made, where that is counted in memory.
func (a *App) rateWindows() *loop.Loop {
	return &loop.Loop{
		Name: "rate windows", Does: "Saves the number of API requests of each user in the current hour.", Every: time.Second, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) { return false, a.store.Intake.SaveRateWindows(ctx) },
	}
}

// projectKeys is the loop that drops API keys whose grace has passed, and notes which are used.
func (a *App) projectKeys() *loop.Loop {
	return &loop.Loop{
		Name: "API keys", Does: "Deletes revoked API keys after their grace period, and records which keys are used.", Every: 30 * time.Second, Jitter: 0.2, Log: a.log,
		Work: func(ctx context.Context) (more bool, err error) {
			ended, err := a.store.Accounts.DropEndedKeys(ctx, a.now())
			if ended > 0 {
				a.keys.Forget()
			}
			if used := a.keys.Used(); err == nil && len(used) > 0 {
				err = a.store.Accounts.NoteKeyUse(ctx, a.now(), used)
			}
			return false, err
		},
	}
}
