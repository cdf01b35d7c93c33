package deliverydb

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
)

// Receiving is whether a channel or a user would receive an alert, and if not, why.
type Receiving struct {
	Event         alerts.AlertEvent
	IntegrationID int64 // of the channel; 0: UserID is the receiver
	UserID        int64
	Why           alerts.SkipReason
	Quiet         time.Time // the end of the quiet hours that it would wait for; zero for none
	Mentioned     bool      // only in a comment that mentions the user
	Followed      bool      // only about errors that the user follows
	Held          bool      // a maintenance window holds the alert until its end
}

// WhoReceives returns who would receive some alerts of one project if they were raised now, by the rules and settings that decide when an alert is
// sent. Each alert has an ID of its own. Without mail, users receive none.
func (s *Store) WhoReceives(ctx context.Context, now time.Time, mail bool, asked []alerts.Alert) (all []Receiving, err error) {
	h := &routings{S: s, Now: now, Mail: mail}
	windows := map[int64][]maintenance.Window{}
	err = s.db.Snapshot(ctx, "read receivers", func(q db.Querier) error {
		h.q, h.Alerts = q, asked
		if err := h.readIntegrations(ctx); err != nil {
			return err
		}
		h.Alerts = h.eachRate(asked)
		if err := h.readRest(ctx); err != nil {
			return err
		}
		projects := h.distinct(projectOf)
		return s.db.ReadRows(ctx, q, startedWindows, func(rows *sql.Rows) error {
			w, err := scanWindow(rows)
			windows[w.ProjectID] = append(windows[w.ProjectID], w)
			return err
		}, projects, db.Repeated(db.Micros(now), len(projects)))
	})
	if err == nil {
		err = h.search(ctx)
	}
	if err != nil {
		return nil, s.db.Explain(db.Wrap("look for receivers", err))
	}
	for i := range h.Alerts {
		a := &h.Alerts[i]
		held := slices.ContainsFunc(windows[a.ProjectID], func(w maintenance.Window) bool { return w.Holds(*a, maintenance.Nothing) })
		for _, r := range append(h.channelsReceiving(a), h.peopleReceiving(a)...) {
			r.Event, r.Held = a.Event, held && r.Why == alerts.Routed
			all = append(all, r)
		}
	}
	return all, nil
}

// eachRate returns the alerts with one for each integration in place of one about a rate: every integration counts its own.
func (h *routings) eachRate(asked []alerts.Alert) (all []alerts.Alert) {
	for _, a := range asked {
		if a.Event != alerts.AlertRateExceeded {
			all = append(all, a)
			continue
		}
		for _, i := range h.integrations[a.ProjectID] {
			a.IntegrationID = i.ID
			all = append(all, a)
		}
	}
	return all
}

func (h *routings) channelsReceiving(a *alerts.Alert) (all []Receiving) {
	for _, i := range h.integrations[a.ProjectID] {
		if why, _ := h.route(a, i); why != alerts.ForAnother {
			r := Receiving{IntegrationID: i.ID, Why: why}
			if why == alerts.Routed {
				r.Quiet = i.QuietHours.Keep(a.Event, false, h.Now)
			}
			all = append(all, r)
		}
	}
	return all
}

// peopleReceiving asks for each user about an error that is assigned to them, and, if they want no others, about errors that they follow and comments that
// mention them.
func (h *routings) peopleReceiving(a *alerts.Alert) (all []Receiving) {
	if a.Event == alerts.AlertRateExceeded {
		return nil // only channels have rates
	}
	for _, p := range h.people[a.ProjectID] {
		asked := *a
		if a.Event == alerts.AlertAssigned {
			asked.Facts.Assignee = &sett.Person{ID: p.userID}
		}
		routing := h.of(&asked, alerts.Integration{})
		r := Receiving{UserID: p.userID, Why: routing.RoutePersonal(p.userID, p.alerts)}
		r.Followed = r.Why == alerts.Routed && routing.ForFollowing(p.userID, p.alerts)
		if r.Why == alerts.NotWanted && a.FaultID == 0 { // of the errors of the project, they may follow some
			routing.Followers = map[int64]bool{p.userID: true}
			r.Why = routing.RoutePersonal(p.userID, p.alerts)
			r.Followed = r.Why == alerts.Routed
		}
		if a.Event == alerts.AlertCommented && (r.Why == alerts.NotWanted || r.Why == alerts.Unfollowed) {
			asked.Facts.Mentioned = []int64{p.userID}
			if h.of(&asked, alerts.Integration{}).RoutePersonal(p.userID, p.alerts) == alerts.Routed {
				r.Why, r.Mentioned = alerts.Routed, true
			}
		}
		all = append(all, r)
	}
	return all
}
