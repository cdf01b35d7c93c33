package statusdb

import (
	"context"
	"database/sql"
	"fmt"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const subscribersOfPage = `-- statusdb.subscribersOfPage
SELECT id, kind, address, confirmed_at, created_at, problem, failing_at FROM status_subscribers `

const (
	listSubscribers     = subscribersOfPage + "WHERE page = $1 AND id > $2 ORDER BY id LIMIT $3 OFFSET $4"
	listSubscribersBack = subscribersOfPage + "WHERE page = $1 AND id <= $2 ORDER BY id DESC LIMIT $3 OFFSET $4"
)

// ListSubscribers returns a page of the subscribers of an account's status page, without their secrets, in the order of their first
// subscription, and its cursors. The error is NotFound if the account has no such page, and Invalid for an invalid cursor.
func (s *Store) ListSubscribers(ctx context.Context, accountID, page string, p sett.Page) (found []status.StatusSubscriber, marks sett.Marks, err error) {
	var at int64
	statement := listSubscribers
	if p.Back {
		statement = listSubscribersBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &at); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	err = s.db.Snapshot(ctx, "list subscribers", func(q db.Querier) error {
		shown, err := s.statusPage(ctx, q, oneStatusPage, accountID, page)
		if err != nil {
			return err
		}
		rows, err := q.QueryContext(ctx, s.db.Text(statement), shown.Number, at, most, skip)
		found = nil
		return db.ScanAll(rows, err, func(rows *sql.Rows) error {
			one := status.StatusSubscriber{PageID: page}
			var confirmed, created, failing int64
			err := rows.Scan(&one.ID, &one.Kind, &one.Address, &confirmed, &created, &one.Problem, &failing)
			one.ConfirmedAt, one.CreatedAt, one.FailingAt = db.FromMicros(confirmed), db.FromMicros(created), db.FromMicros(failing)
			found = append(found, one)
			return err
		})
	})
	if err != nil {
		return nil, sett.Marks{}, err
	}
	found, marks = sett.Cut(p, found, func(one status.StatusSubscriber) string { return db.FormatMark(one.ID) })
	return found, marks, nil
}

const deleteSubscriber = `-- statusdb.DeleteSubscriber
DELETE FROM status_subscribers WHERE id = $3 AND page IN (SELECT number FROM status_pages WHERE account_id = $1 AND id = $2)`

// DeleteSubscriber deletes a subscriber without notifying them. The error is NotFound if the account's page has no such subscriber.
func (s *Store) DeleteSubscriber(ctx context.Context, accountID, page string, id int64) error {
	return s.inTx(ctx, "delete subscriber", func(t Tx) error {
		t.KeepsCaches = true
		n, err := t.Changed(ctx, deleteSubscriber, accountID, page, id)
		switch {
		case err != nil:
			return fmt.Errorf("delete subscriber: %w", err)
		case n == 0:
			return sett.Errorf(sett.NotFound, "Subscriber not found")
		}
		return nil
	})
}
