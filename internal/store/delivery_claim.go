package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
)

// ClaimedDelivery is a message that the caller is to send now.
type ClaimedDelivery struct {
	sett.Delivery                   // Tries counts this one
	Alert         sett.Alert        // what it is about
	Integration   *sett.Integration // nil: a user is told
	User          *sett.Person      // nil: an integration is
	Message       []byte            // what was said before; nil: nobody was told yet
	Link          sett.LinkData     // of the alert's fault with an issue of the integration; nil for none
	Broken        error             // what of all this cannot be read; nil for nothing. Then no message can be made
}

// first holds of an open delivery d when nothing that happened before, about its subject, is still to be told to its
// receiver. What is said to one receiver alone is a delivery at once, and waits here for alerts that are not spread yet.
const first = `d.state = 'due' AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.receiver = d.receiver AND o.subject = d.subject
    AND o.state = 'due' AND o.alert_id < d.alert_id)
    AND NOT EXISTS (SELECT 1 FROM alerts a WHERE NOT a.spread AND a.id < d.alert_id AND a.subject = d.subject)`

const nextDelivery = `-- store.NextDelivery
SELECT d.due_at FROM deliveries d WHERE ` + first + ` ORDER BY d.due_at, d.id LIMIT 1`

// NextDelivery returns when the next delivery can be claimed; ok is false when there is none that is open.
func (s *Store) NextDelivery(ctx context.Context) (at time.Time, ok bool, err error) {
	var due int64
	err = s.read.QueryRowContext(ctx, s.text(nextDelivery)).Scan(&due)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, s.Explain(fmt.Errorf("look for deliveries: %w", err))
	}
	return fromMicros(due), true, nil
}

const freeDeliveries = `-- store.FreeDeliveries
UPDATE deliveries SET due_at = $1, trying = false, tries = tries - 1 WHERE trying AND state = 'due'`

// FreeDeliveries makes due what an earlier process had in hand when it died, which is no try that failed. On PostgreSQL other nodes may have something
// in hand, and leases are left to run out. It is to be called before the first claim of a process.
func (s *Store) FreeDeliveries(ctx context.Context, now time.Time) error {
	if s.dialect != sqliteDialect {
		return nil
	}
	return s.inTx(ctx, "free deliveries", func(t *tx) error {
		t.keepsFaults = true
		_, err := t.exec(ctx, freeDeliveries, micros(now))
		return err
	})
}

// mergeDeliveries takes what a later message tells too: that a site was down, once it is up again, and that a check-in was
// missed, once it was missed again or reports. Nobody may be at either of the two.
const mergeDeliveries = `-- store.mergeDeliveries
UPDATE deliveries SET state = 'merged', done_at = $1 WHERE id IN (SELECT d.id FROM deliveries d
    WHERE d.state = 'due' AND d.due_at <= $1 AND d.event IN ('down', 'check_in_missing') AND EXISTS (SELECT 1 FROM deliveries o
        WHERE o.receiver = d.receiver AND o.subject = d.subject AND o.state = 'due' AND o.alert_id > d.alert_id AND o.due_at <= $1
        AND (d.event = 'down' AND o.event = 'up' OR d.event = 'check_in_missing' AND o.event IN ('check_in_missing', 'check_in_reporting')))
    {{for update skip locked}})`

const dueDeliveries = `-- store.dueDeliveries
SELECT d.id, d.receiver FROM deliveries d WHERE d.due_at <= $1 AND ` + first + ` AND d.receiver NOT IN `

const dueInOrder = ` ORDER BY d.due_at, d.id LIMIT $2 {{for update skip locked}}`

const claimDeliveries = `-- store.claimDeliveries
UPDATE deliveries SET due_at = k.due_at, trying = true, tries = tries + 1 FROM {{rows k(id bigint, due_at bigint)}} WHERE deliveries.id = k.id`

// ClaimDeliveries returns at most limit deliveries that are due and keeps others from claiming them for the lease; what
// was not recorded by then is due again. Of those to one receiver about one subject only the oldest that is open can be
// claimed, and of those to one receiver as many as room says; receivers that are busy, and have none, are left out. What a
// later one tells too is merged into it first. Where there was more to claim for a receiver, others may have to wait for
// the next claim.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, limit int, busy []sett.Receiver, room func(sett.Receiver) int) (claimed []ClaimedDelivery, err error) {
	if at, ok, err := s.NextDelivery(ctx); err != nil || !ok || at.After(now) {
		return nil, err
	}
	err = s.inTx(ctx, "claim deliveries", func(t *tx) error {
		t.keepsFaults = true
		if _, err := t.exec(ctx, mergeDeliveries, micros(now)); err != nil {
			return err
		}
		ids, err := t.claim(ctx, now, lease, limit, busy, room)
		if err != nil || len(ids) == 0 {
			claimed = nil
			return err
		}
		if claimed, err = t.claimed(ctx, ids); err != nil {
			return err
		}
		claimed, err = t.dropInactive(ctx, now, claimed)
		return err
	})
	return claimed, err
}

