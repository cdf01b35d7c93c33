package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

const navigationProjects = `-- store.Navigation projects
SELECT p.id, p.name, p.account_id FROM memberships m JOIN projects p ON p.account_id = m.account_id
WHERE m.user_id = $1 AND ` + accountdb.SeenBy + ` ORDER BY CASE WHEN p.id = $3 THEN 0 ELSE 1 END, p.name, p.id LIMIT $2`

var navigationCounts = fmt.Sprintf(`-- store.Navigation counts
SELECT (SELECT count(*) FROM (SELECT 1 FROM faults WHERE project_id = $1 AND NOT resolved AND NOT ignored LIMIT %d) AS few),
    (SELECT count(*) FROM sites WHERE project_id = $1), (SELECT count(*) FROM check_ins WHERE project_id = $1),
    EXISTS (SELECT 1 FROM sites s JOIN site_states st ON st.site_id = s.id WHERE s.project_id = $1 AND s.active AND st.state = '%s')
        OR EXISTS (SELECT 1 FROM check_ins WHERE project_id = $1 AND state IN ('%s', '%s'))`, accounts.MostOpenErrors+1, sett.SiteDown, sett.CheckInMissing, sett.CheckInFailing)

// mostNamedProjects is how many projects a navigation lists; users with more find the others in the list of all projects.
const mostNamedProjects = 500

// Navigation returns what pages show around their content to a user who is in a project, 0 for none, or in an account, "" for none. A
// project that they cannot see counts as none.
func (s *Store) Navigation(ctx context.Context, userID, projectID int64, accountID string) (n accounts.Navigation, err error) {
	err = s.Snapshot(ctx, "read navigation", func(q db.Querier) error {
		if err := q.QueryRowContext(ctx, s.Text(accountdb.IsOperator), userID).Scan(&n.Operator); err != nil {
			return db.NotFound(err, "User", "find user")
		}
		rows, err := q.QueryContext(ctx, s.Text(accountdb.NamedAccounts), userID)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var a accounts.NamedAccount
			err := rows.Scan(&a.ID, &a.Name, &a.Role)
			n.Accounts = append(n.Accounts, a)
			return err
		})
		if err != nil {
			return err
		}
		rows, err = q.QueryContext(ctx, s.Text(navigationProjects), userID, mostNamedProjects, projectID)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var p accounts.NamedProject
			err := rows.Scan(&p.ID, &p.Name, &p.AccountID)
			n.Projects = append(n.Projects, p)
			return err
		})
		slices.SortStableFunc(n.Projects, func(a, b accounts.NamedProject) int { return strings.Compare(a.Name, b.Name) }) // the current project came first
		if n.Place(projectID, accountID); err != nil || n.Project.ID == 0 {
			return err
		}
		return q.QueryRowContext(ctx, s.Text(navigationCounts), projectID).Scan(&n.Unresolved, &n.Sites, &n.CheckIns, &n.Down)
	})
	return n, err
}
