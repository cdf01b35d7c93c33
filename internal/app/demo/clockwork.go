package demo

import (
	"context"
	"errors"
	"time"

	"sett/internal/sett/accounts"
)

// checkDays is how long single checks are kept, as a server does by default.
const checkDays = 30

// planClockwork has done every four hours and every day what a server does in the background.
func (w *world) planClockwork() {
	for at := w.from.Add(4 * time.Hour); !at.After(w.to); at = at.Add(4 * time.Hour) {
		w.history.at(at, "clockwork", w.clockwork)
	}
	for _, p := range w.projects {
		for _, one := range p.deploys {
			for n := range 9 {
				if one.bad {
					w.history.at(one.at.Add(time.Duration(n+1)*10*time.Minute), "look for spikes", w.lookForSpikes)
				}
			}
		}
	}
	for n := w.days - 1; n > 0; n-- {
		w.history.at(w.daysAgo(n, "00:20"), "tidy", w.tidy)
	}
}

// clockwork brings counts up to date, and runs the loops that are due.
func (w *world) clockwork(ctx context.Context, now time.Time) error {
	return errors.Join(w.store.Intake.Flush(ctx), w.sweep(ctx, now), w.moveIncidents(ctx, now), w.dispatcher.closeFloods(ctx, now), w.store.Deliveries.SettleMaintenance(ctx, now), w.packEvents(ctx, now))
}

// lookForSpikes finds faults that occur more often than people allow, or than usual.
func (w *world) lookForSpikes(ctx context.Context, now time.Time) error {
	if err := w.store.Intake.Flush(ctx); err != nil {
		return err
	}
	if _, err := w.store.Intake.RaiseRates(ctx, now); err != nil {
		return err
	}
	_, err := w.store.Intake.RaiseSpikes(ctx, now)
	return err
}

// tidy sums up days that are over, counts what was removed from reports, and drops what a server would have dropped.
func (w *world) tidy(ctx context.Context, now time.Time) error {
	if err := w.store.Uptime.RollUpChecks(ctx, now); err != nil {
		return err
	}
	if err := w.store.Uptime.PruneChecks(ctx, accounts.Day(now.AddDate(0, 0, -checkDays))); err != nil {
		return err
	}
	_, err := w.store.Deliveries.PruneAlerts(ctx, now.AddDate(0, 0, -30), 500)
	return errors.Join(err, w.store.Uptime.PruneCheckIns(ctx, now), w.scrubbed(ctx, now))
}
