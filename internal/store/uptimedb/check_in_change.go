package uptimedb

import (
	"context"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

// changeCheckIn lets change modify a check-in of a project and stores the result.
func (s *Store) changeCheckIn(ctx context.Context, now time.Time, what string, projectID int64, id string, change func(Tx, *storedCheckIn) ([]checks.CheckInEvent, error)) error {
	return s.inTx(ctx, what, func(t Tx) error {
		t.KeepsCaches = true
		return t.changeCheckIn(ctx, now, projectID, id, change)
	})
}

func (t Tx) changeCheckIn(ctx context.Context, now time.Time, projectID int64, id string, change func(Tx, *storedCheckIn) ([]checks.CheckInEvent, error)) error {
	if err := t.holdCheckIns(ctx, projectID); err != nil {
		return err
	}
	c, err := checkInScanner()(t.QueryRowContext(ctx, t.s.db.Text(lockCheckIn), projectID, id))
	if err != nil {
		return db.NotFound(err, "Check-in", "read check-in")
	}
	before := c.State
	events, err := change(t, &c)
	if err != nil {
		return err
	}
	w := checkInWrites{Now: now}
	w.add(before, c, events)
	return w.write(ctx, t)
}

// UpdateCheckIn applies a change to a check-in. The error is NotFound if the project has no such check-in; otherwise see CreateCheckIn.
func (s *Store) UpdateCheckIn(ctx context.Context, now time.Time, projectID int64, id string, change checks.CheckInChange) error {
	return s.inTx(ctx, "update check-in", func(t Tx) error {
		t.KeepsCaches = true
		return t.ChangeCheckIn(ctx, now, projectID, id, change)
	})
}

// ChangeCheckIn is UpdateCheckIn in a transaction.
func (t Tx) ChangeCheckIn(ctx context.Context, now time.Time, projectID int64, id string, change checks.CheckInChange) error {
	return t.changeCheckIn(ctx, now, projectID, id, func(t Tx, c *storedCheckIn) ([]checks.CheckInEvent, error) {
		want, err := change.Update(c.CheckInSettings)
		if err != nil {
			return nil, err
		}
		if err := t.checkInTaken(ctx, projectID, id, want); err != nil {
			return nil, err
		}
		events, err := t.editCheckIn(ctx, now, c, want)
		if err != nil {
			return nil, err
		}
		return events, t.status().BumpShowing(ctx, statusdb.PagesOfCheckIn, projectID, id)
	})
}

var writeCheckInSettings = "-- uptimedb.writeCheckInSettings\nUPDATE check_ins SET " + aCheckIn.settings().Set(2) + " WHERE number = $1"

// editCheckIn changes the settings of a check-in; the caller writes the resulting state.
func (t Tx) editCheckIn(ctx context.Context, now time.Time, c *storedCheckIn, want checks.CheckInSettings) (events []checks.CheckInEvent, err error) {
	c.CheckIn, events = c.Edit(want, now)
	_, err = t.Exec(ctx, writeCheckInSettings, c.settings().Values(c.number)...)
	return events, err
}

// PauseCheckIn pauses a check-in until a time. The error is NotFound if the project has no such check-in.
func (s *Store) PauseCheckIn(ctx context.Context, now time.Time, projectID int64, id string, until time.Time) error {
	return s.changeCheckIn(ctx, now, "pause check-in", projectID, id, func(_ Tx, c *storedCheckIn) (events []checks.CheckInEvent, err error) {
		c.CheckIn, events = c.Pause(now, until)
		return events, nil
	})
}

// UnpauseCheckIn ends the pause of a check-in, if it has one. The error is NotFound if the project has no such check-in.
func (s *Store) UnpauseCheckIn(ctx context.Context, now time.Time, projectID int64, id string) error {
	return s.changeCheckIn(ctx, now, "unpause check-in", projectID, id, func(_ Tx, c *storedCheckIn) (events []checks.CheckInEvent, err error) {
		c.CheckIn, events = c.Unpause(now)
		return events, nil
	})
}
