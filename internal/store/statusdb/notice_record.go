package statusdb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
	"sett/internal/store/queue"
)

// StatusNoticeResult is the result of an attempt to send a claimed notice.
type StatusNoticeResult struct {
	Notice ClaimedStatusNotice     // as claimed: nothing is changed if the notice was claimed again since
	DueAt  time.Time               // when to retry; zero: the notice was sent, or is given up
	After  status.StatusSubscriber // the subscriber after the attempt
}

// RecordStatusNotices stores the results of claimed notices. Subscribers who have to confirm again get no further notices.
func (s *Store) RecordStatusNotices(ctx context.Context, now time.Time, results []StatusNoticeResult) error {
	if len(results) == 0 {
		return nil
	}
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b StatusNoticeResult) int { return cmp.Compare(a.Notice.ID, b.Notice.ID) }) // rows are locked in one order
	return s.inTx(ctx, "record notices", func(t Tx) error {
		t.KeepsCaches = true
		var outcomes []queue.Outcome
		for _, r := range results {
			outcomes = append(outcomes, queue.Outcome{Claim: queue.Claim{ID: r.Notice.ID, Number: r.Notice.Claim}, DueAt: r.DueAt})
		}
		valid, err := s.Queue.Record(ctx, t.Tx, outcomes)
		if err != nil {
			return err
		}
		recorded := slices.DeleteFunc(slices.Clone(results), func(r StatusNoticeResult) bool { return !valid[r.Notice.ID] })
		for _, part := range []func(context.Context, time.Time, []StatusNoticeResult) error{t.putOffFollowing, t.retryFollowingNow, t.noteSubscribers} {
			if err := part(ctx, now, recorded); err != nil {
				return err
			}
		}
		return nil
	})
}

// Later notices to the same subscriber wait for a retry with it, so that no query reads them again and again.
const putOffFollowing = `-- statusdb.putOffFollowing
UPDATE status_notices SET due_at = k.due_at FROM {{rows k(subscriber_id bigint, due_at bigint)}}
WHERE status_notices.subscriber_id = k.subscriber_id AND NOT status_notices.trying AND status_notices.due_at < k.due_at`

func (t Tx) putOffFollowing(ctx context.Context, _ time.Time, recorded []StatusNoticeResult) error {
	var ids, due []int64
	for _, r := range recorded {
		if !r.DueAt.IsZero() {
			ids, due = append(ids, r.After.ID), append(due, db.Micros(r.DueAt))
		}
	}
	return t.Each(ctx, putOffFollowing, ids, due)
}

const retryFollowingNow = `-- statusdb.retryFollowingNow
UPDATE status_notices SET due_at = k.due_at FROM {{rows k(subscriber_id bigint, due_at bigint)}}
WHERE status_notices.subscriber_id = k.subscriber_id AND NOT status_notices.trying AND status_notices.due_at > k.due_at`

// retryFollowingNow makes notices due that waited for one that is done.
func (t Tx) retryFollowingNow(ctx context.Context, now time.Time, recorded []StatusNoticeResult) error {
	var ids []int64
	for _, r := range recorded {
		if r.DueAt.IsZero() && r.Notice.Tries > 1 {
			ids = append(ids, r.After.ID)
		}
	}
	return t.Each(ctx, retryFollowingNow, ids, db.Repeated(db.Micros(now), len(ids)))
}

// Subscribers who were asked again meanwhile have another token: this result does not apply to them.
const noteSubscribers = `-- statusdb.noteSubscribers
UPDATE status_subscribers SET problem = k.problem, failing_at = k.failing_at, confirmed_at = k.confirmed_at, created_at = k.created_at
FROM {{rows k(id bigint, token_hash bytea, was bigint, problem text, failing_at bigint, confirmed_at bigint, created_at bigint)}}
WHERE status_subscribers.id = k.id AND status_subscribers.token_hash = k.token_hash AND status_subscribers.confirmed_at = k.was`

const dropNoticesOf = `-- statusdb.dropNoticesOf
DELETE FROM status_notices WHERE subscriber_id IN (SELECT k.id FROM {{rows k(id bigint)}})`

// noteSubscribers stores the state of subscribers, and drops the remaining notices of those who are no longer notified.
func (t Tx) noteSubscribers(ctx context.Context, _ time.Time, recorded []StatusNoticeResult) error {
	var ids, was, failing, confirmed, created, stopped []int64
	var tokens [][]byte
	var problems []string
	for _, r := range recorded {
		before, after := r.Notice.Subscriber, r.After
		if after == before {
			continue
		}
		ids, tokens, was = append(ids, after.ID), append(tokens, db.HashOfToken(after.Token)), append(was, db.Micros(before.ConfirmedAt))
		problems, failing = append(problems, after.Problem), append(failing, db.Micros(after.FailingAt))
		confirmed, created = append(confirmed, db.Micros(after.ConfirmedAt)), append(created, db.Micros(after.CreatedAt))
		if after.ConfirmedAt.IsZero() && !before.ConfirmedAt.IsZero() {
			stopped = append(stopped, after.ID)
		}
	}
	if err := t.Each(ctx, noteSubscribers, ids, tokens, was, problems, failing, confirmed, created); err != nil {
		return fmt.Errorf("note subscribers: %w", err)
	}
	return t.Each(ctx, dropNoticesOf, stopped)
}
