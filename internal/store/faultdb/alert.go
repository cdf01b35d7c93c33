package faultdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// raiseChange raises alerts about a user's change to a fault.
func (t Tx) raiseChange(ctx context.Context, now time.Time, userID int64, about faults.Fault, before, after changingFault) error {
	var raised []alerts.Alert
	for _, event := range before.Raises(after.FaultState) {
		raised = append(raised, about.Alert(event, now, alerts.AlertFacts{}))
	}
	if after.assigned != nil && after.assignee != before.assignee {
		raised = append(raised, about.Alert(alerts.AlertAssigned, now, alerts.AlertFacts{Assignee: after.assigned}))
		if err := t.nameTeam(ctx, &raised[len(raised)-1].Facts); err != nil {
			return err
		}
	}
	return t.raiseBy(ctx, now, userID, raised)
}

const membersOfTeam = `-- faultdb.membersOfTeam
SELECT user_id FROM team_members WHERE team_id = $1 ORDER BY user_id`

// nameTeam adds the members of the team that an assignment names.
func (t Tx) nameTeam(ctx context.Context, facts *alerts.AlertFacts) (err error) {
	if facts.Assignee.IsTeam() {
		facts.Team, err = t.s.db.ListIDs(ctx, t, membersOfTeam, -facts.Assignee.ID)
	}
	return db.Wrap("read members of team", err)
}

// raiseResolved raises an alert that a user has resolved several faults in one step, and closes their issues and pages.
func (t Tx) raiseResolved(ctx context.Context, now time.Time, userID int64, open []faults.Fault) error {
	raised := faults.BulkAlerts(alerts.AlertResolved, now, open, alerts.AlertFacts{})
	if len(open) > 1 {
		ids := make([]int64, len(open))
		for i, f := range open {
			ids[i] = f.ID
		}
		var together []int64 // the others have an alert of their own, which on-call services know
		for _, a := range raised {
			together = append(together, a.Facts.FaultIDs...)
		}
		closing, err := t.closing(ctx, now, ids, together, alerts.AlertFacts{})
		if err != nil {
			return err
		}
		raised = append(raised, closing...)
	}
	return t.raiseBy(ctx, now, userID, raised)
}

// raiseBy raises alerts about an action of a user.
func (t Tx) raiseBy(ctx context.Context, now time.Time, userID int64, alerts []alerts.Alert) error {
	if len(alerts) == 0 {
		return nil
	}
	found, err := t.people(ctx, actor, userID)
	if err != nil {
		return err
	}
	for i := range alerts {
		if len(found) > 0 { // the user may have been deleted since
			alerts[i].Facts.Actor = &found[0]
		}
	}
	return t.outbox().Raise(ctx, now, alerts...)
}

const actor = `-- faultdb.actor
SELECT u.id, u.email, u.name FROM users u WHERE u.id = $1`

// watchers selects the users who can see a project.
const watchers = `-- faultdb.watchers
SELECT u.id, u.email, u.name FROM projects p JOIN memberships m ON m.account_id = p.account_id JOIN users u ON u.id = m.user_id
WHERE p.id = $1 AND ` + accountdb.SeenBy

// people runs a statement that returns users.
func (t Tx) people(ctx context.Context, statement string, args ...any) (found []sett.Person, err error) {
	rows, err := t.QueryContext(ctx, t.s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var p sett.Person
		err := rows.Scan(&p.ID, &p.Email, &p.Name)
		found = append(found, p)
		return err
	})
	return found, db.Wrap("find people", err)
}

// faultsNotified runs a statement that returns the fields of the faults with those ids that alerts need.
func (t Tx) faultsNotified(ctx context.Context, statement string, ids []int64) (open []faults.Fault, err error) {
	err = t.EachRow(ctx, statement, func(rows *sql.Rows) error {
		var f faults.Fault
		err := rows.Scan(&f.ID, &f.ProjectID, &f.Environment)
		open = append(open, f)
		return err
	}, ids)
	return open, db.Wrap("find faults", err)
}

const faultsByIDs = `-- faultdb.faultsByIDs
SELECT f.id, f.project_id, f.environment FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id`
