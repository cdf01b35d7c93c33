package deliverydb

import (
	"context"
	"database/sql"

	"sett/internal/sett/alerts"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
)

// routedPerson is a user who can see a project, and their personal alerts of it.
type routedPerson struct {
	userID int64
	alerts alerts.PersonalAlerts
}

// peopleNotified returns the users who receive an alert through their personal alerts. Flood control and deliveries treat users like
// integrations.
func (h *routings) peopleNotified(a *alerts.Alert) (users []int64) {
	hearing := h.of(a, alerts.Integration{})
	for _, p := range h.people[a.ProjectID] {
		if hearing.RoutePersonal(p.userID, p.alerts) == alerts.Routed {
			users = append(users, p.userID)
		}
	}
	return users
}

const routingPeople = `-- deliverydb.routingPeople
SELECT p.id, p.active, u.id, pa.events, pa.mentions, pa.follows, pa.digest FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id
JOIN memberships m ON m.account_id = p.account_id JOIN users u ON u.id = m.user_id
LEFT JOIN personal_alerts pa ON pa.user_id = u.id AND pa.project_id = p.id WHERE u.email <> '' AND ` + accountdb.SeenBy + ` ORDER BY u.id`

// readPeople reads who can see the projects of the alerts, and whether these projects are active: so far that is known only for projects
// with integrations.
func (h *routings) readPeople(ctx context.Context) error {
	if !h.Mail {
		return nil
	}
	h.people = map[int64][]routedPerson{}
	err := h.S.db.ReadRows(ctx, h.q, routingPeople, func(rows *sql.Rows) error {
		var project int64
		var active bool
		var p routedPerson
		var row personalAlertsRow
		if err := rows.Scan(append([]any{&project, &active, &p.userID}, row.into()...)...); err != nil {
			return err
		}
		var err error
		p.alerts, err = row.alerts()
		h.people[project], h.inactive[project] = append(h.people[project], p), !active
		return err
	}, h.distinct(projectOf))
	return db.Wrap("read personal alerts", err)
}

const openToPeople = `-- deliverydb.openToPeople
SELECT k.delivery_id FROM {{rows k(delivery_id bigint, user_id bigint, project_id bigint)}} JOIN projects p ON p.id = k.project_id
JOIN memberships m ON m.account_id = p.account_id AND m.user_id = k.user_id
LEFT JOIN personal_alerts pa ON pa.user_id = k.user_id AND pa.project_id = k.project_id
WHERE (coalesce(pa.events, '') <> '[]' OR coalesce(pa.mentions, true) OR coalesce(pa.follows, true)) AND ` + accountdb.SeenBy

// unwanted returns the claimed deliveries for users who, since the deliveries were created, have lost access to the project or turned its
// mails off.
func (t Tx) unwanted(ctx context.Context, claimed []ClaimedDelivery) (map[int64]bool, error) {
	var deliveries, users, projects []int64
	unwanted := map[int64]bool{}
	for _, c := range claimed {
		if c.UserID > 0 {
			deliveries, users, projects = append(deliveries, c.ID), append(users, c.UserID), append(projects, c.Alert.ProjectID)
			unwanted[c.ID] = true
		}
	}
	err := t.EachRow(ctx, openToPeople, db.ScanID(func(id int64) { delete(unwanted, id) }), deliveries, users, projects)
	return unwanted, db.Wrap("look for users who want mails", err)
}
