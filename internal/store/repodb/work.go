package repodb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// AddWork adds deploys or errors that are to be compared with the repositories of their project, if it has any.
const AddWork = `-- repodb.AddWork
INSERT INTO repository_work (kind, subject_id, project_id, due_at, tries)
SELECT k.kind, k.subject_id, k.project_id, k.due_at, 0 FROM {{rows k(kind text, subject_id bigint, project_id bigint, due_at bigint)}}
WHERE EXISTS (SELECT 1 FROM repositories r WHERE r.project_id = k.project_id)
ON CONFLICT (kind, subject_id) DO UPDATE SET due_at = excluded.due_at, tries = 0`

// recent is for how long a deploy may already contain what a webhook says to be merged only now.
const recent = 24 * time.Hour

const recentDeploys = `-- repodb.recentDeploys
SELECT id FROM deploys WHERE project_id = $1 AND created_at >= $2 AND revision <> '' ORDER BY created_at DESC, id DESC LIMIT 5`

// examineRecent adds the latest deploys: they may contain what has landed.
func (t Tx) examineRecent(ctx context.Context, now time.Time, projectID int64) error {
	ids, err := t.s.db.ListIDs(ctx, t, recentDeploys, projectID, db.Micros(now.Add(-recent)))
	if err != nil {
		return err
	}
	n := len(ids)
	return db.Wrap("add repository work", t.Each(ctx, AddWork, slices.Repeat([]string{string(repo.DeployWork)}, n), ids, db.Repeated(projectID, n), db.Repeated(db.Micros(now), n)))
}

const (
	anyWork = `-- repodb.anyWork
SELECT EXISTS (SELECT 1 FROM repository_work WHERE due_at <= $1)`

	claimWork = `-- repodb.Claim
UPDATE repository_work SET due_at = $2, tries = tries + 1 WHERE (kind, subject_id) IN (
    SELECT kind, subject_id FROM repository_work WHERE due_at <= $1 ORDER BY due_at, kind, subject_id LIMIT $3) AND due_at <= $1
RETURNING kind, subject_id, project_id, tries`

	finishWork = `-- repodb.Finish
DELETE FROM repository_work WHERE kind = $1 AND subject_id = $2 AND tries = $3`

	delayWork = `-- repodb.Delay
UPDATE repository_work SET due_at = $4 WHERE kind = $1 AND subject_id = $2 AND tries = $3`
)

// Claim returns work that is due. No other node gets it until a time.
func (s *Store) Claim(ctx context.Context, now, until time.Time, most int) (due []repo.Work, err error) {
	var some bool // read without a write transaction: usually there is nothing to do
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(anyWork), db.Micros(now)).Scan(&some); err != nil || !some {
		return nil, s.db.Explain(db.Wrap("look for repository work", err))
	}
	err = s.inTx(ctx, "claim repository work", func(t Tx) error {
		rows, err := t.QueryContext(ctx, s.db.Text(claimWork), db.Micros(now), db.Micros(until), most)
		due, err = db.Collect(rows, err, func(row db.Row) (w repo.Work, err error) {
			return w, row.Scan(&w.Kind, &w.SubjectID, &w.ProjectID, &w.Tries)
		})
		return err
	})
	return due, err
}

// Finish ends a piece of work, unless it was added again meanwhile.
func (s *Store) Finish(ctx context.Context, w repo.Work) error {
	return s.inTx(ctx, "finish repository work", func(t Tx) error {
		_, err := t.Exec(ctx, finishWork, string(w.Kind), w.SubjectID, w.Tries)
		return err
	})
}

// Delay has a piece of work tried again at a time.
func (s *Store) Delay(ctx context.Context, w repo.Work, until time.Time) error {
	return s.inTx(ctx, "delay repository work", func(t Tx) error {
		_, err := t.Exec(ctx, delayWork, string(w.Kind), w.SubjectID, w.Tries, db.Micros(until))
		return err
	})
}

const askAgain = `-- repodb.AskAgain
INSERT INTO repository_work (kind, subject_id, project_id, due_at, tries)
SELECT 'repository', id, project_id, $1, 0 FROM repositories WHERE token <> '' AND asked_at < $2 ON CONFLICT (kind, subject_id) DO NOTHING`

// AskAgain adds the repositories whose host was not asked for a day.
func (s *Store) AskAgain(ctx context.Context, now time.Time) error {
	return s.inTx(ctx, "add repositories that are asked again", func(t Tx) error {
		_, err := t.Exec(ctx, askAgain, db.Micros(now), db.Micros(now.Add(-recent)))
		return err
	})
}

// askNow adds a repository whose host is to be asked.
func (t Tx) askNow(ctx context.Context, now time.Time, r repo.Repository) error {
	return db.Wrap("add repository work", t.Each(ctx, AddWork, []string{string(repo.RepositoryWork)}, []int64{r.ID}, []int64{r.ProjectID}, []int64{db.Micros(now)}))
}
