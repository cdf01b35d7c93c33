package faultdb

import (
	"context"
	"database/sql"
	"slices"

	"sett/internal/sett"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// identityOf lists the columns that say what a fault is.
func identityOf(f *faults.Fault) db.Columns {
	return db.Columns{
		db.At("project_id", &f.ProjectID),
		db.At("environment", &f.Environment),
		db.At("class", &f.Class),
		db.At("component", &f.Component),
		db.At("action", &f.Action),
		db.At("message", &f.Message),
		db.At("tags", db.TextIn(&f.Tags, faults.SplitLines, faults.JoinLines)),
		db.At("grouping_inputs", &f.Grouping),
		db.At("created_at", db.TimeIn(&f.CreatedAt)),
	}
}

// stateOf lists the columns that people and recurrences change. The last is the number of notices that a pause waits for, which a merge
// changes.
func stateOf(s *faults.FaultState) db.Columns {
	return db.Columns{
		db.At("resolved", &s.Resolved),
		db.At("ignored", &s.Ignored),
		db.At("resolve_on_deploy", &s.ResolveOnDeploy),
		db.At("resolved_in", &s.ResolvedIn),
		db.At("paused_until", db.TimeIn(&s.PausedUntil)),
		db.At("paused_count", &s.PausedCount),
	}
}

// For names of columns.
var (
	anIdentity = identityOf(&faults.Fault{})
	aState     = stateOf(&faults.FaultState{})
	merged     = slices.Concat(anIdentity, aState[:len(aState)-1]) // that are the same in a fault and in a part of another
)

// Columns are the columns that Scanner reads: f is the fault, c its counts, u its assignee, who may be missing or a team.
var Columns = anIdentity.Of("f") + ", " + aState.Of("f") + ", f.id, f.comments_count, c.notices_count, c.last_notice_at, f.assignee_id, u.email, coalesce(u.name, (SELECT a.name FROM teams a WHERE a.id = -f.assignee_id))"

var faultByID = `-- faultdb.FaultByID
SELECT ` + Columns + `
FROM faults f JOIN fault_counts c ON c.fault_id = f.id LEFT JOIN users u ON u.id = f.assignee_id
WHERE f.project_id = $1 AND f.id = $2`

// FaultByID returns a fault of a project, or a NotFound error.
func (s *Store) FaultByID(ctx context.Context, projectID, faultID int64) (faults.Fault, error) {
	return s.ReadFault(ctx, s.db.Read, projectID, faultID)
}

// ReadFault is FaultByID in a snapshot.
func (s *Store) ReadFault(ctx context.Context, q db.Querier, projectID, faultID int64) (faults.Fault, error) {
	f, err := Scanner()(q.QueryRowContext(ctx, s.db.Text(faultByID), projectID, faultID))
	return f, db.NotFound(err, "Fault", "find fault")
}

// FaultsByID returns those of some faults that a project has, the last seen first.
func (s *Store) FaultsByID(ctx context.Context, projectID int64, faults []int64) (found []faults.Fault, err error) {
	if len(faults) == 0 {
		return nil, nil
	}
	list, args := db.In(s.db, 2, faults)
	found, err = s.faultRows(ctx, s.db.Read, faultsByReason+list+lastFaultsFirst, append([]any{projectID}, args...)...)
	return found, db.Wrap("find faults", err)
}

const faultExists = `-- faultdb.checkFault
SELECT id FROM faults WHERE project_id = $1 AND id = $2`

// checkFault returns a NotFound error unless the project has the fault.
func (s *Store) checkFault(ctx context.Context, q db.Querier, projectID, faultID int64) error {
	var id int64
	err := q.QueryRowContext(ctx, s.db.Text(faultExists), projectID, faultID).Scan(&id)
	return db.NotFound(err, "Fault", "find fault")
}

// Scanner returns a function that reads a row of Columns, and the columns after them into more.
func Scanner(more ...any) func(db.Row) (faults.Fault, error) {
	var f faults.Fault
	var assignee sql.NullInt64
	var email, name sql.NullString
	columns := slices.Concat(identityOf(&f), stateOf(&f.FaultState))
	rest := []any{&f.ID, &f.CommentsCount, &f.NoticesCount, db.TimeIn(&f.LastNoticeAt), &assignee, &email, &name}
	into := slices.Concat(columns.Into(), rest, more)
	return func(row db.Row) (faults.Fault, error) {
		if err := row.Scan(into...); err != nil {
			return faults.Fault{}, err
		}
		f.Assignee = nil
		if assignee.Valid && name.Valid {
			f.Assignee = &sett.Person{ID: assignee.Int64, Email: email.String, Name: name.String}
		}
		return f, nil
	}
}