func (t *tx) claim(ctx context.Context, now time.Time, lease time.Duration, limit int, busy []sett.Receiver, room func(sett.Receiver) int) (ids []int64, err error) {
	names := []string{""} // of nobody, for NOT IN wants one
	for _, r := range busy {
		names = append(names, string(r))
	}
	list, values := in(3, names)
	rows, err := t.QueryContext(ctx, t.s.text(dueDeliveries+list+dueInOrder), append([]any{micros(now), limit}, values...)...)
	taken := map[sett.Receiver]int{}
	var ends []int64
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var id int64
		var to sett.Receiver
		err := rows.Scan(&id, &to)
		if taken[to] < room(to) {
			taken[to]++
			ids, ends = append(ids, id), append(ends, micros(now.Add(lease)))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return ids, t.each(ctx, claimDeliveries, ids, ends)
}

const readClaimed = `-- store.readClaimed
SELECT ` + alertColumns + `, ` + deliveryColumns + `, a.message, u.id, u.email, u.name, l.data
FROM deliveries d JOIN alerts a ON a.id = d.alert_id LEFT JOIN users u ON u.id = d.user_id
LEFT JOIN fault_links l ON l.fault_id = a.fault_id AND l.integration_id = d.integration_id WHERE d.id IN `

// claimed returns all that is known of some deliveries, in the order of their ids.
func (t *tx) claimed(ctx context.Context, ids []int64) (found []ClaimedDelivery, err error) {
	list, args := in(1, ids)
	rows, err := t.QueryContext(ctx, t.s.text(readClaimed+list+" ORDER BY d.id"), args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		c, err := scanClaimed(rows)
		found = append(found, c)
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, t.setIntegrations(ctx, found)
}

func scanClaimed(rows *sql.Rows) (c ClaimedDelivery, err error) {
	var due, created, done int64
	var message []byte
	var user sql.NullInt64
	var email, name, link sql.NullString
	d := &c.Delivery
	c.Alert, err = scanAlert(rows, &d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &d.Problem, &d.Note, &message, &user, &email, &name, &link)
	if broken, ok := errors.AsType[unreadable](err); ok {
		c.Broken = broken
	} else if err != nil {
		return c, err
	}
	d.DueAt, d.CreatedAt, d.DoneAt = fromMicros(due), fromMicros(created), fromMicros(done)
	if user.Valid {
		c.User = &sett.Person{ID: user.Int64, Email: email.String, Name: name.String}
	}
	if link.Valid {
		if err := json.Unmarshal([]byte(link.String), &c.Link); err != nil {
			c.Broken = fmt.Errorf("read link of fault %d: %w", c.Alert.FaultID, err)
		}
	}
	if message != nil {
		if c.Message, err = decompress(message); err != nil {
			c.Broken = fmt.Errorf("read message of alert %d: %w", c.AlertID, err)
		}
	}
	return c, nil
}

const integrationsByID = `-- store.integrationsByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.id IN `

func (t *tx) setIntegrations(ctx context.Context, claimed []ClaimedDelivery) error {
	var ids []int64
	for _, c := range claimed {
		ids = append(ids, c.IntegrationID)
	}
	byID, broken := map[int64]*sett.Integration{}, map[int64]error{}
	list, args := in(1, ids)
	rows, err := t.QueryContext(ctx, t.s.text(integrationsByID+list), args...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		i, err := scanIntegration(rows)
		byID[i.ID] = &i
		if why, ok := errors.AsType[unreadable](err); ok {
			broken[i.ID] = why
			return nil
		}
		return err
	})
	for n := range claimed {
		c := &claimed[n]
		if c.Integration = byID[c.IntegrationID]; c.Broken == nil {
			c.Broken = broken[c.IntegrationID]
		}
	}
	return err
}

const dropDeliveries = `-- store.dropDeliveries
UPDATE deliveries SET state = 'failed', trying = false, tries = tries - 1, done_at = k.at, problem = k.problem
FROM {{rows k(id bigint, at bigint, problem text)}} WHERE deliveries.id = k.id`

// dropInactive gives up what is for integrations that somebody has turned off since it was due, but for what is said to
// them in any case, and for users who are not to have it any more.
func (t *tx) dropInactive(ctx context.Context, now time.Time, claimed []ClaimedDelivery) (left []ClaimedDelivery, err error) {
	var ids, ats []int64
	var problems []string
	unwanted, err := t.unwanted(ctx, claimed)
	if err != nil {
		return nil, err
	}
	for _, c := range claimed {
		problem := "The integration was turned off."
		switch {
		case unwanted[c.ID]:
			problem = "The user has turned mails about the project off, or cannot see it any more."
		case c.Integration == nil || c.Integration.Active || c.Alert.Direct():
			left = append(left, c)
			continue
		}
		ids, ats, problems = append(ids, c.ID), append(ats, micros(now)), append(problems, problem)
	}
	return left, t.each(ctx, dropDeliveries, ids, ats, problems)
}
