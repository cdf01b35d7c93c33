package statusdb

import (
	"context"
	"database/sql"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const sitesToShow = `-- statusdb.StatusChoices sites
SELECT p.name, s.name, s.uuid FROM projects p JOIN sites s ON s.project_id = p.id WHERE p.account_id = $1 AND NOT p.deleting ORDER BY p.name, p.id, s.name, s.id LIMIT $2`

const checkInsToShow = `-- statusdb.StatusChoices check-ins
SELECT p.name, coalesce(nullif(c.name, ''), c.slug), c.id FROM projects p JOIN check_ins c ON c.project_id = p.id WHERE p.account_id = $1 AND NOT p.deleting
ORDER BY p.name, p.id, 2, c.number LIMIT $2`

// mostStatusChoices is the maximum number of sites, and of check-ins, to choose from.
const mostStatusChoices = 1000

// StatusChoices returns the sites of an account's projects, then their check-ins, by project and name. Show it only to users who manage
// the account's status pages: the ids of check-ins are secrets.
func (s *Store) StatusChoices(ctx context.Context, accountID string) (found []status.StatusChoice, err error) {
	err = s.db.Snapshot(ctx, "list what status pages can show", func(q db.Querier) error {
		found = nil
		rows, err := q.QueryContext(ctx, s.db.Text(sitesToShow), accountID, mostStatusChoices)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var c status.StatusChoice
			var id []byte
			err := rows.Scan(&c.Project, &c.Name, &id)
			copy(c.SiteID[:], id)
			found = append(found, c)
			return err
		})
		if err != nil {
			return err
		}
		rows, err = q.QueryContext(ctx, s.db.Text(checkInsToShow), accountID, mostStatusChoices)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var c status.StatusChoice
			err := rows.Scan(&c.Project, &c.Name, &c.CheckInID)
			found = append(found, c)
			return err
		})
	})
	return found, err
}
