package uptimedb

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

var checkInBySlug = checkInsOf + " AND c.slug = $2 {{for update}}"

// PutCheckIn makes the settings of the check-in with the slug of a change what the change says; if there is none yet, it is created, with
// its slug as name unless that is the name of another. The type of a schedule never changes. The error is NotFound if there is no such
// project; otherwise see CreateCheckIn.
func (s *Store) PutCheckIn(ctx context.Context, now time.Time, projectID int64, change checks.CheckInChange) error {
	return s.inTx(ctx, "put check-in", func(t Tx) error {
		t.KeepsCaches = true
		if err := t.holdCheckIns(ctx, projectID); err != nil {
			return err
		}
		found, err := s.checkIns(ctx, t, checkInBySlug, projectID, change.Slug.Value)
		if err != nil {
			return err
		}
		if err := t.forgetRefused(ctx, projectID, change.Slug.Value); err != nil {
			return err
		}
		if len(found) == 0 {
			return t.createPut(ctx, now, projectID, change)
		}
		return t.editPut(ctx, now, projectID, found[0], change)
	})
}

// createPut creates the check-in of a change.
func (t Tx) createPut(ctx context.Context, now time.Time, projectID int64, change checks.CheckInChange) error {
	settings, err := change.Create()
	if err != nil {
		return err
	}
	settings.Name = settings.Slug
	var taken bool
	if err := t.QueryRowContext(ctx, t.s.db.Text(checkInNameTaken), projectID, settings.Name, "").Scan(&taken); err != nil {
		return fmt.Errorf("look for name of check-in: %w", err)
	}
	if taken {
		settings.Name = ""
	}
	_, err = t.createCheckIn(ctx, now, projectID, settings)
	return err
}

// editPut changes a check-in if that changes anything.
func (t Tx) editPut(ctx context.Context, now time.Time, projectID int64, c storedCheckIn, change checks.CheckInChange) error {
	want, err := change.Update(c.CheckInSettings)
	if err != nil || want == c.CheckInSettings {
		return err
	}
	before := c.State
	events, err := t.editCheckIn(ctx, now, &c, want)
	if err != nil {
		return err
	}
	w := checkInWrites{Now: now}
	w.add(before, c, events)
	if err := w.write(ctx, t); err != nil {
		return err
	}
	return t.status().BumpShowing(ctx, statusdb.PagesOfCheckIn, projectID, c.ID)
}

// createCheckIn creates a check-in in a project that is held.
func (t Tx) createCheckIn(ctx context.Context, now time.Time, projectID int64, settings checks.CheckInSettings) (c checks.CheckIn, err error) {
	var n int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(countCheckIns), projectID, faults.MostCheckIns).Scan(&n); err != nil {
		return c, db.Wrap("count check-ins", err)
	}
	if n >= faults.MostCheckIns {
		return c, sett.Errorf(sett.Conflict, "%s", tooManyCheckIns)
	}
	c = checks.NewCheckIn(db.RandomOf(ctx), projectID, settings, now)
	return c, t.insertCheckIn(ctx, c)
}
