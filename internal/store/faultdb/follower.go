package faultdb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const follow = `-- faultdb.Follow
INSERT INTO fault_followers (fault_id, user_id, project_id, follows, changed_at) VALUES ($2, $3, $1, $4, $5)
ON CONFLICT (fault_id, user_id) DO UPDATE SET follows = excluded.follows, changed_at = excluded.changed_at`

// Follow has a user follow a fault, or unfollow it. The error is NotFound if the project has no such fault.
func (s *Store) Follow(ctx context.Context, now time.Time, userID, projectID, faultID int64, follows bool) error {
	return s.inTx(ctx, "follow fault", func(t Tx) error {
		t.KeepsCaches = true
		if _, err := t.readState(ctx, projectID, faultID); err != nil { // the lock prevents its deletion
			return err
		}
		_, err := t.Exec(ctx, follow, projectID, faultID, userID, follows, db.Micros(now))
		return err
	})
}

// Those who unfollowed a fault, or one that was merged into it, do not follow it on their own.
const followInvolved = `-- faultdb.followInvolved
INSERT INTO fault_followers (fault_id, user_id, project_id, follows, changed_at)
SELECT k.fault_id, u.id, k.project_id, true, k.at FROM {{rows k(fault_id bigint, user_id bigint, project_id bigint, at bigint)}} JOIN users u ON u.id = k.user_id
WHERE NOT EXISTS (SELECT 1 FROM merged_faults m JOIN fault_followers w ON w.fault_id = m.id WHERE m.into_id = k.fault_id AND w.user_id = k.user_id)
ON CONFLICT (fault_id, user_id) DO NOTHING`

// involve has users follow faults that they are involved in now, unless they ever followed or unfollowed them.
func (t Tx) involve(ctx context.Context, now time.Time, projectID int64, ids []int64, users ...int64) error {
	var of, who []int64
	for _, user := range slices.Compact(slices.Sorted(slices.Values(users))) {
		of, who = append(of, ids...), append(who, db.Repeated(user, len(ids))...)
	}
	return db.Wrap("follow faults", t.Each(ctx, followInvolved, of, who, db.Repeated(projectID, len(of)), db.Repeated(db.Micros(now), len(of))))
}

const dropFollowers = `-- faultdb.dropFollowers
DELETE FROM fault_followers WHERE fault_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// Followers says which users follow a fault; false is of those who unfollowed it.
type Followers map[int64]bool

// Names returns the names of the followers among some people.
func (f Followers) Names(people []sett.Person) (names []string) {
	for _, p := range people {
		if f[p.ID] {
			names = append(names, p.Called())
		}
	}
	return names
}

// followersOf selects by the ids of faults, also of merged ones, who follows them or what was merged into them.
const followersOf = `-- faultdb.followersOf
WITH asked AS (SELECT k.id, coalesce(m.into_id, k.id) AS fault_id FROM {{rows k(id bigint)}} LEFT JOIN merged_faults m ON m.id = k.id)
SELECT a.id, w.user_id, w.follows, w.changed_at FROM asked a JOIN fault_followers w ON w.fault_id = a.fault_id
UNION ALL SELECT a.id, w.user_id, w.follows, w.changed_at FROM asked a JOIN merged_faults m ON m.into_id = a.fault_id JOIN fault_followers w ON w.fault_id = m.id
ORDER BY 1, 4`

// ReadFollowers returns the followers of some faults, by their ids.
func (s *Store) ReadFollowers(ctx context.Context, q db.Querier, ids []int64) (map[int64]Followers, error) {
	found := map[int64]Followers{}
	err := s.db.ReadRows(ctx, q, followersOf, func(rows *sql.Rows) error {
		var fault, user, at int64
		var follows bool
		err := rows.Scan(&fault, &user, &follows, &at)
		if found[fault] == nil {
			found[fault] = Followers{}
		}
		found[fault][user] = follows
		return err
	}, ids)
	return found, db.Wrap("read followers", err)
}
