package dashboarddb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/dashboard"
	"sett/internal/store/db"
)

const sharingDisabled = `-- dashboarddb.sharingDisabled
SELECT p.disable_public_links FROM dashboards d JOIN projects p ON p.id = d.project_id WHERE d.project_id = $1 AND d.id = $2`

const insertShare = `-- dashboarddb.Share
INSERT INTO dashboard_shares (dashboard_id, project_id, hash, made_by, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (dashboard_id) DO UPDATE SET hash = excluded.hash, made_by = excluded.made_by, created_at = excluded.created_at`

// Share sets the public link of a dashboard to the one whose token has the given hash, and ends an earlier one. The error is NotFound if the project
// has no such dashboard, and Forbidden while it does not allow public links.
func (s *Store) Share(ctx context.Context, now time.Time, userID, projectID int64, id string, hash []byte) error {
	return s.db.InTx(ctx, "share dashboard", func(t *db.Tx) error {
		t.KeepsCaches = true
		var disabled bool
		if err := t.QueryRowContext(ctx, s.db.Text(sharingDisabled), projectID, id).Scan(&disabled); err != nil {
			return db.NotFound(err, "Dashboard", "find dashboard")
		}
		if disabled {
			return sett.ErrSharingDisabled()
		}
		_, err := t.Exec(ctx, insertShare, id, projectID, hash, userID, db.Micros(now))
		return err
	})
}

const deleteShare = `-- dashboarddb.Unshare
DELETE FROM dashboard_shares WHERE project_id = $1 AND dashboard_id = $2`

// Unshare ends the public link of a dashboard. The error is NotFound if it has none.
func (s *Store) Unshare(ctx context.Context, projectID int64, id string) error {
	return s.db.InTx(ctx, "end link of dashboard", func(t *db.Tx) error {
		t.KeepsCaches = true
		ended, err := t.Changed(ctx, deleteShare, projectID, id)
		if err == nil && ended == 0 {
			err = sett.Errorf(sett.NotFound, "Public link not found: this dashboard has none")
		}
		return err
	})
}

const shareOfDashboard = `-- dashboarddb.ShareOf
SELECT p.disable_public_links, h.created_at, u.id, u.email, u.name
FROM projects p LEFT JOIN dashboard_shares h ON h.project_id = p.id AND h.dashboard_id = $2 LEFT JOIN users u ON u.id = h.made_by
WHERE p.id = $1`

// ShareOf returns the public link of a dashboard, with no time if it has none, and whether its project allows links.
func (s *Store) ShareOf(ctx context.Context, projectID int64, id string) (share sett.Share, err error) {
	var created, user sql.NullInt64
	var email, name sql.NullString
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(shareOfDashboard), projectID, id).Scan(&share.Disabled, &created, &user, &email, &name)
	if created.Valid {
		share.CreatedAt = db.FromMicros(created.Int64)
	}
	if user.Valid {
		share.MadeBy = &sett.Person{ID: user.Int64, Email: email.String, Name: name.String}
	}
	return share, db.NotFound(err, "Dashboard", "find link of dashboard")
}

const sharedDashboard = `-- dashboarddb.Shared
SELECT d.number, d.id, d.project_id, d.title, d.default_ts, d.widgets, d.created_at, d.updated_at, false
FROM dashboard_shares h JOIN projects p ON p.id = h.project_id JOIN dashboards d ON d.id = h.dashboard_id AND d.project_id = h.project_id
WHERE h.hash = $1 AND NOT p.disable_public_links`

// Shared returns the dashboard of the public link whose token has the given hash. The error is NotFound if there is no such link, or its project no
// longer allows public links.
func (s *Store) Shared(ctx context.Context, hash []byte) (dashboard.Dashboard, error) {
	n, err := scan(s.db.Read.QueryRowContext(ctx, s.db.Text(sharedDashboard), hash))
	return n.Dashboard, db.NotFound(err, "Page", "find shared dashboard")
}
