package delivery

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/fault"
	"sett/internal/triage"
)

// ClaimedDelivery is a message for the caller to send now.
type ClaimedDelivery struct {
	sett.Delivery                   // Tries includes this attempt
	Claim         int64             // the number of this claim; unique among the claims of the delivery
	Alert         sett.Alert        // what the message is about
	Integration   *sett.Integration // nil: the receiver is a user
	User          *sett.Person      // nil: the receiver is an integration
	Message       []byte            // the alert's earlier message; nil: none yet
	Link          triage.LinkData   // of the alert's fault with an issue of the integration; nil for none
	Broken        error             // why some of these fields cannot be read, and so no message can be built; nil: all can
	ProjectOff    bool              // a user has turned off the project of the alert
}

const claimDeliveries = `-- store.claimDeliveries
UPDATE deliveries SET due_at = k.due_at, trying = true, tries = tries + 1, claims = claims + 1, claimed_by = k.process
FROM {{rows k(id bigint, due_at bigint, process text)}} WHERE deliveries.id = k.id`

// ClaimDeliveries returns at most limit due deliveries, and keeps others from claiming them until the lease ends; a delivery without a
// recorded result is then due again. Of the deliveries to one receiver about one subject only the oldest open one can be claimed; those
// that users have requested again can be claimed in any order. For each receiver it returns at most as many as room allows; it skips busy
// receivers. First it merges deliveries into later ones that include their news.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, limit int, busy []sett.Receiver, room func(sett.Receiver) int) (claimed []ClaimedDelivery, err error) {
	due, err := s.receiversDue(ctx)
	if err != nil {
		return nil, err
	}
	due = slices.DeleteFunc(due, func(r receiverDue) bool { return r.at.After(now) || slices.Contains(busy, r.Receiver) })
	if len(due) == 0 {
		return nil, nil
	}
	err = s.inTx(ctx, "claim deliveries", func(t Tx) error {
		t.KeepsCaches = true
		ids, err := t.claim(ctx, now, lease, limit, due, room)
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

// claim claims the due deliveries of some receivers; the first of these has waited longest.
func (t Tx) claim(ctx context.Context, now time.Time, lease time.Duration, limit int, due []receiverDue, room func(sett.Receiver) int) (ids []int64, err error) {
	for _, to := range due {
		fit := min(room(to.Receiver), limit-len(ids))
		if fit <= 0 {
			continue
		}
		if err := t.merge(ctx, now, to.Receiver); err != nil {
			return nil, err
		}
		found, err := t.due(ctx, now, to.Receiver, fit)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, t.Each(ctx, claimDeliveries, ids, db.Repeated(db.Micros(now.Add(lease)), len(ids)), slices.Repeat([]string{t.s.db.Process}, len(ids)))
}

const dueDeliveries = `-- store.dueDeliveries
SELECT d.id FROM deliveries d WHERE d.receiver = $1 AND d.due_at <= $2 AND ` + first + ` ORDER BY d.due_at, d.id LIMIT $3 {{for update skip locked}}`

// due returns the deliveries to a receiver that can be claimed.
func (t Tx) due(ctx context.Context, now time.Time, to sett.Receiver, limit int) (ids []int64, err error) {
	rows, err := t.QueryContext(ctx, t.s.db.Text(dueDeliveries), string(to), db.Micros(now), limit)
	err = db.ScanAll(rows, err, db.ScanID(func(id int64) { ids = append(ids, id) }))
	return ids, err
}

const readClaimed = `-- store.readClaimed
SELECT ` + alertColumns + `, ` + deliveryColumns + `, d.claims, NOT p.active, a.message, u.id, u.email, u.name, l.data
FROM deliveries d JOIN alerts a ON a.id = d.alert_id JOIN projects p ON p.id = a.project_id LEFT JOIN users u ON u.id = d.user_id
LEFT JOIN fault_links l ON l.fault_id = a.fault_id AND l.integration_id = d.integration_id WHERE d.id IN `

// claimed returns all data of some deliveries, in the order of their ids.
func (t Tx) claimed(ctx context.Context, ids []int64) (found []ClaimedDelivery, err error) {
	list, args := db.In(t.s.db, 1, ids)
	rows, err := t.QueryContext(ctx, t.s.db.Text(readClaimed+list+" ORDER BY d.id"), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
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
	var due, created, done, quiet int64
	var message []byte
	var user sql.NullInt64
	var email, name, link sql.NullString
	d := &c.Delivery
	c.Alert, err = scanAlert(rows, &d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &quiet, &d.Problem, &d.Note, &c.Claim, &c.ProjectOff, &message, &user, &email, &name, &link)
	if broken, ok := errors.AsType[db.Unreadable](err); ok {
		c.Broken = broken
	} else if err != nil {
		return c, err
	}
	d.DueAt, d.CreatedAt, d.DoneAt, d.QuietUntil = db.FromMicros(due), db.FromMicros(created), db.FromMicros(done), db.FromMicros(quiet)
	if user.Valid {
		c.User = &sett.Person{ID: user.Int64, Email: email.String, Name: name.String}
	}
	if link.Valid {
		if err := json.Unmarshal([]byte(link.String), &c.Link); err != nil {
			c.Broken = fmt.Errorf("read link of fault %d: %w", c.Alert.FaultID, err)
		}
	}
	if message != nil {
		if c.Message, err = fault.Decompress(message); err != nil {
			c.Broken = fmt.Errorf("read message of alert %d: %w", c.AlertID, err)
		}
	}
	return c, nil
}

const integrationsByID = `-- store.integrationsByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.id IN `

func (t Tx) setIntegrations(ctx context.Context, claimed []ClaimedDelivery) error {
	var ids []int64
	for _, c := range claimed {
		ids = append(ids, c.IntegrationID)
	}
	byID, broken := map[int64]*sett.Integration{}, map[int64]error{}
	list, args := db.In(t.s.db, 1, ids)
	rows, err := t.QueryContext(ctx, t.s.db.Text(integrationsByID+list), args...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		i, err := t.s.scanIntegration(rows)
		byID[i.ID] = &i
		if why, ok := errors.AsType[db.Unreadable](err); ok {
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
