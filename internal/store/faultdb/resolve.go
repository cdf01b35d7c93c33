package faultdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
)

const resolveFaults = `-- faultdb.resolveFaults
UPDATE faults SET resolved = true, resolve_on_deploy = false, resolved_in = k.revision
FROM {{rows k(project_id bigint, id bigint, revision text)}} WHERE NOT faults.resolved AND faults.id = k.id AND faults.project_id = k.project_id
RETURNING faults.id, faults.environment`

// resolve resolves the unresolved ones of some faults of a project, in a release or in none (""), and returns them by their ids.
func (t Tx) resolve(ctx context.Context, projectID int64, revision string, ids []int64) (resolved []faults.Fault, changed []int64, err error) {
	err = t.EachRow(ctx, resolveFaults, func(rows *sql.Rows) error {
		f := faults.Fault{ProjectID: projectID}
		err := rows.Scan(&f.ID, &f.Environment)
		changed, resolved = append(changed, f.ID), append(resolved, f)
		return err
	}, db.Repeated(projectID, len(ids)), ids, slices.Repeat([]string{revision}, len(ids)))
	slices.Sort(changed) // each engine returns them in its own order
	return resolved, changed, db.Wrap("resolve faults", err)
}

// resolveLot resolves the unresolved ones of some faults of a project as a user, and returns them.
func (t Tx) resolveLot(ctx context.Context, now time.Time, userID, projectID int64, revision string, ids []int64) (resolved []faults.Fault, err error) {
	resolved, changed, err := t.resolve(ctx, projectID, revision, ids)
	if err != nil {
		return nil, err
	}
	return resolved, t.addEntry(ctx, now, userID, faults.ResolvedEntry(revision), changed...)
}

// ResolveIn resolves those of some faults of a project that are open in a release, as sett itself, and returns them. Their histories get an
// entry, their issues and pages are closed, and the release has them as resolved. Users get no alerts. The error is Invalid if the project
// has no such release.
func (t Tx) ResolveIn(ctx context.Context, now time.Time, projectID int64, ids []int64, revision string, e faults.Entry) (resolved []int64, err error) {
	if err := t.s.checkRelease(ctx, t, projectID, revision); err != nil || len(ids) == 0 {
		return nil, err
	}
	if _, resolved, err = t.resolve(ctx, projectID, revision, ids); err != nil {
		return nil, err
	}
	if err := t.addEntry(ctx, now, 0, e, resolved...); err != nil {
		return nil, err
	}
	var noted []releasedb.Fault
	for _, id := range resolved {
		noted = append(noted, releasedb.Fault{Key: releasedb.Key{ProjectID: projectID, Version: revision}, Event: release.Resolved, ID: id, At: now})
	}
	if err := t.release().AddFaults(ctx, noted); err != nil {
		return nil, err
	}
	return resolved, t.closeResolved(ctx, now, alerts.AlertFacts{}, resolved)
}

// ResolveIn is ResolveIn of Tx, in a transaction of its own.
func (s *Store) ResolveIn(ctx context.Context, now time.Time, projectID int64, ids []int64, revision string, e faults.Entry) (resolved []int64, err error) {
	err = s.inTx(ctx, "resolve faults in release", func(t Tx) error {
		resolved, err = t.ResolveIn(ctx, now, projectID, ids, revision, e)
		return err
	})
	return resolved, err
}

// closeResolved closes the issues and pages of faults that sett resolved. Users get no alerts about these faults.
func (t Tx) closeResolved(ctx context.Context, now time.Time, facts alerts.AlertFacts, resolved []int64) error {
	closing, err := t.closing(ctx, now, resolved, resolved, facts)
	if err != nil || len(closing) == 0 {
		return err
	}
	return t.outbox().Raise(ctx, now, closing...)
}

// checkRelease returns an Invalid error if a fault is to be resolved in a release that the project does not have: it would never reopen if
// the version were wrong. "" is none.
func (s *Store) checkRelease(ctx context.Context, q db.Querier, projectID int64, version string) error {
	if version == "" {
		return nil
	}
	has, err := s.release.ReadHas(ctx, q, projectID, version)
	if err == nil && !has {
		err = sett.Refuse("resolved_in", "must be the version of a release of this project; check the spelling of %q, or record a deploy of it first", version)
	}
	return err
}
