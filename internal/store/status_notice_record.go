package store

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett"
)

const dropNotice = `-- store.dropNotice
DELETE FROM status_notices WHERE id = $1 AND tries = $2`

const postponeNotice = `-- store.postponeNotice
UPDATE status_notices SET due_at = $3 WHERE id = $1 AND tries = $2`

// RecordToldNotice says that a claimed notice was told, or need not be. It changes nothing when somebody else has claimed
// the notice since, and so do the others.
func (s *Store) RecordToldNotice(ctx context.Context, c ClaimedStatusNotice) error {
	return s.recordNotice(ctx, c, c.Subscriber.Told(), func(t *tx) (bool, error) {
		return t.changes(ctx, dropNotice, c.ID, c.Tries)
	})
}

// PostponeNotice says that a claimed notice could not be told and when to try again.
func (s *Store) PostponeNotice(ctx context.Context, now time.Time, c ClaimedStatusNotice, due time.Time, problem string) error {
	return s.recordNotice(ctx, c, c.Subscriber.NotTold(now, problem), func(t *tx) (bool, error) {
		return t.changes(ctx, postponeNotice, c.ID, c.Tries, micros(due))
	})
}

// GiveUpNotice says that a claimed notice cannot be told.
func (s *Store) GiveUpNotice(ctx context.Context, now time.Time, c ClaimedStatusNotice, problem string) error {
	return s.recordNotice(ctx, c, c.Subscriber.NotTold(now, problem), func(t *tx) (bool, error) {
		return t.changes(ctx, dropNotice, c.ID, c.Tries)
	})
}

const noteSubscriber = `-- store.noteSubscriber
UPDATE status_subscribers SET problem = $2, failing_at = $3 WHERE id = $1 AND confirmed_at > 0`

const stopSubscriber = `-- store.stopSubscriber
UPDATE status_subscribers SET problem = $2, failing_at = $3, confirmed_at = 0, created_at = $4 WHERE id = $1 AND confirmed_at > 0`

const dropNotices = `-- store.dropNotices
DELETE FROM status_notices WHERE subscriber_id = $1`

// recordNotice notes what came of a claimed notice, unless it is somebody else's by now, and what that makes of the
// subscriber.
func (s *Store) recordNotice(ctx context.Context, c ClaimedStatusNotice, after sett.StatusSubscriber, note func(*tx) (bool, error)) error {
	return s.inTx(ctx, "record notice", func(t *tx) error {
		t.keepsFaults = true
		ours, err := note(t)
		if err != nil || !ours || after == c.Subscriber {
			return err
		}
		if after.ConfirmedAt.Equal(c.Subscriber.ConfirmedAt) {
			_, err := t.exec(ctx, noteSubscriber, after.ID, after.Problem, micros(after.FailingAt))
			return err
		}
		if _, err := t.exec(ctx, stopSubscriber, after.ID, after.Problem, micros(after.FailingAt), micros(after.CreatedAt)); err != nil {
			return err
		}
		_, err = t.exec(ctx, dropNotices, after.ID)
		return err
	})
}

// changes runs a statement and reports whether it has changed anything.
func (t *tx) changes(ctx context.Context, statement string, args ...any) (bool, error) {
	done, err := t.exec(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	if err != nil {
		return false, fmt.Errorf("count changes: %w", err)
	}
	return n > 0, nil
}
