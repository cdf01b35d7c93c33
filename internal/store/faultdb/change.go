package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store/db"
)

// changingFault is a fault during a change by a user.
type changingFault struct {
	faults.FaultState
	environment string
	assignee    sql.NullInt64
	assigned    *sett.Person // in this change
	notices     int64
	until       triage.PauseUntil // that a pause of this change waits for
	tags        []string          // set only by readStates
	lastNotice  int64             // in µs; likewise
}

var readState = "-- faultdb.readState\nSELECT " + aState.Of("f") + `, f.environment, f.assignee_id, (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = f.id)
FROM faults f WHERE f.project_id = $1 AND f.id = $2 {{for update}}`

var writeState = "-- faultdb.writeState\nUPDATE faults SET assignee_id = $3, " + aState.Set(4) + " WHERE project_id = $1 AND id = $2"

func (t Tx) writeState(ctx context.Context, projectID, faultID int64, f changingFault) error {
	_, err := t.Exec(ctx, writeState, stateOf(&f.FaultState).Values(projectID, faultID, f.assignee)...)
	return db.Wrap("write state of fault", err)
}

// changeFault lets change modify a fault of a project, stores the result, and records it in the fault's history as the user's action.
func (s *Store) changeFault(ctx context.Context, what string, now time.Time, userID, projectID, faultID int64, change func(Tx, *changingFault) error) error {
	return s.inTx(ctx, what, func(t Tx) error {
		f, err := t.readState(ctx, projectID, faultID)
		if err != nil {
			return err
		}
		before := f
		if err := change(t, &f); err != nil {
			return err
		}
		return t.writeChange(ctx, now, userID, projectID, faultID, before, f)
	})
}

// writeChange stores a user's change to a fault, with its history entries and alerts.
func (t Tx) writeChange(ctx context.Context, now time.Time, userID, projectID, faultID int64, before, f changingFault) error {
	if err := t.writePlain(ctx, now, userID, projectID, faultID, before, f); err != nil {
		return err
	}
	entries := before.History(f.FaultState, now, f.notices)
	for i, e := range entries {
		if e.Event == faults.PausedEvent && f.until != (triage.PauseUntil{}) {
			entries[i] = f.until.PausedEntry(f.PausedUntil)
		}
	}
	if f.assignee != before.assignee {
		entries = append(entries, faults.AssignedEntry(f.assigned.Called()))
	}
	if f.assignee != before.assignee && f.assigned != nil {
		if err := t.involve(ctx, now, projectID, []int64{faultID}, f.assigned.ID); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := t.addEntry(ctx, now, userID, e, faultID); err != nil {
			return err
		}
	}
	return nil
}

// writePlain is writeChange without history entries.
func (t Tx) writePlain(ctx context.Context, now time.Time, userID, projectID, faultID int64, before, f changingFault) error {
	err := t.writeState(ctx, projectID, faultID, f)
	if err != nil {
		return err
	}
	end, ends := before.EndOfPause(f.FaultState, now, f.notices)
	if ends {
		err = t.Await(ctx, end, faultID)
	}
	if err == nil && (ends || f.until != (triage.PauseUntil{})) {
		err = t.awaitCondition(ctx, now, userID, faultID, f.until)
	}
	if err != nil {
		return err
	}
	about := faults.Fault{ID: faultID, ProjectID: projectID, Environment: f.environment}
	return t.raiseChange(ctx, now, userID, about, before, f)
}

func (t Tx) readState(ctx context.Context, projectID, faultID int64) (f changingFault, err error) {
	err = t.QueryRowContext(ctx, t.s.db.Text(readState), projectID, faultID).Scan(
		append(stateOf(&f.FaultState).Into(), &f.environment, &f.assignee, &f.notices)...)
	return f, db.NotFound(err, "Fault", "read state of fault")
}

// UpdateFault applies a user's change. The error is NotFound if the project has no such fault, and Invalid if the assignee cannot see the
// project.
func (s *Store) UpdateFault(ctx context.Context, now time.Time, userID, projectID, faultID int64, c faults.FaultChange) error {
	return s.changeFault(ctx, "update fault", now, userID, projectID, faultID, func(t Tx, f *changingFault) (err error) {
		was := f.FaultState
		if f.FaultState = f.Change(c); f.ResolvedIn != was.ResolvedIn {
			if err := s.checkRelease(ctx, t, projectID, f.ResolvedIn); err != nil {
				return err
			}
		}
		if !c.AssigneeID.Sent {
			return nil
		}
		f.assignee = sql.NullInt64{Int64: c.AssigneeID.Value, Valid: !c.AssigneeID.Null}
		if c.AssigneeID.Null {
			return nil
		}
		f.assigned, err = t.assignee(ctx, projectID, c.AssigneeID.Value)
		return err
	})
}

const watcher = watchers + " AND m.user_id = $2"

const assignableTeam = `-- faultdb.assignableTeam
SELECT -t.id, '', t.name FROM team_projects p JOIN teams t ON t.id = p.team_id WHERE p.project_id = $1 AND t.id = $2 {{for key share}}`

// assignee returns a user who can see the project, or, by its negative id, a team of the project. For other ids the error is Invalid, which does not reveal whether the user exists.
func (t Tx) assignee(ctx context.Context, projectID, userID int64) (*sett.Person, error) {
	found, err := t.people(ctx, watcher, projectID, userID)
	if userID < 0 {
		found, err = t.people(ctx, assignableTeam, projectID, -userID)
	}
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, sett.Refuse("assignee_id", "must be the id of a user who can see this project")
	}
	return &found[0], nil
}

// PauseFault silences recurrences of a fault for a time or a number of notices, or until it has so many more users or notices.
func (s *Store) PauseFault(ctx context.Context, now time.Time, userID, projectID, faultID int64, p faults.Pause) error {
	until, err := triage.UntilOf(p)
	if err != nil {
		return err
	}
	return s.changeFault(ctx, "pause fault", now, userID, projectID, faultID, func(_ Tx, f *changingFault) (err error) {
		f.until = until
		f.FaultState, err = p.Apply(f.FaultState, now, f.notices)
		return err
	})
}

// UnpauseFault ends the pause of a fault, if it has one.
func (s *Store) UnpauseFault(ctx context.Context, now time.Time, userID, projectID, faultID int64) error {
	return s.changeFault(ctx, "unpause fault", now, userID, projectID, faultID, func(_ Tx, f *changingFault) error {
		f.PausedUntil, f.PausedCount = time.Time{}, 0
		return nil
	})
}

const pausedFaults = `-- faultdb.pausedFaults
SELECT id FROM faults WHERE project_id = $1 AND (paused_until > $2
    OR paused_count > (SELECT c.notices_count FROM fault_counts c WHERE c.fault_id = faults.id)) ORDER BY id`

// UnpauseFaults ends the pauses of all faults of a project, as ChangeFaults does.
func (s *Store) UnpauseFaults(ctx context.Context, now time.Time, userID, projectID int64) error {
	paused, err := s.db.ListIDs(ctx, s.db.Read, pausedFaults, projectID, db.Micros(now))
	if err != nil {
		return s.db.Explain(db.Wrap("find paused faults", err))
	}
	unpause := triage.BulkChange{Action: sett.Some(string(triage.BulkUnpause))}
	_, err = s.ChangeFaults(ctx, now, userID, projectID, Chosen{IDs: paused}, unpause)
	return err
}
