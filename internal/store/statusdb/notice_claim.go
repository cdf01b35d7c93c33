package statusdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
	"sett/internal/store/queue"
)

// NoticeLane names the notices to one kind of subscribers of one page. Lanes take turns, so that none waits for another.
func NoticeLane(page int64, kind status.SubscriberKind) string {
	return fmt.Sprintf("%d:%s", page, kind)
}

// firstNotice holds for the oldest notice d to its subscriber. This is not a NOT EXISTS, for which PostgreSQL may scan all notices.
const firstNotice = `(SELECT o.id FROM status_notices o WHERE o.subscriber_id = d.subscriber_id AND o.id < d.id ORDER BY o.id LIMIT 1) IS NULL`

func newQueue(d *db.DB) *queue.Queue {
	return queue.New(d, queue.Rules{Table: "status_notices", Lane: "lane", First: firstNotice, Topic: StatusPublished})
}

// ClaimStatusNotices returns at most limit due notices, from each lane at most as many as room allows, and keeps others from claiming them
// until the lease ends; a notice without a recorded result is then due again. The notices to one subscriber are claimed in order, each
// after its predecessors were sent or given up. If the limit is not enough for all, lanes with the most room come first.
func (s *Store) ClaimStatusNotices(ctx context.Context, now time.Time, lease time.Duration, limit int, room func(lane string) int) (claimed []ClaimedStatusNotice, err error) {
	due, err := s.Queue.Due(ctx, now, room)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	slices.SortStableFunc(due, func(a, b queue.Lane) int { return room(b.Name) - room(a.Name) })
	err = s.inTx(ctx, "claim notices", func(t Tx) error {
		t.KeepsCaches = true
		ids, err := s.Queue.Claim(ctx, t.Tx, now, lease, limit, due, room)
		if err != nil || len(ids) == 0 {
			claimed = nil
			return err
		}
		claimed, err = s.claimedNotices(ctx, t, ids)
		return err
	})
	return claimed, err
}
