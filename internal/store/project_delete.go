package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"

	"sett/internal/sett"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/uptimedb"
	"sett/internal/store/work"
)

// errLate says that a project that is being deleted got notices that were accepted before.
var errLate = errors.New("notices were recorded while their project was deleted")

const deletionOfProject work.Kind = "delete project"

// projectPieces is how many pieces of a deletion are done before the answer: all of a small project.
const projectPieces = 100

const hideProject = `-- store.hideProject
UPDATE projects SET active = false, deleting = true, disable_public_links = true WHERE id = $1 AND NOT deleting`

const (
	deleteProjectKeys = `-- store.deleteProjectKeys
DELETE FROM project_keys WHERE project_id = $1`
	leaveTeams = `-- store.leaveTeams
DELETE FROM team_projects WHERE project_id = $1`
	dropProjectWork = `-- store.dropProjectWork
DELETE FROM pending_work WHERE project_id = $1`
)

// DeleteProject deletes a project and everything in it, except its rows in the ledger. When it returns, no user sees the project, its keys
// are deleted, and closed was called, so that caches of keys drop them and no new data is accepted. The data is deleted in pieces: the
// first ones before it returns, the rest in the background. The error is NotFound if there is no such project.
func (s *Store) DeleteProject(ctx context.Context, projectID int64, closed func()) error {
	i, err := s.closeProject(ctx, projectID)
	if err != nil {
		return err
	}
	closed()
	_, err = s.Work.Begin(ctx, i, projectPieces, nil)
	return err
}

// closeProject hides a project, refuses what is sent to it, and adds the work that deletes it.
func (s *Store) closeProject(ctx context.Context, projectID int64) (i work.Item, err error) {
	err = s.inTx(ctx, "close project", func(t *tx) error {
		found, err := t.Changed(ctx, hideProject, projectID)
		if err == nil && found == 0 {
			err = sett.Errorf(sett.NotFound, "Project not found")
		}
		for _, statement := range []string{deleteProjectKeys, leaveTeams, dropProjectWork} {
			if err == nil {
				_, err = t.Exec(ctx, statement, projectID)
			}
		}
		if err == nil {
			i, err = t.work.Add(ctx, deletionOfProject, projectID, struct{}{})
		}
		return err
	})
	return i, err
}

// continueDeletion deletes what is left of a closed project.
func (s *Store) continueDeletion(ctx context.Context, i work.Item) error {
	defer s.Intake.ForgetSeen(i.ProjectID)
	for { // this ends: processes that still cache a key drop it within seconds
		if err := s.Intake.Flush(db.WithPace(ctx, nil)); err != nil { // otherwise pending counts would be written after the sweep
			return err
		}
		if err := s.sweepProject(ctx, i.ProjectID); !errors.Is(err, errLate) {
			return err
		}
	}
}

// sweepProject deletes the data of a closed project, then the project. Blocks are dropped first, so that their notices need not be marked as
// deleted, and once more when there are no notices to make blocks of. Buckets are deleted while their faults still exist, which say to
// what project they belong. A fault is deleted only when it has no notices, so that none of its buckets is left.
func (s *Store) sweepProject(ctx context.Context, projectID int64) error {
	for _, part := range []func(context.Context, int64) error{
		s.sweepProjectSites, s.Uptime.SweepProjectCheckIns, s.Deliveries.SweepAlerts, s.SourceMaps.SweepProject, s.Attachments.SweepProject, s.Insights.SweepProject, s.Alarms.SweepProject, s.Repos.SweepProject, s.Releases.SweepProject, s.sweepGoing, s.Faults.SplitAll, s.sweepBlocks, s.sweepNotices, s.sweepBlocks, s.sweepBuckets, s.sweepBacktraces, s.sweepFaults, s.sweepRows, s.deleteEmptyProject,
	} {
		if err := part(ctx, projectID); err != nil {
			return err
		}
	}
	if s.SQLite() {
		return nil
	}
	return s.sweepBuckets(ctx, projectID) // counts that were added until the project was deleted; there are none after that
}

// How much one step of a deletion handles, like db.RowsAtOnce.
const (
	faultsAtOnce  = 200
	bucketsAtOnce = 5_000 // rows read; all of them may belong to the project
)

// sweepGoing completes the pending deletions of faults: only their tombstones know which notices and counts are left.
func (s *Store) sweepGoing(ctx context.Context, projectID int64) error {
	for {
		if more, err := s.Faults.SweepDeleted(ctx, projectID); err != nil || !more {
			return err
		}
	}
}

