package releasedb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

const (
	sweepHours = `-- releasedb.sweepHours
DELETE FROM release_hours WHERE (project_id, version, environment, at) IN (
    SELECT project_id, version, environment, at FROM release_hours WHERE project_id = $1 AND at < $2 ORDER BY at LIMIT $3)`

	sweepFaults = `-- releasedb.sweepFaults
DELETE FROM release_faults WHERE (project_id, version, event, fault_id) IN (
    SELECT project_id, version, event, fault_id FROM release_faults WHERE project_id = $1 AND at < $2 ORDER BY at LIMIT $3)`

	sweepCommits = `-- releasedb.sweepCommits
DELETE FROM release_commits WHERE (project_id, version, position) IN (
    SELECT c.project_id, c.version, c.position FROM release_commits c WHERE c.project_id = $1
    AND NOT EXISTS (SELECT 1 FROM releases r WHERE r.project_id = c.project_id AND r.version = c.version) LIMIT $2)`

	// The releases of deploys that are kept are kept too: pages of deploys link to them.
	sweepReleases = `-- releasedb.sweepReleases
DELETE FROM releases WHERE id IN (SELECT r.id FROM releases r WHERE r.project_id = $1 AND r.created_at < $2 AND r.active_at < $2
    AND NOT EXISTS (SELECT 1 FROM deploys d WHERE d.project_id = r.project_id AND d.revision = r.version) ORDER BY r.created_at LIMIT $3)`

	allCommits = `-- releasedb.allCommits
DELETE FROM release_commits WHERE (project_id, version, position) IN (
    SELECT project_id, version, position FROM release_commits WHERE project_id = $1 LIMIT $2)`

	allReleases = `-- releasedb.allReleases
DELETE FROM releases WHERE id IN (SELECT id FROM releases WHERE project_id = $1 LIMIT $2)`
)

const hasOld = `-- releasedb.HasOld
SELECT EXISTS (SELECT 1 FROM release_hours WHERE project_id = $1 AND at < $2) OR EXISTS (SELECT 1 FROM release_faults WHERE project_id = $1 AND at < $3)
    OR EXISTS (SELECT 1 FROM releases r WHERE r.project_id = $1 AND r.created_at < $3 AND r.active_at < $3
        AND NOT EXISTS (SELECT 1 FROM deploys d WHERE d.project_id = r.project_id AND d.revision = r.version))`

// HasOld reports whether a project has rows that DeleteOld deletes.
func (s *Store) HasOld(ctx context.Context, project int64, hours, others time.Time) (has bool, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(hasOld), project, db.Micros(hours), db.Micros(others)).Scan(&has)
	return has, db.Wrap("look for old releases", err)
}

// DeleteOld deletes about so many rows of a project, sums of sessions from before one time and everything else from before another, and returns
// how many.
func (t Tx) DeleteOld(ctx context.Context, project int64, hours, others time.Time, most int64) (n int64, err error) {
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{sweepHours, []any{project, db.Micros(hours)}},
		{sweepFaults, []any{project, db.Micros(others)}},
		{sweepReleases, []any{project, db.Micros(others)}},
		{sweepCommits, []any{project}},
	} {
		if n >= most {
			break
		}
		deleted, err := t.Changed(ctx, step.statement, append(step.args, most-n)...)
		if n += deleted; err != nil {
			return n, err
		}
	}
	return n, nil
}

// ends is a time after all others, in microseconds.
const ends = 1 << 62

// SweepProject deletes all releases of a project with all that belongs to them, some rows in each transaction.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	for _, statement := range []struct {
		text string
		args []any
	}{
		{sweepHours, []any{project, int64(ends), db.RowsAtOnce}},
		{sweepFaults, []any{project, int64(ends), db.RowsAtOnce}},
		{allCommits, []any{project, db.RowsAtOnce}},
		{allReleases, []any{project, db.RowsAtOnce}},
	} {
		err := s.db.Sweep(ctx, "delete releases", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, statement.text, statement.args...)
		})
		if err != nil {
			return s.db.Explain(err)
		}
	}
	return nil
}
