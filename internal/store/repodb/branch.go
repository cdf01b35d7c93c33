package repodb

import (
	"context"
	"strings"

	"sett/internal/sett/repo"
	"sett/internal/store/db"
)

// place is where a commit stands among those of a default branch.
type place struct {
	id     int64
	isHead bool
}

const findCommit = `-- repodb.findCommit
SELECT b.id, b.is_head FROM branch_commits b JOIN repositories r ON r.id = b.repository_id
WHERE b.repository_id = $1 AND b.id > r.unordered_to AND b.sha >= $2 AND b.sha < $3 ORDER BY b.sha LIMIT 2`

// shortest is how many characters of a commit's id say which one it is.
const shortest = 7

// find returns where a commit stands, by its id or the beginning of it; false if that is not known for sure.
func (s *Store) find(ctx context.Context, repositoryID int64, sha string) (p place, ok bool, err error) {
	if len(sha) < shortest || strings.Trim(sha, "0123456789abcdef") != "" {
		return p, false, nil
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(findCommit), repositoryID, sha, sha+"g")
	found, err := db.Collect(rows, err, func(row db.Row) (p place, err error) { return p, row.Scan(&p.id, &p.isHead) })
	if err != nil || len(found) != 1 {
		return p, false, s.db.Explain(db.Wrap("find commit", err))
	}
	return found[0], true, nil
}

// Contains reports whether a revision contains a commit, as far as webhooks said it: both must be on the default branch, and the revision the last
// commit of a push. known is false if they do not say it.
func (s *Store) Contains(ctx context.Context, repositoryID int64, revision, sha string) (contains, known bool, err error) {
	r, ok, err := s.find(ctx, repositoryID, revision)
	if err != nil || !ok {
		return false, false, err
	}
	c, ok, err := s.find(ctx, repositoryID, sha)
	if err != nil || !ok {
		return false, false, err
	}
	switch {
	case r.id == c.id:
		return true, true, nil
	case c.id > r.id:
		return false, r.isHead, nil
	default:
		return r.isHead, r.isHead, nil
	}
}

const commitsBetween = `-- repodb.Between
SELECT sha, message, author, email, at, url, files FROM branch_commits WHERE repository_id = $1 AND id > $2 AND id <= $3 ORDER BY id DESC LIMIT $4`

// Between returns the commits of a default branch after one revision up to another, newest first, as far as webhooks said it; ok is false if they do not.
func (s *Store) Between(ctx context.Context, repositoryID int64, before, revision string, most int) (commits []repo.Commit, ok bool, err error) {
	b, ok, err := s.find(ctx, repositoryID, before)
	if err != nil || !ok || !b.isHead {
		return nil, false, err
	}
	r, ok, err := s.find(ctx, repositoryID, revision)
	if err != nil || !ok || !r.isHead || r.id < b.id {
		return nil, false, err
	}
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(commitsBetween), repositoryID, b.id, r.id, most)
	commits, err = db.Collect(rows, err, func(row db.Row) (c repo.Commit, err error) {
		var at int64
		var files string
		err = row.Scan(&c.SHA, &c.Message, &c.Author, &c.Email, &at, &c.URL, &files)
		c.At = db.FromMicros(at)
		if files != "" {
			c.Files = strings.Split(files, "\n")
		}
		return c, err
	})
	return commits, err == nil, s.db.Explain(db.Wrap("list commits", err))
}
