package accountdb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/regroup"
	"sett/internal/store/db"
)

const projectGrouping = `-- accountdb.Grouping
SELECT grouping FROM projects WHERE id = $1`

// Grouping returns the grouping rules of a project, or a NotFound error.
func (s *Store) Grouping(ctx context.Context, projectID int64) (regroup.Settings, error) {
	var text string
	err := s.db.Read.QueryRowContext(ctx, s.db.Text(projectGrouping), projectID).Scan(&text)
	return regroup.SettingsOf(text), s.db.Explain(db.NotFound(err, "Project", "read grouping rules"))
}

const holdGrouping = projectGrouping + ` {{for update}}`

const setGrouping = `-- accountdb.setGrouping
UPDATE projects SET grouping = $2 WHERE id = $1`

const insertGroupingChange = `-- accountdb.insertGroupingChange
INSERT INTO grouping_changes (project_id, rules, joined, made_by, made_at) VALUES ($1, $2, $3, $4, $5)`

// mostGroupingChanges is how many versions of the rules of a project are kept.
const mostGroupingChanges = 50

const dropGroupingChanges = `-- accountdb.dropGroupingChanges
DELETE FROM grouping_changes WHERE project_id = $1 AND id NOT IN (SELECT g.id FROM grouping_changes g WHERE g.project_id = $1 ORDER BY g.id DESC LIMIT $2)`

// UpdateGrouping changes the grouping rules of a project from those that a user saw, and records the version with how many errors will be merged by it. The error is
// Invalid if the rules cannot be used, and Conflict if they are not what the user saw any more.
func (s *Store) UpdateGrouping(ctx context.Context, now time.Time, userID, projectID int64, seen, rules string, joined int64) error {
	return s.inTx(ctx, "update grouping rules", func(t Tx) error {
		var text string
		if err := t.QueryRowContext(ctx, s.db.Text(holdGrouping), projectID).Scan(&text); err != nil {
			return db.NotFound(err, "Project", "read grouping rules")
		}
		have := regroup.SettingsOf(text)
		if have.Rules != seen {
			return sett.Errorf(sett.Conflict, "Another user has just changed the rules. Reload the page and try again.")
		}
		settings, err := have.Change(rules, now)
		if err != nil {
			return err
		}
		_, err = t.Exec(ctx, setGrouping, projectID, settings.Text())
		if err == nil {
			_, err = t.Exec(ctx, insertGroupingChange, projectID, rules, joined, userID, db.Micros(now))
		}
		if err == nil {
			_, err = t.Exec(ctx, dropGroupingChanges, projectID, mostGroupingChanges)
		}
		return db.Wrap("store grouping rules", err)
	})
}

const groupingVersions = `-- accountdb.GroupingVersions
SELECT g.id, g.rules, g.joined, g.made_at, g.made_by, coalesce(u.email, ''), coalesce(u.name, '') FROM grouping_changes g LEFT JOIN users u ON u.id = g.made_by
WHERE g.project_id = $1 ORDER BY g.id DESC LIMIT $2`

// GroupingVersions returns the versions of the grouping rules of a project, the newest first. The last of them had none before it.
func (s *Store) GroupingVersions(ctx context.Context, projectID int64) (all []regroup.Version, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(groupingVersions), projectID, mostGroupingChanges)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var v regroup.Version
		var at int64
		err := rows.Scan(&v.ID, &v.Rules, &v.Joined, &at, &v.By.ID, &v.By.Email, &v.By.Name)
		v.At = db.FromMicros(at)
		all = append(all, v)
		return err
	})
	return all, db.Wrap("read versions of grouping rules", err)
}
