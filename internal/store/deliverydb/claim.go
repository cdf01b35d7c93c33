package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/triage"
	"sett/internal/store/accountdb"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// ClaimedDelivery is a message for the caller to send now.
type ClaimedDelivery struct {
	alerts.Delivery                     // Tries includes this attempt
	Claim           int64               // the number of this claim; unique among the claims of the delivery
	Alert           alerts.Alert        // what the message is about
	Integration     *alerts.Integration // nil: the receiver is a user
	User            *sett.Person        // nil: the receiver is an integration
	Zone            string              // the time zone of the user; "" if it is unknown
	Unsubscribe     string              // the secret of the link that ends the mails to the user about the project
	Acknowledge     string              // the secret of the link that acknowledges for the user
	Message         []byte              // the alert's earlier message; nil: none yet
	BodyV3          []byte              // its earlier payload of version 3; nil: none yet
	Link            triage.LinkData     // of the alert's fault with an issue of the integration; nil for none
	Broken          error               // why some of these fields cannot be read, and so no message can be built; nil: all can
	ProjectOff      bool                // a user has turned off the project of the alert
}

// ClaimDeliveries returns at most limit due deliveries, and keeps others from claiming them until the lease ends; a delivery without a
// recorded result is then due again. Of the deliveries to one receiver about one subject only the oldest open one can be claimed; those
// that users have requested again can be claimed in any order. For each receiver it returns at most as many as room allows. First it
// merges deliveries into later ones that include their news.
func (s *Store) ClaimDeliveries(ctx context.Context, now time.Time, lease time.Duration, limit int, room func(alerts.Receiver) int) (claimed []ClaimedDelivery, err error) {
	fits := func(lane string) int { return room(alerts.Receiver(lane)) }
	due, err := s.Queue.Due(ctx, now, fits)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	err = s.inTx(ctx, "claim deliveries", func(t Tx) error {
		t.KeepsCaches = true
		ids, err := s.Queue.Claim(ctx, t.Tx, now, lease, limit, due, fits)
		if err != nil || len(ids) == 0 {
			claimed = nil
			return err
		}
		if claimed, err = t.claimed(ctx, ids); err != nil {
			return err
		}
		if claimed, err = t.dropInactive(ctx, now, claimed); err != nil {
			return err
		}
		return t.expectStates(ctx, claimed)
	})
	return claimed, err
}

const readClaimed = `-- deliverydb.readClaimed
SELECT ` + alertColumns + `, ` + deliveryColumns + `, d.claims, NOT p.active, a.message, a.body_v3, u.id, u.email, u.name, ` + accountdb.ZoneOf + `, l.data, k.key
FROM deliveries d JOIN alerts a ON a.id = d.alert_id JOIN projects p ON p.id = a.project_id LEFT JOIN users u ON u.id = d.user_id
LEFT JOIN fault_links l ON l.fault_id = a.fault_id AND l.integration_id = d.integration_id
LEFT JOIN unsubscribe_links k ON k.user_id = d.user_id AND k.project_id = a.project_id WHERE d.id IN `

// claimed returns all data of some deliveries, in the order of their ids.
func (t Tx) claimed(ctx context.Context, ids []int64) (found []ClaimedDelivery, err error) {
	list, args := db.In(t.s.db, 1, ids)
	rows, err := t.QueryContext(ctx, t.s.db.Text(readClaimed+list+" ORDER BY d.id"), args...)
	var keys [][]byte // of the links in mails, as they are stored; nil: there is none yet
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var key []byte
		c, err := scanClaimed(rows, &key)
		found, keys = append(found, c), append(keys, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := t.setUnsubscribes(ctx, found, keys); err != nil {
		return nil, err
	}
	return found, t.setIntegrations(ctx, found)
}

// setUnsubscribes sets the links in mails, and makes their keys if they are missing.
func (t Tx) setUnsubscribes(ctx context.Context, claimed []ClaimedDelivery, keys [][]byte) error {
	for i := range claimed {
		c := &claimed[i]
		if c.User == nil {
			continue
		}
		var err error
		key := keys[i]
		if key == nil {
			if key, err = t.linkKey(ctx, c.UserID, c.Alert.ProjectID); err != nil {
				return fmt.Errorf("make link: %w", err)
			}
		} else if key, err = t.s.revealLinkKey(key, c.UserID, c.Alert.ProjectID); err != nil {
			c.Broken = cmp.Or(c.Broken, err)
		}
		c.Unsubscribe = alerts.UnsubscribeToken(c.UserID, c.Alert.ProjectID, key)
		c.Acknowledge = alerts.AcknowledgeToken(c.UserID, c.Alert.ProjectID, c.Alert.ID, key)
	}
	return nil
}

func scanClaimed(rows *sql.Rows, key *[]byte) (c ClaimedDelivery, err error) {
	var due, created, done, quiet int64
	var message, body []byte
	var user sql.NullInt64
	var email, name, zone, link sql.NullString
	d := &c.Delivery
	c.Alert, err = scanAlert(rows, &d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &quiet, &d.Problem, &d.Note, &c.Claim, &c.ProjectOff, &message, &body, &user, &email, &name, &zone, &link, key)
	if broken, ok := errors.AsType[db.Unreadable](err); ok {
		c.Broken = broken
	} else if err != nil {
		return c, err
	}
	d.DueAt, d.CreatedAt, d.DoneAt, d.QuietUntil = db.FromMicros(due), db.FromMicros(created), db.FromMicros(done), db.FromMicros(quiet)
	if user.Valid {
		c.User = &sett.Person{ID: user.Int64, Email: email.String, Name: name.String}
		c.Zone = zone.String
	}
	if link.Valid {
		if err := json.Unmarshal([]byte(link.String), &c.Link); err != nil {
			c.Broken = fmt.Errorf("read link of fault %d: %w", c.Alert.FaultID, err)
		}
	}
	if c.Message, err = unpacked(message); err == nil {
		c.BodyV3, err = unpacked(body)
	}
	if err != nil {
		c.Broken = fmt.Errorf("read message of alert %d: %w", c.AlertID, err)
	}
	return c, nil
}

// unpacked returns what was packed; nil for nothing.
func unpacked(packed []byte) ([]byte, error) {
	if packed == nil {
		return nil, nil
	}
	return block.Decompress(packed)
}

const integrationsByID = `-- deliverydb.integrationsByID
SELECT ` + integrationColumns + ` FROM integrations i WHERE i.id IN `

func (t Tx) setIntegrations(ctx context.Context, claimed []ClaimedDelivery) error {
	var ids []int64
	for _, c := range claimed {
		ids = append(ids, c.IntegrationID)
	}
	byID, broken := map[int64]*alerts.Integration{}, map[int64]error{}
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
