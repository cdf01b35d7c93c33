package deliverydb

import (
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
	Message         []byte              // the alert's earlier message; nil: none yet
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
		claimed, err = t.dropInactive(ctx, now, claimed)
		return err
	})
	return claimed, err
}

const readClaimed = `-- deliverydb.readClaimed
SELECT ` + alertColumns + `, ` + deliveryColumns + `, d.claims, NOT p.active, a.message, u.id, u.email, u.name, ` + accountdb.ZoneOf + `, l.data
FROM deliveries d JOIN alerts a ON a.id = d.alert_id JOIN projects p ON p.id = a.project_id LEFT JOIN users u ON u.id = d.user_id
LEFT JOIN fault_links l ON l.fault_id = a.fault_id AND l.integration_id = d.integration_id WHERE d.id IN `

// claimed returns all data of some deliveries, in the order of their ids.
func (t Tx) claimed(ctx context.Context, ids []int64) (found []ClaimedDelivery, err error) {
	list, args := db.In(t.s.db, 1, ids)
	rows, err := t.QueryContext(ctx, t.s.db.Text(readClaimed+list+" ORDER BY d.id"), args...)
	found, err = db.Collect(rows, err, scanClaimed)
	if err != nil {
		return nil, err
	}
	return found, t.setIntegrations(ctx, found)
}

func scanClaimed(row db.Row) (c ClaimedDelivery, err error) {
	var due, created, done, quiet int64
	var message []byte
	var user sql.NullInt64
	var email, name, zone, link sql.NullString
	d := &c.Delivery
	c.Alert, err = scanAlert(row, &d.ID, &d.AlertID, &d.Receiver, &d.IntegrationID, &d.UserID, &d.Event, &d.Subject, &d.State,
		&due, &d.Tries, &created, &done, &quiet, &d.Problem, &d.Note, &c.Claim, &c.ProjectOff, &message, &user, &email, &name, &zone, &link)
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
	if message != nil {
		if c.Message, err = block.Decompress(message); err != nil {
			c.Broken = fmt.Errorf("read message of alert %d: %w", c.AlertID, err)
		}
	}
	return c, nil
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
