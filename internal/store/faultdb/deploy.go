package faultdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
	"sett/internal/store/repodb"
	"sett/internal/store/work"
)

const insertDeploy = `-- faultdb.RecordDeploy
INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at)
SELECT p.id, $2, $3, $4, $5, $6 FROM projects p WHERE p.id = $1 RETURNING id`

// resolvesOnDeploy holds for a fault f of a project p that a deploy resolves, which named one environment and is recorded for another.
const resolvesOnDeploy = `NOT f.resolved AND (f.resolve_on_deploy AND (%[1]s = '' OR f.environment IN (%[1]s, %[2]s)) OR
    p.resolve_errors_on_deploy AND (%[1]s = '' OR f.environment = %[1]s))`

// resolving resolves those of some faults that are not. A deploy need not do it then.
const resolving = "UPDATE faults SET resolved = true, resolve_on_deploy = false, resolved_in = '' WHERE NOT resolved AND id IN "

var deployedFaults = fmt.Sprintf(`-- faultdb.deployedFaults
SELECT f.id FROM projects p JOIN faults f ON f.project_id = p.id WHERE p.id = $1 AND `+resolvesOnDeploy+` ORDER BY f.id`, "$2", "$3")

var resolveOnDeploy = fmt.Sprintf("-- faultdb.resolveOnDeploy\n"+resolving+`(
    SELECT f.id FROM {{rows k(id bigint, project_id bigint, environment text, recorded text)}} JOIN projects p ON p.id = k.project_id
    JOIN faults f ON f.id = k.id AND f.project_id = p.id WHERE `+resolvesOnDeploy+`) RETURNING id`, "k.environment", "k.recorded")

// RecordDeploy stores a deploy of a project and returns its id. It creates the deploy's environment if that is new; if the project has no
// room for it, the deploy is recorded for faults.OtherEnvironment. A deploy without a time gets the current time. It resolves the faults
// of the deploy's environment that wait for the next deploy, and, if the project is set up so, all its open faults – of every
// environment if it names none; if they are many, some of them in the background. The error is NotFound if there is no such project.
func (s *Store) RecordDeploy(ctx context.Context, now time.Time, projectID int64, d faults.Deploy) (id int64, err error) {
	if d.CreatedAt.IsZero() {
		d.CreatedAt = now
	}
	named := d.Environment
	many, err := s.db.ListIDs(ctx, s.db.Read, deployedFaults, projectID, named, faults.OtherEnvironment) // not in the transaction: it may take a second
	if err != nil {
		return 0, s.db.Explain(fmt.Errorf("find faults that a deploy resolves: %w", err))
	}
	var i work.Item
	err = s.inTx(ctx, "record deploy", func(t Tx) error {
		var fresh bool
		if d.Environment, fresh, err = t.account().RoomFor(ctx, projectID, named); err != nil {
			return err
		}
		row := t.QueryRowContext(ctx, s.db.Text(insertDeploy), projectID, d.Environment, d.Revision, d.Repository, d.LocalUsername, db.Micros(d.CreatedAt))
		if err := row.Scan(&id); err != nil {
			return db.NotFound(err, "Project", "insert deploy")
		}
		if fresh {
			if err := t.Each(ctx, accountdb.AddEnvironments, []int64{projectID}, []string{d.Environment}, []int64{db.Micros(now)}); err != nil {
				return err
			}
		}
		d.ID, d.ProjectID = id, projectID
		if err := t.noteRelease(ctx, now, d, nil); err != nil {
			return err
		}
		if err := t.outbox().Raise(ctx, now, d.Alert()); err != nil {
			return err
		}
		if err := t.Each(ctx, repodb.AddWork, []string{string(repo.DeployWork)}, []int64{id}, []int64{projectID}, []int64{db.Micros(now)}); err != nil {
			return err
		}
		i, err = t.resolveDeployed(ctx, manyChange{At: db.Micros(now), Deploy: &d}, named, many)
		return err
	})
	if err == nil && i.ID > 0 {
		_, err = s.beginMany(ctx, i, int64(len(many)), nil)
	}
	return id, err
}

// resolveDeployed resolves the faults of a deploy, or adds work that does, if there are many.
func (t Tx) resolveDeployed(ctx context.Context, m manyChange, environment string, many []int64) (i work.Item, err error) {
	m.Environment = environment
	if len(many) > faultsInLot {
		return t.addMany(ctx, m.Deploy.ProjectID, many, m)
	}
	_, err = t.deployLot(ctx, m.Deploy.ProjectID, many, &m)
	return i, err
}

