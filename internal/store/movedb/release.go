package movedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/move"
	"sett/internal/sett/release"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/releasedb"
)

// MostDeploys is how many deploys one transaction stores.
const MostDeploys = 100

// FreshReleases returns those releases of which the source says what it did not say before.
func (s *Store) FreshReleases(ctx context.Context, from move.Place, projectID int64, all []move.Release) (fresh []move.Release, err error) {
	var ids []string
	for _, r := range all {
		ids = append(ids, releaseID(projectID, r.Version))
	}
	had, err := s.imported(ctx, s.db.Read, things{from, kindRelease}, ids)
	for i, r := range all {
		if record, ok := had[i]; release.IsVersion(r.Version) && (!ok || record != recordOf(r)) {
			fresh = append(fresh, r)
		}
	}
	return fresh, db.Wrap("find imported releases", err)
}

// releaseID is the id of a release at the source: a version is one of many projects there.
func releaseID(projectID int64, version string) string { return fmt.Sprint(projectID, "/", version) }

const dateRelease = `-- movedb.dateRelease
UPDATE releases SET created_at = CASE WHEN created_at > $3 THEN CAST($3 AS bigint) ELSE created_at END,
    released_at = CASE WHEN released_at = 0 THEN CAST($4 AS bigint) ELSE released_at END,
    ref = CASE WHEN ref = '' THEN $5 ELSE ref END, url = CASE WHEN url = '' THEN $6 ELSE url END
WHERE project_id = $1 AND version = $2`

const hasCommits = `-- movedb.hasCommits
SELECT count(*) FROM release_commits WHERE project_id = $1 AND version = $2`

// Release stores a release with its commits, and what sett does not know of it yet. It has no effect on errors. Made is false for one that
// came before or that sett had; it fits unless the project has no room for another.
func (s *Store) Release(ctx context.Context, from move.Place, projectID int64, r move.Release) (made, fits bool, err error) {
	err = s.inTx(ctx, "import a release", func(t Tx) error {
		of, id := things{from, kindRelease}, releaseID(projectID, r.Version)
		had, err := s.imported(ctx, t, of, []string{id})
		if err != nil {
			return err
		}
		if fits, err = t.nameRelease(ctx, projectID, r); err != nil || !fits {
			return err
		}
		if err := t.addCommits(ctx, projectID, r); err != nil {
			return err
		}
		made = len(had) == 0
		return t.noteImported(ctx, of, id, projectID, 0, recordOf(r))
	})
	return made, fits, err
}

// nameRelease makes a release or adds to it. There may be no room for it.
func (t Tx) nameRelease(ctx context.Context, projectID int64, r move.Release) (fits bool, err error) {
	k := releasedb.Key{ProjectID: projectID, Version: r.Version}
	full, err := t.s.release.In(t.Tx).Note(ctx, []releasedb.Named{{Key: k, At: r.Created}})
	if err != nil || full[k] {
		return false, err
	}
	_, err = t.Exec(ctx, dateRelease, projectID, r.Version, db.Micros(r.Created), db.Micros(r.Released), r.Ref, r.URL)
	return true, db.Wrap("date a release", err)
}

// addCommits gives a release its commits, unless a client has said them.
func (t Tx) addCommits(ctx context.Context, projectID int64, r move.Release) error {
	var n int64
	if err := t.QueryRowContext(ctx, t.s.db.Text(hasCommits), projectID, r.Version).Scan(&n); err != nil || n > 0 {
		return err
	}
	var commits []release.Commit
	for _, c := range r.Commits {
		commits = append(commits, release.Commit{SHA: c.SHA, Message: c.Message, Author: c.Author, Email: c.Email, At: c.At})
	}
	return t.s.release.In(t.Tx).AddCommits(ctx, projectID, r.Version, commits)
}

const insertDeploy = `-- movedb.insertDeploy
INSERT INTO deploys (project_id, environment, revision, repository, local_username, created_at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id`

const sameDeploy = `-- movedb.sameDeploy
SELECT id FROM deploys WHERE project_id = $1 AND created_at = $2 AND revision = $3 ORDER BY id LIMIT 1`

// Deploys stores deploys of a project. It resolves no error and notifies no one. It returns how many are new.
func (s *Store) Deploys(ctx context.Context, now time.Time, from move.Place, projectID int64, all []move.Deploy) (made int64, err error) {
	if len(all) > MostDeploys {
		return 0, fmt.Errorf("%d deploys at once", len(all))
	}
	err = s.inTx(ctx, "import deploys", func(t Tx) error {
		of := things{from, kindDeploy}
		var ids []string
		for _, d := range all {
			ids = append(ids, d.ID)
		}
		had, err := s.imported(ctx, t, of, ids)
		if err != nil {
			return err
		}
		for i, d := range all {
			if _, came := had[i]; came {
				continue
			}
			id, fresh, err := t.addDeploy(ctx, now, projectID, d)
			if err != nil {
				return err
			}
			made += flag(fresh)
			if err := t.noteImported(ctx, of, d.ID, projectID, id, ""); err != nil {
				return err
			}
		}
		return nil
	})
	return made, err
}

// addDeploy stores a deploy, unless a client has reported it to sett too.
func (t Tx) addDeploy(ctx context.Context, now time.Time, projectID int64, d move.Deploy) (id int64, fresh bool, err error) {
	row := t.QueryRowContext(ctx, t.s.db.Text(sameDeploy), projectID, db.Micros(d.At), d.Revision)
	if err := row.Scan(&id); !errors.Is(err, sql.ErrNoRows) {
		return id, false, err
	}
	environment, unknown, err := t.s.account.In(t.Tx).RoomFor(ctx, projectID, d.Environment)
	if err != nil {
		return 0, false, err
	}
	if unknown {
		if err := t.Each(ctx, accountdb.AddEnvironments, []int64{projectID}, []string{environment}, []int64{db.Micros(now)}); err != nil {
			return 0, false, err
		}
	}
	row = t.QueryRowContext(ctx, t.s.db.Text(insertDeploy), projectID, environment, d.Revision, d.Repository, d.By, db.Micros(d.At))
	if err := row.Scan(&id); err != nil {
		return 0, false, fmt.Errorf("add a deploy: %w", err)
	}
	if release.IsVersion(d.Revision) {
		_, err = t.nameRelease(ctx, projectID, move.Release{Version: d.Revision, Created: d.At})
	}
	return id, true, err
}
