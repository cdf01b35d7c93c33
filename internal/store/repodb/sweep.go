package repodb

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// The statements that delete some rows that are older than a time.
const (
	pruneChanges = `-- repodb.pruneChanges
DELETE FROM changes WHERE (repository_id, number) IN (SELECT repository_id, number FROM changes WHERE updated_at < $1 AND state <> 'open' ORDER BY updated_at LIMIT $2)`

	pruneCommits = `-- repodb.pruneCommits
DELETE FROM branch_commits WHERE id IN (SELECT id FROM branch_commits WHERE heard_at < $1 ORDER BY heard_at LIMIT $2)`

	pruneFixes = `-- repodb.pruneFixes
DELETE FROM fixes WHERE (repository_id, fault_id, number, sha) IN (
    SELECT repository_id, fault_id, number, sha FROM fixes WHERE created_at < $1 AND NOT EXISTS (SELECT 1 FROM changes c WHERE c.repository_id = fixes.repository_id AND c.number = fixes.number)
    ORDER BY created_at LIMIT $2)`

	pruneSuspects = `-- repodb.pruneSuspects
DELETE FROM suspects WHERE fault_id IN (SELECT x.fault_id FROM suspects x WHERE x.found_at < $1 AND NOT EXISTS (SELECT 1 FROM faults f WHERE f.id = x.fault_id) LIMIT $2)`
)

// Prune deletes what is older than history is kept: changes that are closed, commits, and what they fix. Suspect commits stay with their error.
func (s *Store) Prune(ctx context.Context, now time.Time) error {
	before := db.Micros(now.Add(-accounts.KeepHistory))
	for _, step := range []struct {
		statement string
		before    int64
	}{{pruneChanges, before}, {pruneCommits, before}, {pruneFixes, before}, {pruneSuspects, db.Micros(now)}} {
		err := s.db.Sweep(ctx, "delete old changes of repositories", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
			return t.Changed(ctx, step.statement, step.before, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	sweepCommits = `-- repodb.sweepCommits
DELETE FROM branch_commits WHERE id IN (SELECT b.id FROM repositories r JOIN branch_commits b ON b.repository_id = r.id WHERE r.project_id = $1 LIMIT $2)`

	sweepChanges = `-- repodb.sweepChanges
DELETE FROM changes WHERE (repository_id, number) IN (
    SELECT c.repository_id, c.number FROM repositories r JOIN changes c ON c.repository_id = r.id WHERE r.project_id = $1 LIMIT $2)`

	sweepSuspects = `-- repodb.sweepSuspects
DELETE FROM suspects WHERE fault_id IN (SELECT fault_id FROM suspects WHERE project_id = $1 LIMIT $2)`

	sweepWork = `-- repodb.sweepWork
DELETE FROM repository_work WHERE (kind, subject_id) IN (SELECT kind, subject_id FROM repository_work WHERE project_id = $1 LIMIT $2)`

	sweepRepositories = `-- repodb.sweepRepositories
DELETE FROM repositories WHERE id IN (SELECT id FROM repositories WHERE project_id = $1 LIMIT $2)`
)

// SweepProject deletes the repositories of a project that is being deleted, and what is known of them.
func (s *Store) SweepProject(ctx context.Context, project int64) error {
	for _, statement := range []string{sweepCommits, sweepChanges, sweepSuspects, sweepWork, sweepRepositories} {
		err := s.db.Sweep(ctx, "delete repositories", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
			return t.Changed(ctx, statement, project, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