const nextFaults = `-- store.nextFaults
SELECT created_at, id FROM faults WHERE project_id = $1 AND (created_at, id) > ($2, $3)
ORDER BY created_at, id LIMIT 1 OFFSET $4`

const sweepFaultNotices = `-- store.sweepNotices
DELETE FROM fault_notices WHERE (fault_id, id) IN (SELECT n.fault_id, n.id FROM faults f JOIN fault_notices n ON n.fault_id = f.id
    WHERE f.project_id = $1 AND (f.created_at, f.id) > ($2, $3) AND (f.created_at, f.id) <= ($4, $5) LIMIT $6) RETURNING id`

const sweepFaultUsers = `-- store.sweepUsers
DELETE FROM fault_users WHERE (fault_id, name) IN (SELECT u.fault_id, u.name FROM faults f JOIN fault_users u ON u.fault_id = f.id
    WHERE f.project_id = $1 AND (f.created_at, f.id) > ($2, $3) AND (f.created_at, f.id) <= ($4, $5) LIMIT $6)`

// sweepNotices deletes the notices, tokens and users of a project's faults, some faults at a time.
func (s *Store) sweepNotices(ctx context.Context, projectID int64) error {
	var from, to struct{ created, id int64 }
	for to.id != math.MaxInt64 {
		row := s.Read.QueryRowContext(ctx, s.Text(nextFaults), projectID, from.created, from.id, faultsAtOnce-1)
		if err := row.Scan(&to.created, &to.id); errors.Is(err, sql.ErrNoRows) {
			to.created, to.id = math.MaxInt64, math.MaxInt64
		} else if err != nil {
			return fmt.Errorf("find faults of project: %w", err)
		}
		faults := []any{projectID, from.created, from.id, to.created, to.id, db.RowsAtOnce}
		err := s.sweep(ctx, "delete notices", db.RowsAtOnce, func(t *tx) (int64, error) {
			return t.fault.RemoveNotices(ctx, sweepFaultNotices, faults...)
		})
		if err != nil {
			return err
		}
		err = s.sweep(ctx, "delete users of faults", db.RowsAtOnce, func(t *tx) (int64, error) {
			return t.Changed(ctx, sweepFaultUsers, faults...)
		})
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

const nextFaultBucket = `-- store.nextFaultBucket
SELECT at, fault_id FROM fault_buckets WHERE width = $1 AND (at, fault_id) > ($2, $3) ORDER BY at, fault_id LIMIT 1 OFFSET $4`

const sweepFaultBuckets = `-- store.sweepFaultBuckets
DELETE FROM fault_buckets WHERE width = $1 AND (at, fault_id) > ($2, $3) AND (at, fault_id) <= ($4, $5)
AND EXISTS (SELECT 1 FROM faults f WHERE f.id = fault_buckets.fault_id AND f.project_id = $6)`

const nextProjectBucket = `-- store.nextProjectBucket
SELECT at, project_id, environment FROM project_buckets WHERE width = $1 AND (at, project_id, environment) > ($2, $3, $4)
ORDER BY at, project_id, environment LIMIT 1 OFFSET $5`

const sweepProjectBuckets = `-- store.sweepProjectBuckets
DELETE FROM project_buckets WHERE width = $1 AND (at, project_id, environment) > ($2, $3, $4) AND (at, project_id, environment) <= ($5, $6, $7)
AND project_id = $8`

const nextNamedBucket = `-- store.nextNamedBucket
SELECT at, project_id, environment, name FROM named_buckets WHERE kind = $1 AND (at, project_id, environment, name) > ($2, $3, $4, $5)
ORDER BY at, project_id, environment, name LIMIT 1 OFFSET $6`

const sweepNamedBuckets = `-- store.sweepNamedBuckets
DELETE FROM named_buckets WHERE kind = $1 AND (at, project_id, environment, name) > ($2, $3, $4, $5) AND (at, project_id, environment, name) <= ($6, $7, $8, $9)
AND project_id = $10`

// bucketKey is the position of a bucket in its series: its time, and what distinguishes it from others of the same time. An hour may have more
// buckets than a step may read.
type bucketKey []any

// sweepBuckets deletes the buckets of a project. They are sorted by time and not by project, so it reads all of them, some in each step.
func (s *Store) sweepBuckets(ctx context.Context, projectID int64) error {
	widths := []any{int64(faultdb.Minute), int64(faultdb.Hour), int64(faultdb.Day)}
	kinds := []any{faultdb.OfClass, faultdb.OfLocation, faultdb.OfUser}
	for _, table := range []struct {
		next, sweep string
		series      []any
		before      bucketKey // all others
	}{
		{nextFaultBucket, sweepFaultBuckets, widths, bucketKey{int64(-1), int64(0)}},
		{nextProjectBucket, sweepProjectBuckets, widths, bucketKey{int64(-1), int64(0), ""}},
		{nextNamedBucket, sweepNamedBuckets, kinds, bucketKey{int64(-1), int64(0), "", ""}},
	} {
		for _, series := range table.series {
			if err := s.sweepSeries(ctx, projectID, table.next, table.sweep, series, table.before); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) sweepSeries(ctx context.Context, projectID int64, next, sweep string, series any, from bucketKey) error {
	for more := true; more; {
		var to bucketKey
		var err error
		if to, more, err = s.nextBucket(ctx, next, series, from); err != nil {
			return fmt.Errorf("find buckets: %w", err)
		}
		err = s.inTx(ctx, "delete buckets", func(t *tx) error {
			_, err := t.Exec(ctx, sweep, slices.Concat([]any{series}, from, to, []any{projectID})...)
			return err
		})
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// nextBucket returns the last bucket of a step that begins after another, or a key after all if it is the last step.
func (s *Store) nextBucket(ctx context.Context, next string, series any, from bucketKey) (to bucketKey, more bool, err error) {
	to = slices.Clone(from)
	into := make([]any, len(to))
	for i := range to {
		into[i] = &to[i]
	}
	err = s.Read.QueryRowContext(ctx, s.Text(next), slices.Concat([]any{series}, from, []any{bucketsAtOnce - 1})...).Scan(into...)
	if errors.Is(err, sql.ErrNoRows) {
		to[0] = int64(math.MaxInt64)
		return to, false, nil
	}
	return to, true, err
}

// Rows that go with the project's, when they are few.
var manyRows = []struct{ what, statement string }{
	{"deploys", `-- store.sweepDeploys
DELETE FROM deploys WHERE id IN (SELECT id FROM deploys WHERE project_id = $1 LIMIT $2)`},
	{"feedback that waits", `-- store.sweepWaiting
DELETE FROM waiting_feedback WHERE id IN (SELECT id FROM waiting_feedback WHERE project_id = $1 LIMIT $2)`},
	{"where errors came from", `-- store.sweepImported
DELETE FROM imported WHERE (source, host, kind, source_id) IN (SELECT source, host, kind, source_id FROM imported WHERE project_id = $1 LIMIT $2)`},
	{"followers of errors", `-- store.sweepFollowers
DELETE FROM fault_followers WHERE (fault_id, user_id) IN (SELECT fault_id, user_id FROM fault_followers WHERE project_id = $1 LIMIT $2)`},
	{"messages of errors", `-- store.sweepMessages
DELETE FROM fault_messages WHERE (project_id, part_id, cause, key) IN (
    SELECT project_id, part_id, cause, key FROM fault_messages WHERE project_id = $1 LIMIT $2)`},
	{"discarded events", `-- store.sweepDiscards
DELETE FROM discards WHERE (project_id, day, source, category, reason) IN (
    SELECT project_id, day, source, category, reason FROM discards WHERE project_id = $1 LIMIT $2)`},
	{"removed values", `-- store.sweepScrubbed
DELETE FROM scrubbed WHERE (project_id, day, kind) IN (SELECT project_id, day, kind FROM scrubbed WHERE project_id = $1 LIMIT $2)`},
}

// sweepRows deletes what may be too much to go with the project's own row.
func (s *Store) sweepRows(ctx context.Context, projectID int64) error {
	for _, rows := range manyRows {
		err := s.sweep(ctx, "delete "+rows.what, db.RowsAtOnce, func(t *tx) (int64, error) {
			return t.Changed(ctx, rows.statement, projectID, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const sweepProjectBacktraces = `-- store.sweepBacktraces
DELETE FROM backtraces WHERE id IN (SELECT id FROM backtraces WHERE project_id = $1 LIMIT $2)`

func (s *Store) sweepBacktraces(ctx context.Context, projectID int64) error {
	return s.sweep(ctx, "delete backtraces", db.RowsAtOnce, func(t *tx) (int64, error) {
		return t.Changed(ctx, sweepProjectBacktraces, projectID, db.RowsAtOnce)
	})
}

const sweepProjectFaults = `-- store.sweepFaults
DELETE FROM faults WHERE id IN (SELECT id FROM faults WHERE project_id = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT $4)
RETURNING created_at, id`

const sweepFaultCounts = `-- store.sweepFaultCounts
DELETE FROM fault_counts WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const lateNotices = `-- store.lateNotices
SELECT n.id FROM {{rows k(id bigint)}} JOIN fault_notices n ON n.fault_id = k.id LIMIT 1`

const sweepComments = `-- store.sweepComments
DELETE FROM comments WHERE id IN (SELECT c.id FROM (SELECT id FROM faults WHERE project_id = $1 AND (created_at, id) > ($2, $3)
    ORDER BY created_at, id LIMIT $4) f JOIN comments c ON c.fault_id = f.id LIMIT $5)`

// createdFault is the place of a fault among those of its project.
type createdFault struct{ at, id int64 }

// sweepFaults deletes the faults of a project. Each step begins where the last one ended: PostgreSQL would read over all rows that are
// deleted already.
func (s *Store) sweepFaults(ctx context.Context, projectID int64) error {
	var from createdFault
	for more := true; more; {
		to := from
		err := s.inTx(ctx, "delete faults", func(t *tx) (err error) {
			to, more, err = s.sweepSomeFaults(ctx, t, projectID, from)
			return err
		})
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// sweepSomeFaults deletes the faults of a step, and their histories before that, which may be long. It returns the last fault, and whether there
// may be more. It deletes counts in the same transaction, before it looks for notices: a batch that changes a count locks its row, so it is
// either visible here, or finds its fault deleted and is retried.
func (s *Store) sweepSomeFaults(ctx context.Context, t *tx, projectID int64, from createdFault) (to createdFault, more bool, err error) {
	n, err := t.Changed(ctx, sweepComments, projectID, from.at, from.id, faultsAtOnce, db.RowsAtOnce)
	if err != nil || n == db.RowsAtOnce {
		return from, true, err
	}
	to = from
	var ids []int64
	rows, err := t.QueryContext(ctx, s.Text(sweepProjectFaults), projectID, from.at, from.id, faultsAtOnce)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var f createdFault
		err := rows.Scan(&f.at, &f.id)
		if ids = append(ids, f.id); cmp.Or(cmp.Compare(f.at, to.at), cmp.Compare(f.id, to.id)) > 0 {
			to = f
		}
		return err
	})
	if err != nil {
		return from, false, err
	}
	if err := t.Each(ctx, sweepFaultCounts, ids); err != nil {
		return from, false, err
	}
	return to, len(ids) == faultsAtOnce, t.EachRow(ctx, lateNotices, func(*sql.Rows) error { return errLate }, ids)
}

const lateFaults = `-- store.lateFaults
SELECT count(*) FROM faults WHERE project_id = $1`

const deleteProject = `-- store.deleteProject
DELETE FROM projects WHERE id = $1`

// sweepProjectSites deletes the sites of a project. Their checks are work of their own.
func (s *Store) sweepProjectSites(ctx context.Context, projectID int64) error {
	return s.sweep(ctx, "delete sites", uptimedb.SitesAtOnce, func(t *tx) (int64, error) {
		n, i, err := t.uptime.DeleteProjectSites(ctx, projectID)
		if err == nil && n > 0 {
			err = t.work.Leave(ctx, i)
		}
		return n, err
	})
}

// deleteEmptyProject deletes a project that has no faults, and sites that were created meanwhile. Locking its row prevents the creation
// of faults.
func (s *Store) deleteEmptyProject(ctx context.Context, projectID int64) error {
	return s.inTx(ctx, "delete project", func(t *tx) error {
		var faults int64
		if _, err := s.ListIDs(ctx, t, accountdb.LockProject, projectID); err != nil {
			return err
		}
		if err := t.QueryRowContext(ctx, s.Text(lateFaults), projectID).Scan(&faults); err != nil {
			return err
		}
		if sites, _, err := t.uptime.DeleteProjectSites(ctx, projectID); err != nil {
			return err
		} else if faults > 0 || sites == uptimedb.SitesAtOnce {
			return errLate
		}
		_, err := t.Exec(ctx, deleteProject, projectID)
		return err
	})
}
