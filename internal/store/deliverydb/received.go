package deliverydb

import (
	"context"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// Received is what became of an alert of the past for a channel or a user.
type Received struct {
	Receiving                  // by the settings of now
	Delivery  *alerts.Delivery // what was sent then, or waits; nil: the receiver was not chosen
}

// PastAlert is an alert of the past, and what became of it.
type PastAlert struct {
	alerts.Alert
	Received []Received
}

const pastAlert = `-- deliverydb.pastAlert
SELECT ` + alertColumns + `, EXISTS (SELECT 1 FROM held_alerts h WHERE h.alert_id = a.id) FROM alerts a WHERE a.project_id = $1 AND a.id = $2 AND a.spread`

// WhoReceived returns who received an alert of a project, and for the others why they would not receive it by the settings of now: the reasons
// of then are not stored. The error is NotFound if there is no such alert, or its receivers are not chosen yet.
func (s *Store) WhoReceived(ctx context.Context, mail bool, projectID, alertID int64) (past PastAlert, err error) {
	h := &routings{S: s, Mail: mail}
	var held bool
	sent := map[alerts.Receiver]alerts.Delivery{}
	err = s.db.Snapshot(ctx, "read receivers of alert", func(q db.Querier) error {
		past = PastAlert{}
		past.Alert, err = scanAlert(q.QueryRowContext(ctx, s.db.Text(pastAlert), projectID, alertID), &held)
		if err != nil {
			return db.NotFound(err, "Message", "find alert")
		}
		h.q, h.Now, h.Alerts = q, past.At, []alerts.Alert{past.Alert}
		if err := h.readIntegrations(ctx); err != nil {
			return err
		}
		if err := h.readRest(ctx); err != nil {
			return err
		}
		rows, err := q.QueryContext(ctx, s.db.Text(deliveryOf), alertID)
		found, err := db.Collect(rows, err, func(row db.Row) (alerts.Delivery, error) { return scanDelivery(row) })
		for _, d := range found {
			sent[d.Receiver] = d
		}
		return err
	})
	if err == nil {
		err = h.search(ctx)
	}
	if sett.CodeOf(err) != "" {
		return past, err
	}
	if err != nil {
		return past, s.db.Explain(db.Wrap("look for receivers of alert", err))
	}
	for _, r := range append(h.channelsReceiving(&past.Alert), h.peopleRouted(&past.Alert)...) {
		to := alerts.UserReceiver(r.UserID)
		if r.IntegrationID > 0 {
			to = alerts.IntegrationReceiver(r.IntegrationID)
		}
		r.Event, r.Held = past.Event, held && r.Why == alerts.Routed
		is := Received{Receiving: r}
		if d, ok := sent[to]; ok {
			is.Delivery = &d
		}
		past.Received = append(past.Received, is)
	}
	return past, nil
}

// peopleRouted decides about each user who can see the project.
func (h *routings) peopleRouted(a *alerts.Alert) (all []Receiving) {
	routing := h.of(a, alerts.Integration{})
	for _, p := range h.people[a.ProjectID] {
		if why := routing.RoutePersonal(p.userID, p.alerts); why != alerts.ForAnother {
			all = append(all, Receiving{UserID: p.userID, Why: why, Followed: why == alerts.Routed && routing.ForFollowing(p.userID, p.alerts)})
		}
	}
	return all
}
