package faultdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/store/db"
)

// MostCountedUsers is up to how many affected users of a fault a list counts exactly.
const MostCountedUsers = 500

var countUsers = fmt.Sprintf(`-- faultdb.usersOf
SELECT k.id, (SELECT count(*) FROM (SELECT 1 FROM fault_users u WHERE u.fault_id = k.id LIMIT %d) AS few) FROM {{rows k(id bigint)}}`, MostCountedUsers+1)

const countUsersOfParts = `-- faultdb.countUsersOfParts
SELECT count(*) FROM (SELECT DISTINCT name FROM fault_users WHERE fault_id IN `

// usersOf returns how many users faults affected, at most one more than MostCountedUsers for each.
func (s *Store) usersOf(ctx context.Context, q db.Querier, faults []int64) (map[int64]int64, error) {
	counts := map[int64]int64{}
	err := s.db.ReadRows(ctx, q, countUsers, func(rows *sql.Rows) error {
		var id, n int64
		err := rows.Scan(&id, &n)
		counts[id] = n
		return err
	}, faults)
	if err != nil {
		return nil, err
	}
	return counts, s.countUsersOfMerged(ctx, q, faults, counts)
}

// countUsersOfMerged counts again for faults that others were merged into: a user may be stored under several ids.
func (s *Store) countUsersOfMerged(ctx context.Context, q db.Querier, faults []int64, counts map[int64]int64) error {
	all, of, err := s.withParts(ctx, q, faults)
	if err != nil || len(all) == len(faults) {
		return err
	}
	parts := map[int64][]int64{}
	for _, id := range all {
		parts[of[id]] = append(parts[of[id]], id)
	}
	for fault, ids := range parts {
		if len(ids) == 1 {
			continue
		}
		n, err := s.usersOfParts(ctx, q, ids, MostCountedUsers+1)
		if err != nil {
			return err
		}
		counts[fault] = n
	}
	return nil
}
