package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const (
	assignFaults = `-- faultdb.assignFaults
UPDATE faults SET assignee_id = k.assignee_id FROM {{rows k(id bigint, assignee_id bigint)}} WHERE faults.id = k.id`
	unassignFaults = `-- faultdb.unassignFaults
UPDATE faults SET assignee_id = NULL WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`
)

// assignLot assigns some faults to a user, or unassigns them if to is nil, and adds this to their histories.
func (t Tx) assignLot(ctx context.Context, now time.Time, userID, projectID int64, ids []int64, to *sett.Person) error {
	statement, columns := unassignFaults, []any{ids}
	if to != nil {
		statement, columns = assignFaults, []any{ids, db.Repeated(to.ID, len(ids))}
	}
	if err := t.Each(ctx, statement, columns...); err != nil {
		return db.Wrap("assign faults", err)
	}
	if to != nil {
		if err := t.involve(ctx, now, projectID, ids, to.ID); err != nil {
			return err
		}
	}
	return t.addEntry(ctx, now, userID, faults.AssignedEntry(to.Called()), ids...)
}

// assigned returns some faults as alerts name them.
func assigned(projectID int64, ids []int64, found map[int64]changingFault) (open []faults.Fault) {
	for _, id := range ids {
		open = append(open, faults.Fault{ID: id, ProjectID: projectID, Environment: found[id].environment})
	}
	return open
}

// raiseAssigned raises the one alert for all faults that a bulk change has assigned.
func (t Tx) raiseAssigned(ctx context.Context, projectID int64, m *manyChange) error {
	if m.Change.AssigneeID.Null || m.Count == 0 {
		return nil
	}
	to, err := t.assignee(ctx, projectID, m.Change.AssigneeID.Value)
	if err != nil {
		return err
	}
	alert := faults.AssignedAlert(m.at(), m.announced(projectID), to)
	if err := t.nameTeam(ctx, &alert.Facts); err != nil {
		return err
	}
	if m.Count > 1 {
		alert.Facts.FaultsCount = m.Count
	}
	return t.raiseBy(ctx, m.at(), m.UserID, []alerts.Alert{alert})
}

// A fault that was ever assigned or unassigned stays as that left it.
const assignOwner = `-- faultdb.assignOwner
UPDATE faults SET assignee_id = $3 WHERE id = (SELECT coalesce((SELECT m.into_id FROM merged_faults m WHERE m.id = $2), $2)) AND project_id = $1
AND assignee_id IS NULL AND NOT EXISTS (SELECT 1 FROM comments c WHERE c.fault_id = faults.id AND c.event IN ('assigned', 'unassigned'))
RETURNING id, environment`

// AssignOwner assigns a fault to the user whom the ownership rules name, or the CODEOWNERS file of a repository, and raises an alert, unless the fault
// is or was assigned.
func (t Tx) AssignOwner(ctx context.Context, now time.Time, projectID, faultID int64, to sett.Person, repository string) error {
	var f *faults.Fault
	rows, err := t.QueryContext(ctx, t.s.db.Text(assignOwner), projectID, faultID, to.ID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		f = &faults.Fault{ProjectID: projectID}
		return rows.Scan(&f.ID, &f.Environment)
	})
	if err != nil || f == nil {
		return db.Wrap("assign owner", err)
	}
	if err := t.addEntry(ctx, now, 0, faults.OwnedEntry(to.Called(), repository), f.ID); err != nil {
		return err
	}
	if err := t.involve(ctx, now, projectID, []int64{f.ID}, to.ID); err != nil {
		return err
	}
	a := faults.AssignedAlert(now, []faults.Fault{*f}, &to)
	a.Facts.ByRule = true
	if err := t.nameTeam(ctx, &a.Facts); err != nil {
		return err
	}
	return t.outbox().Raise(ctx, now, a)
}

// AssigneesOf selects what faults.assignee_id is of the faults that are assigned to the user $1 or to a team of theirs. There, the ids of teams are
// below zero, so that one column says who has a fault.
const AssigneesOf = `(SELECT CAST($1 AS bigint) UNION ALL SELECT -w.team_id FROM team_members w WHERE w.user_id = $1)`

const assigneesOf = "-- faultdb.assigneesOf\nSELECT * FROM " + AssigneesOf + " AS mine"

// ReadAssignees returns the ids that AssigneesOf selects.
func (s *Store) ReadAssignees(ctx context.Context, q db.Querier, userID int64) ([]int64, error) {
	ids, err := s.db.ListIDs(ctx, q, assigneesOf, userID)
	return ids, db.Wrap("read teams of user", err)
}
