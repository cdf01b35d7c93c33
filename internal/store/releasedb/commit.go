package releasedb

import (
	"context"
	"database/sql"

	"sett/internal/sett/release"
	"sett/internal/store/db"
)

const insertCommits = `-- releasedb.insertCommits
INSERT INTO release_commits (project_id, version, position, sha, message, author, email, at)
SELECT k.project_id, k.version, k.position, k.sha, k.message, k.author, k.email, k.at
FROM {{rows k(project_id bigint, version text, position bigint, sha text, message text, author text, email text, at bigint)}} WHERE true`

// SetCommits replaces the commits of a release of a project with those that a client sends, newest first: release.CutCommits of them.
// The error is NotFound if the project has no such release.
func (s *Store) SetCommits(ctx context.Context, projectID int64, version string, sent []release.Commit) error {
	return s.inTx(ctx, "set commits of release", func(t Tx) error {
		if _, err := scan(t.QueryRowContext(ctx, s.db.Text(byVersion), projectID, version)); err != nil {
			return db.NotFound(err, "Release", "find release")
		}
		if _, err := t.Exec(ctx, deleteCommits, projectID, version); err != nil {
			return err
		}
		return t.AddCommits(ctx, projectID, version, sent)
	})
}

// AddCommits gives a release without commits those that a client sends, newest first: release.CutCommits of them.
func (t Tx) AddCommits(ctx context.Context, projectID int64, version string, sent []release.Commit) error {
	var projects, positions, ats []int64
	var versions, shas, messages, authors, emails []string
	for i, c := range release.CutCommits(sent) {
		projects, versions, positions = append(projects, projectID), append(versions, version), append(positions, int64(i))
		shas, messages, authors = append(shas, c.SHA), append(messages, c.Message), append(authors, c.Author)
		emails, ats = append(emails, c.Email), append(ats, db.Micros(c.At))
	}
	return t.Each(ctx, insertCommits, projects, versions, positions, shas, messages, authors, emails, ats)
}

const listCommits = `-- releasedb.Commits
SELECT sha, message, author, email, at FROM release_commits WHERE project_id = $1 AND version = $2 ORDER BY position`

// Commits returns the commits of a release of a project, newest first.
func (s *Store) Commits(ctx context.Context, projectID int64, version string) (commits []release.Commit, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(listCommits), projectID, version)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c release.Commit
		var at int64
		err := rows.Scan(&c.SHA, &c.Message, &c.Author, &c.Email, &at)
		c.At = db.FromMicros(at)
		commits = append(commits, c)
		return err
	})
	return commits, s.db.Explain(db.Wrap("list commits of release", err))
}
