package fault

import (
	"context"
	"database/sql"

	"sett/internal/store/db"
)

// AffectedUser is a user who was affected by a fault.
type AffectedUser struct {
	User  string // as in the notices: an e-mail address or an id
	Count int64  // of notices
}

// MostAffectedUsers is how many users of a fault one answer lists at most.
const MostAffectedUsers = 10_000

const affectedUsers = `-- store.AffectedUsers
SELECT u.name, CAST(sum(u.count) AS bigint) AS notices, count(*) OVER () FROM faults f CROSS JOIN fault_users u
WHERE f.project_id = $1 AND f.id = $2 AND ($3 = '%%' OR u.name {{like}} $3 ESCAPE '\') AND u.fault_id IN `

const affectedUsersInOrder = " GROUP BY u.name ORDER BY notices DESC, u.name LIMIT $4"

// AffectedUsers returns the users affected by a fault, most affected first: at most limit of those whose name contains the text in either
// case, and how many there are in all. The error is NotFound if the project has no such fault.
func (s *Store) AffectedUsers(ctx context.Context, projectID, faultID int64, containing string, limit int) (users []AffectedUser, all int64, err error) {
	err = s.db.Snapshot(ctx, "list affected users", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.PartsOf(ctx, q, faultID)
		if err != nil {
			return err
		}
		list, ids := db.In(s.db, 5, parts)
		args := append([]any{projectID, faultID, "%" + db.EscapeLike(containing) + "%", limit}, ids...)
		rows, err := q.QueryContext(ctx, s.db.Text(affectedUsers+list+affectedUsersInOrder), args...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var u AffectedUser
			err := rows.Scan(&u.User, &u.Count, &all)
			users = append(users, u)
			return err
		})
	})
	return users, all, err
}
