package statusdb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/status"
	"sett/internal/store/db"
)

const readChoices = `-- statusdb.SubscriberChoices
SELECT s.id, s.selective, coalesce(c.component_id, 0) FROM status_subscribers s LEFT JOIN status_subscriber_components c ON c.subscriber_id = s.id
WHERE s.id IN `

// SubscriberChoices returns the components that subscribers chose, by subscriber.
func (s *Store) SubscriberChoices(ctx context.Context, subscribers ...int64) (map[int64]status.ComponentChoice, error) {
	choices := map[int64]status.ComponentChoice{}
	if len(subscribers) == 0 {
		return choices, nil
	}
	list, args := db.In(s.db, 1, subscribers)
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(readChoices+list+" ORDER BY s.id, c.component_id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, component int64
		var selective bool
		err := rows.Scan(&id, &selective, &component)
		choice := choices[id]
		if choice.Selective = selective; component > 0 {
			choice.ComponentIDs = append(choice.ComponentIDs, component)
		}
		choices[id] = choice
		return err
	})
	return choices, s.db.Explain(db.Wrap("read choices of subscribers", err))
}

const setSelective = `-- statusdb.setSelective
UPDATE status_subscribers SET selective = $2 WHERE id = $1`

const clearChoice = `-- statusdb.clearChoice
DELETE FROM status_subscriber_components WHERE subscriber_id = $1`

const insertChoice = `-- statusdb.insertChoice
INSERT INTO status_subscriber_components (subscriber_id, component_id)
SELECT k.subscriber_id, k.component_id FROM {{rows k(subscriber_id bigint, component_id bigint)}} WHERE true`

// ChooseComponents stores which components of a page the subscriber with a token is sent updates of. Ids that are not of the page are ignored.
// The error is that of SubscriberByToken.
func (s *Store) ChooseComponents(ctx context.Context, now time.Time, page, token string, chosen []int64) error {
	if _, err := s.SubscriberByToken(ctx, now, page, token); err != nil {
		return err // requests with made-up tokens must not take the write lock
	}
	return s.inTx(ctx, "choose components", func(t Tx) error {
		t.KeepsCaches = true
		who, err := s.subscriberByToken(ctx, t, now, page, token)
		if err != nil {
			return err
		}
		p, err := s.statusPage(ctx, t, statusPageToView, page)
		if err != nil {
			return err
		}
		choice := p.Choose(chosen)
		if _, err := t.Exec(ctx, setSelective, who.ID, choice.Selective); err != nil {
			return fmt.Errorf("note that a subscriber chooses: %w", err)
		}
		if _, err := t.Exec(ctx, clearChoice, who.ID); err != nil {
			return fmt.Errorf("clear choice of subscriber: %w", err)
		}
		of := make([]int64, len(choice.ComponentIDs))
		for i := range of {
			of[i] = who.ID
		}
		return db.Wrap("write choice of subscriber", t.Each(ctx, insertChoice, of, choice.ComponentIDs))
	})
}
