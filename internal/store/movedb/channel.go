package movedb

import (
	"context"
	"slices"
	"strconv"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/move"
)

// IDs are the ids in sett of what came from a source.
type IDs map[move.Watched]string

// of returns those of one kind.
func (ids IDs) of(kind move.Kind, all []move.Watched) (found []string) {
	for _, w := range all {
		if id := ids[w]; w.Kind == kind && id != "" {
			found = append(found, id)
		}
	}
	return found
}

// Channel stores a channel of the source. It is off until people have tested it.
func (w *Watching) Channel(ctx context.Context, c move.Channel) (Applied, error) {
	options := map[string]any{"label": move.Line(c.Name, move.MostName)}
	for name, value := range c.Options {
		options[name] = value
	}
	change := alerts.IntegrationChange{Type: sett.Some(c.Type), Options: sett.Some(options), Active: sett.Some(sett.LenientBool(false))}
	unknown := func(name string) bool { return !slices.Contains(alerts.AlertEvents(), alerts.AlertEvent(name)) }
	if events := slices.DeleteFunc(slices.Clone(c.Events), unknown); len(events) > 0 {
		change.Events = sett.Some(events)
	}
	if len(c.Excluded) > 0 {
		change.ExcludedEnvironments = sett.Some(c.Excluded)
	}
	return w.apply(ctx, thing{
		kind: move.ChannelKind, id: c.ID, record: c,
		check: func() error {
			var p sett.Problems
			change.Create(&p, w.Channels, w.Now)
			return p.Refusal()
		},
		make: func(t Tx) (int64, error) {
			i, err := t.s.deliveries.In(t.Tx).AddIntegration(ctx, w.Now, w.ProjectID, w.Channels, change)
			return i.ID, err
		},
		read: func(t Tx, projectID, number int64) (current, error) {
			i, err := t.s.deliveries.In(t.Tx).IntegrationByID(ctx, projectID, number)
			return found(strconv.FormatInt(number, 10), i.IntegrationSettings, err)
		},
	})
}

// Maintenance stores a maintenance window that is not over.
func (w *Watching) Maintenance(ctx context.Context, m move.Maintenance, ids IDs) (Applied, error) {
	change := maintenance.WindowChange{
		Reason: sett.Some(move.Line(m.Reason, move.MostName)), StartsAt: moment(m.Start), EndsAt: moment(m.End),
		SiteIDs: sett.Some(ids.of(move.SiteKind, m.Of)), CheckInIDs: sett.Some(ids.of(move.CheckInKind, m.Of)),
	}
	create := func() (maintenance.Settings, error) {
		if len(m.Of) > 0 && len(change.SiteIDs.Value)+len(change.CheckInIDs.Value) == 0 && !w.DryRun {
			return maintenance.Settings{}, sett.Errorf(sett.Invalid, "Nothing of what it is about came.")
		}
		return change.Create(w.Now)
	}
	return w.apply(ctx, thing{
		kind: move.WindowKind, id: m.ID, record: m,
		check: func() error { _, err := create(); return err },
		make: func(t Tx) (int64, error) {
			settings, err := create()
			if err != nil {
				return 0, err
			}
			made, err := t.s.deliveries.In(t.Tx).AddMaintenance(ctx, w.Now, accounts.Operator, w.ProjectID, settings)
			return made.ID, err
		},
		read: func(t Tx, projectID, number int64) (current, error) {
			have, err := t.s.deliveries.In(t.Tx).MaintenanceByID(ctx, projectID, number)
			return found(strconv.FormatInt(number, 10), have.Settings, err)
		},
	})
}

// found is what a store has under a number; what it does not have is gone.
func found(id string, settings any, err error) (current, error) {
	if sett.CodeOf(err) == sett.NotFound {
		return current{}, nil
	}
	return current{id, settings}, err
}