// deployLot resolves some faults with a deploy. Those that occurred after a deploy that is long past stay open.
func (t Tx) deployLot(ctx context.Context, projectID int64, ids []int64, m *manyChange) (done BulkOutcome, err error) {
	n := len(ids)
	if m.late {
		if ids, err = t.quietSince(ctx, m.At, ids); err != nil {
			return done, err
		}
	}
	var resolved []int64
	err = t.EachRow(ctx, resolveOnDeploy, db.ScanID(func(id int64) { resolved = append(resolved, id) }),
		ids, db.Repeated(projectID, len(ids)), slices.Repeat([]string{m.Environment}, len(ids)), slices.Repeat([]string{m.Deploy.Environment}, len(ids)))
	if err != nil {
		return done, fmt.Errorf("resolve faults: %w", err)
	}
	slices.Sort(resolved) // each engine returns them in its own order
	done = BulkOutcome{Changed: int64(len(resolved)), Left: int64(n - len(resolved))}
	return done, cmp.Or(t.addEntry(ctx, m.at(), 0, release.DeployedEntry(*m.Deploy), resolved...),
		t.noteRelease(ctx, m.at(), *m.Deploy, resolved), t.closeResolved(ctx, m.at(), alerts.AlertFacts{DeployID: m.Deploy.ID}, resolved)) // the deploy covers them
}

const quietFaults = `-- faultdb.quietFaults
SELECT c.fault_id FROM {{rows k(id bigint, at bigint)}} JOIN fault_counts c ON c.fault_id = k.id WHERE c.last_notice_at <= k.at`

// quietSince returns those faults that have not occurred since a time.
func (t Tx) quietSince(ctx context.Context, at int64, ids []int64) (quiet []int64, err error) {
	err = t.EachRow(ctx, quietFaults, db.ScanID(func(id int64) { quiet = append(quiet, id) }), ids, db.Repeated(at, len(ids)))
	return quiet, db.Wrap("look for faults that occurred again", err)
}

const sameDeploys = `-- faultdb.HasDeploy
SELECT count(*) FROM deploys WHERE project_id = $1 AND created_at = $2 AND revision = $3 AND repository = $4 AND local_username = $5`

// HasDeploy reports whether a project has a deploy of the same time that says the same. Its environment may have been recorded under another name.
func (s *Store) HasDeploy(ctx context.Context, projectID int64, d faults.Deploy) (has bool, err error) {
	var n int64
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(sameDeploys), projectID, db.Micros(d.CreatedAt), d.Revision, d.Repository, d.LocalUsername).Scan(&n)
	return n > 0, s.db.Explain(db.Wrap("look for a deploy", err))
}

// noteRelease notes that a deploy names a release, and which faults it resolved.
func (t Tx) noteRelease(ctx context.Context, now time.Time, d faults.Deploy, resolved []int64) error {
	if !release.IsVersion(d.Revision) {
		return nil
	}
	k := releasedb.Key{ProjectID: d.ProjectID, Version: d.Revision}
	if _, err := t.release().Note(ctx, []releasedb.Named{{Key: k, At: d.CreatedAt}}); err != nil {
		return err
	}
	var faults []releasedb.Fault
	for _, id := range resolved {
		faults = append(faults, releasedb.Fault{Key: k, Event: release.Resolved, ID: id, At: now})
	}
	return t.release().AddFaults(ctx, faults)
}

// DeployFilter selects deploys of a project. Times are inclusive after, exclusive before.
type DeployFilter struct {
	Environment   string // "" for every environment
	LocalUsername string // "" for every user
	Revision      string // "" for every revision
	CreatedAfter  time.Time
	CreatedBefore time.Time
	sett.Page
}

// deployMark is the end of a page of deploys. The pages before and after it show the list as it was when the first page was read: without
// deploys that were recorded later.
type deployMark struct{ newest, created, id int64 }

const findDeploys = `-- faultdb.deploys
SELECT id, project_id, environment, revision, repository, local_username, created_at FROM deploys WHERE project_id = $1`

const deploysListed = findDeploys + `
AND ($2 = '' OR environment = $2) AND ($3 = '' OR local_username = $3) AND created_at >= $4 AND created_at < $5 AND id <= $6 AND ($11 = '' OR revision = $11)`

const (
	listDeploys     = deploysListed + " AND (created_at, id) < ($7, $8) ORDER BY created_at DESC, id DESC LIMIT $9 OFFSET $10"
	listDeploysBack = deploysListed + " AND (created_at, id) >= ($7, $8) ORDER BY created_at, id LIMIT $9 OFFSET $10"
	oneDeploy       = findDeploys + " AND id = $2"
)

const newestDeploy = `-- faultdb.newestDeploy
SELECT coalesce(max(id), 0) FROM deploys WHERE project_id = $1`

