package releasedb

import (
	"context"
	"database/sql"
	"math"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/release"
	"sett/internal/store/db"
	"sett/internal/store/work"
)

const columns = `project_id, version, created_at, released_at, ref, url, first_seen_at, last_seen_at, events`

const byVersion = `-- releasedb.ByVersion
SELECT ` + columns + ` FROM releases WHERE project_id = $1 AND version = $2`

// scan reads a row of columns, and the columns after them into more.
func scan(row db.Row, more ...any) (r release.Release, err error) {
	var created, released, first, last int64
	err = row.Scan(append([]any{&r.ProjectID, &r.Version, &created, &released, &r.Ref, &r.URL, &first, &last, &r.Events}, more...)...)
	r.CreatedAt, r.ReleasedAt, r.FirstSeenAt, r.LastSeenAt = db.FromMicros(created), db.FromMicros(released), db.FromMicros(first), db.FromMicros(last)
	return r, err
}

// ByVersion returns a release of a project, or a NotFound error.
func (s *Store) ByVersion(ctx context.Context, projectID int64, version string) (release.Release, error) {
	r, err := scan(s.db.Read.QueryRowContext(ctx, s.db.Text(byVersion), projectID, version))
	return r, s.db.Explain(db.NotFound(err, "Release", "find release"))
}

const listed = `-- releasedb.List
SELECT ` + columns + `, id FROM releases WHERE project_id = $1`

const (
	list     = listed + " AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $5"
	listBack = listed + " AND (created_at, id) >= ($2, $3) ORDER BY created_at, id LIMIT $4 OFFSET $5"
)

// row is a release with its place in the list.
type row struct {
	release.Release
	id int64
}

// List returns a page of the releases of a project, newest first, and its cursors. An invalid cursor is an Invalid error.
func (s *Store) List(ctx context.Context, projectID int64, p sett.Page) (releases []release.Release, marks sett.Marks, err error) {
	created, id := int64(math.MaxInt64), int64(math.MaxInt64)
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &created, &id); err != nil {
			return nil, marks, err
		}
	}
	statement := list
	if p.Back {
		statement = listBack
	}
	var found []row
	skip, most := p.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), projectID, created, id, most, skip)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var r row
		r.Release, err = scan(rows, &r.id)
		found = append(found, r)
		return err
	})
	found, marks = sett.Cut(p, found, func(r row) string { return db.FormatMark(db.Micros(r.CreatedAt), r.id) })
	for _, r := range found {
		releases = append(releases, r.Release)
	}
	return releases, marks, s.db.Explain(db.Wrap("list releases", err))
}

const save = `-- releasedb.Save
UPDATE releases SET active_at = CASE WHEN active_at > $3 THEN active_at ELSE $3 END, released_at = CASE WHEN $4 THEN $5 ELSE released_at END,
    ref = CASE WHEN $6 THEN $7 ELSE ref END, url = CASE WHEN $8 THEN $9 ELSE url END
WHERE project_id = $1 AND version = $2`

// Save creates a release of a project or changes it, and returns it. The error is Invalid if something in the change is wrong, NotFound if
// there is no such project, and Conflict if the project has no room for another release.
func (s *Store) Save(ctx context.Context, now time.Time, projectID int64, c release.Change) (r release.Release, created bool, err error) {
	if err := c.Check(); err != nil {
		return r, false, err
	}
	err = s.inTx(ctx, "save release", func(t Tx) error {
		k := Key{projectID, c.Version}
		had, err := t.there(ctx, []Key{k})
		if err != nil {
			return err
		}
		created = !had[k]
		full, err := t.Note(ctx, []Named{{Key: k, At: now}})
		if err != nil {
			return err
		}
		if full[k] {
			return sett.Errorf(sett.Conflict, "The project already has %d releases. Delete releases that you no longer need.", release.MostPerProject)
		}
		_, err = t.Exec(ctx, save, projectID, c.Version, db.Micros(now), c.ReleasedAt.Sent, db.Micros(c.ReleasedAt.Value), c.Ref.Sent, c.Ref.Value, c.URL.Sent, c.URL.Value)
		if err != nil {
			return err
		}
		r, err = scan(t.QueryRowContext(ctx, s.db.Text(byVersion), projectID, c.Version))
		return db.NotFound(err, "Project", "read release")
	})
	return r, created, err
}

const deleteRelease = `-- releasedb.Delete
DELETE FROM releases WHERE project_id = $1 AND version = $2`

const deleteCommits = `-- releasedb.deleteCommits
DELETE FROM release_commits WHERE project_id = $1 AND version = $2`

const (
	deleteHours = `-- releasedb.deleteHours
DELETE FROM release_hours WHERE (project_id, version, environment, at) IN (
    SELECT project_id, version, environment, at FROM release_hours WHERE project_id = $1 AND version = $2 LIMIT $3)`
	deleteFaults = `-- releasedb.deleteFaults
DELETE FROM release_faults WHERE (project_id, version, event, fault_id) IN (
    SELECT project_id, version, event, fault_id FROM release_faults WHERE project_id = $1 AND version = $2 LIMIT $3)`
)

const holdRelease = `-- releasedb.hold
SELECT id FROM releases WHERE project_id = $1 AND version = $2 {{for update}}`

const deletion work.Kind = "delete release"

// deletionPieces is how many pieces of a deletion are done before the answer.
const deletionPieces = 20

// goneRelease is a release that is being deleted.
type goneRelease struct {
	Version string `json:"version"`
}

// Delete deletes a release of a project with all its figures, in pieces and the release last; faults, events and deploys stay. If one of them
// names the version again, the release is created again. The error is NotFound if the project has no such release.
func (s *Store) Delete(ctx context.Context, projectID int64, version string) error {
	var i work.Item
	err := s.inTx(ctx, "begin to delete release", func(t Tx) error {
		found, err := s.db.ListIDs(ctx, t, holdRelease, projectID, version)
		if err == nil && len(found) == 0 {
			err = sett.Errorf(sett.NotFound, "Release not found")
		}
		if err == nil {
			i, err = s.work.In(t.Tx).Add(ctx, deletion, projectID, goneRelease{version})
		}
		return err
	})
	if err != nil {
		return err
	}
	_, err = s.work.Begin(ctx, i, deletionPieces, nil)
	return s.db.Explain(err)
}

// continueDeletion deletes what is left of a release.
func (s *Store) continueDeletion(ctx context.Context, i work.Item) error {
	var gone goneRelease
	if err := i.Read(&gone); err != nil {
		return err
	}
	for _, statement := range []string{deleteHours, deleteFaults} {
		err := s.db.Sweep(ctx, "delete figures of release", db.RowsAtOnce, func(t *db.Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, statement, i.ProjectID, gone.Version, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return s.inTx(ctx, "delete release", func(t Tx) error {
		if _, err := t.Exec(ctx, deleteRelease, i.ProjectID, gone.Version); err != nil {
			return err
		}
		_, err := t.Exec(ctx, deleteCommits, i.ProjectID, gone.Version)
		return err
	})
}
