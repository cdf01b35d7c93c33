package faultdb

import (
	"context"
	"database/sql"
	"math"

	"sett/internal/store/db"
)

// AffectedUser is a user who was affected by a fault.
type AffectedUser struct {
	User  string // as in the notices: an e-mail address or an id
	Count int64  // of notices
}

// MostAffectedUsers is how many users of a fault one answer lists at most.
const MostAffectedUsers = 10_000

const (
	usersOfFault = ` FROM fault_users u WHERE u.fault_id = $1 AND ($2 = '%%' OR u.name {{like}} $2 ESCAPE '\')`

	affectedUsers = `-- faultdb.AffectedUsers
SELECT u.name, u.count` + usersOfFault + ` ORDER BY u.count DESC, u.name LIMIT $3`

	countAffectedUsers = `-- faultdb.countAffectedUsers
SELECT count(*) FROM (SELECT 1` + usersOfFault + ` LIMIT $3) AS few`
)

// Only where others were merged into a fault may a user be stored under several ids. To sum them takes ten times as long.
const (
	usersOfMerged = ` FROM fault_users u WHERE ($1 = '%%' OR u.name {{like}} $1 ESCAPE '\') AND u.fault_id IN `

	affectedUsersOfMerged = `-- faultdb.affectedUsersOfMerged
SELECT u.name, CAST(sum(u.count) AS bigint) AS notices` + usersOfMerged

	affectedUsersInOrder = " GROUP BY u.name ORDER BY notices DESC, u.name LIMIT $2"

	countAffectedUsersOfMerged = `-- faultdb.countAffectedUsersOfMerged
SELECT count(*) FROM (SELECT DISTINCT u.name` + usersOfMerged
)

// AffectedUsers returns the users affected by a fault, most affected first: at most limit of those whose name contains the text in either
// case, and how many there are in all. The error is NotFound if the project has no such fault.
func (s *Store) AffectedUsers(ctx context.Context, projectID, faultID int64, containing string, limit int) (users []AffectedUser, all int64, err error) {
	return s.affectedUsers(ctx, projectID, faultID, containing, limit, math.MaxInt64-1)
}

// MostUsersAtOnce is up to how many affected users of a fault FewAffectedUsers reads.
const MostUsersAtOnce = 10_000

// FewAffectedUsers is AffectedUsers in a time that has a bound: of a fault with more than MostUsersAtOnce users it returns none, and one more than
// that as their number.
func (s *Store) FewAffectedUsers(ctx context.Context, projectID, faultID int64, limit int) (users []AffectedUser, all int64, err error) {
	return s.affectedUsers(ctx, projectID, faultID, "", limit, MostUsersAtOnce)
}

func (s *Store) affectedUsers(ctx context.Context, projectID, faultID int64, containing string, limit int, most int64) (users []AffectedUser, all int64, err error) {
	err = s.db.Snapshot(ctx, "list affected users", func(q db.Querier) error {
		if err := s.checkFault(ctx, q, projectID, faultID); err != nil {
			return err
		}
		parts, err := s.PartsOf(ctx, q, faultID)
		if err != nil {
			return err
		}
		like := "%" + db.EscapeLike(containing) + "%"
		list, listed, count, counted := affectedUsers, []any{faultID, like, limit}, countAffectedUsers, []any{faultID, like, most + 1}
		if len(parts) > 1 {
			in, ids := db.In(s.db, 3, parts)
			list, listed = affectedUsersOfMerged+in+affectedUsersInOrder, append([]any{like, limit}, ids...)
			count, counted = countAffectedUsersOfMerged+in+" LIMIT $2) AS few", append([]any{like, most + 1}, ids...)
		}
		users = nil
		if err := q.QueryRowContext(ctx, s.db.Text(count), counted...).Scan(&all); err != nil || all > most {
			return err
		}
		rows, err := q.QueryContext(ctx, s.db.Text(list), listed...)
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var u AffectedUser
			err := rows.Scan(&u.User, &u.Count)
			users = append(users, u)
			return err
		})
	})
	return users, all, err
}