// ListDeploys returns a page of the deploys of a project, newest first, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) ListDeploys(ctx context.Context, projectID int64, f DeployFilter) (deploys []faults.Deploy, marks sett.Marks, err error) {
	at := deployMark{created: math.MaxInt64, id: math.MaxInt64}
	statement, before := listDeploys, int64(math.MaxInt64)
	if f.Back {
		statement = listDeploysBack
	}
	if !f.CreatedBefore.IsZero() {
		before = db.Micros(f.CreatedBefore)
	}
	if f.Mark != "" {
		if err := db.ParseMark(f.Mark, &at.newest, &at.created, &at.id); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	err = s.db.Snapshot(ctx, "list deploys", func(q db.Querier) error {
		if f.Mark == "" {
			if err := q.QueryRowContext(ctx, s.db.Text(newestDeploy), projectID).Scan(&at.newest); err != nil {
				return err
			}
		}
		skip, most := f.Rows()
		deploys, err = s.deploys(ctx, q, statement, projectID, f.Environment, f.LocalUsername, db.Micros(f.CreatedAfter), before,
			at.newest, at.created, at.id, most, skip, f.Revision)
		deploys, marks = sett.Cut(f.Page, deploys, func(d faults.Deploy) string { return db.FormatMark(at.newest, db.Micros(d.CreatedAt), d.ID) })
		return err
	})
	return deploys, marks, err
}

// DeployByID returns a deploy of a project, or a NotFound error. It does not read the previous deploy.
func (s *Store) DeployByID(ctx context.Context, projectID, id int64) (faults.Deploy, error) {
	return s.deploy(ctx, s.db.Read, projectID, id)
}

// ReadDeploy is DeployByID in a snapshot, with the previous deploy.
func (s *Store) ReadDeploy(ctx context.Context, q db.Querier, projectID, id int64) (d faults.Deploy, err error) {
	if d, err = s.deploy(ctx, q, projectID, id); err == nil {
		d.Previous, err = s.previousRevision(ctx, q, projectID, id)
	}
	return d, err
}

func (s *Store) deploy(ctx context.Context, q db.Querier, projectID, id int64) (faults.Deploy, error) {
	found, err := s.deploys(ctx, q, oneDeploy, projectID, id)
	switch {
	case err != nil:
		return faults.Deploy{}, fmt.Errorf("find deploy: %w", err)
	case len(found) == 0:
		return faults.Deploy{}, sett.Errorf(sett.NotFound, "Deploy not found")
	}
	return found[0], nil
}

// deploys runs a statement that returns the columns of findDeploys.
func (s *Store) deploys(ctx context.Context, q db.Querier, statement string, args ...any) (found []faults.Deploy, err error) {
	rows, err := q.QueryContext(ctx, s.db.Text(statement), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var d faults.Deploy
		var created int64
		err := rows.Scan(&d.ID, &d.ProjectID, &d.Environment, &d.Revision, &d.Repository, &d.LocalUsername, &created)
		d.CreatedAt = db.FromMicros(created)
		found = append(found, d)
		return err
	})
	return found, err
}

const deleteDeploy = `-- faultdb.DeleteDeploy
DELETE FROM deploys WHERE project_id = $1 AND id = $2`

// DeleteDeploy deletes a deploy; the faults that it resolved stay resolved. The error is NotFound if the project has no such deploy.
func (s *Store) DeleteDeploy(ctx context.Context, projectID, id int64) error {
	return s.inTx(ctx, "delete deploy", func(t Tx) error {
		found, err := t.Changed(ctx, deleteDeploy, projectID, id)
		if err == nil && found == 0 {
			err = sett.Errorf(sett.NotFound, "Deploy not found")
		}
		return err
	})
}

const deploysOf = `-- faultdb.deploysOf
SELECT d.id, d.environment, d.revision, d.repository, d.local_username, d.created_at, coalesce((
    SELECT p.revision FROM deploys p WHERE p.project_id = d.project_id AND p.environment = d.environment
    AND p.revision NOT IN ('', d.revision) AND (p.created_at, p.id) < (d.created_at, d.id)
    ORDER BY p.created_at DESC, p.id DESC LIMIT 1), '')
FROM deploys d WHERE d.project_id = $1 AND d.environment IN ($2, '') AND d.created_at <= $3 AND d.revision IN `

// setDeploys sets the deploys of one fault's notices, which are sorted newest first: for each, the newest deploy of its revision, to the
// fault's environment or to the whole project, that is not later than the notice.
func (s *Store) setDeploys(ctx context.Context, q db.Querier, projectID int64, environment string, notices []faults.Notice) error {
	var revisions []string
	for _, n := range notices {
		if r := n.Environment.Revision; r != "" {
			revisions = append(revisions, r)
		}
	}
	if len(revisions) == 0 {
		return nil
	}
	list, values := db.In(s.db, 4, revisions)
	args := append([]any{projectID, environment, db.Micros(notices[0].CreatedAt())}, values...)
	rows, err := q.QueryContext(ctx, s.db.Text(deploysOf+list+" ORDER BY d.created_at DESC, d.id DESC"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		d := faults.Deploy{ProjectID: projectID}
		var created int64
		err := rows.Scan(&d.ID, &d.Environment, &d.Revision, &d.Repository, &d.LocalUsername, &created, &d.Previous)
		d.CreatedAt = db.FromMicros(created)
		for i := range notices {
			n := &notices[i]
			if n.Deploy == nil && n.Environment.Revision == d.Revision && !d.CreatedAt.After(n.CreatedAt()) {
				n.Deploy = &d
			}
		}
		return err
	})
}
