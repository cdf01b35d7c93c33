package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

const insertDeploy = `-- store.RecordDeploy
INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at)
SELECT p.id, $2, $3, $4, $5, $6 FROM projects p WHERE p.id = $1 RETURNING id`

const addEnvironment = `-- store.addEnvironment
INSERT INTO environments (project_id, name, notifications, created_at, updated_at) VALUES ($1, $2, true, $3, $3)
ON CONFLICT (project_id, name) DO NOTHING`

const resolveOnDeploy = `-- store.resolveOnDeploy
UPDATE faults SET resolved = true, resolve_on_deploy = false
WHERE project_id = $1 AND NOT resolved AND (resolve_on_deploy OR
    (($2 = '' OR environment = $2) AND (SELECT p.resolve_errors_on_deploy FROM projects p WHERE p.id = $1)))`

// RecordDeploy stores a deploy of a project and returns its id; the environment that it names is made when it is new.
// It resolves the faults that were to be resolved with the next deploy, whatever their environment, and, where the
// project wants it, all open faults of the deploy's environment – of every environment when it names none. The error is
// NotFound when there is no such project.
func (s *Store) RecordDeploy(ctx context.Context, now time.Time, projectID int64, d sett.Deploy) (id int64, err error) {
	err = s.inTx(ctx, "record deploy", func(t *tx) error {
		row := t.QueryRowContext(ctx, s.text(insertDeploy), projectID, d.Environment, d.Revision, d.Repository, d.LocalUsername, micros(now))
		if err := row.Scan(&id); err != nil {
			return notFound(err, "Project", "insert deploy")
		}
		if d.Environment != "" {
			if _, err := t.exec(ctx, addEnvironment, projectID, d.Environment, micros(now)); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, resolveOnDeploy, projectID, d.Environment)
		return err
	})
	return id, err
}

const deploysOf = `-- store.deploysOf
SELECT d.id, d.environment, d.revision, d.repository, d.local_username, d.created_at, coalesce((
    SELECT p.revision FROM deploys p WHERE p.project_id = d.project_id AND p.environment = d.environment
    AND p.revision NOT IN ('', d.revision) AND (p.created_at, p.id) < (d.created_at, d.id)
    ORDER BY p.created_at DESC, p.id DESC LIMIT 1), '')
FROM deploys d WHERE d.project_id = $1 AND d.environment IN ($2, '') AND d.created_at <= $3 AND d.revision IN `

// setDeploys tells notices of one fault, the newest first, what they ran on: the newest deploy of their revision to the
// fault's environment, or to the whole project, that is not younger than the notice.
func (s *Store) setDeploys(ctx context.Context, q querier, projectID int64, environment string, notices []sett.Notice) error {
	var revisions []string
	for _, n := range notices {
		if r := n.Environment.Revision; r != "" {
			revisions = append(revisions, r)
		}
	}
	if len(revisions) == 0 {
		return nil
	}
	list, values := in(4, revisions)
	args := append([]any{projectID, environment, micros(notices[0].CreatedAt())}, values...)
	rows, err := q.QueryContext(ctx, s.text(deploysOf+list+" ORDER BY d.created_at DESC, d.id DESC"), args...)
	return scanAll(rows, err, func(rows *sql.Rows) error {
		d := sett.Deploy{ProjectID: projectID}
		var created int64
		err := rows.Scan(&d.ID, &d.Environment, &d.Revision, &d.Repository, &d.LocalUsername, &created, &d.Previous)
		d.CreatedAt = fromMicros(created)
		for i := range notices {
			n := &notices[i]
			if n.Deploy == nil && n.Environment.Revision == d.Revision && !d.CreatedAt.After(n.CreatedAt()) {
				n.Deploy = &d
			}
		}
		return err
	})
}
