package deliverydb

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// routings routes some alerts to their receivers. It reads each table once for all of them.
type routings struct {
	S            *Store
	Now          time.Time
	Mail         bool // whether users can get mails
	q            db.Querier
	Alerts       []alerts.Alert
	integrations map[int64][]alerts.Integration // by project, in order of creation
	broken       []alerts.Integration           // integrations with unreadable settings
	inactive     map[int64]bool                 // projects
	muted        map[int64][]string             // environments by project
	faults       map[int64]routedFault
	people       map[int64][]routedPerson // by project
	owned        map[int64]owned          // by alert
	followers    map[int64]faultdb.Followers
	searches     map[projectQuery]*search
	escalated    map[receiverSubject]bool // integrations that alerts about a problem which ends were sent on to
}

// routedFault is the part of a fault that routing depends on.
type routedFault struct {
	faults.FaultState
	notices int64
}

const hasRaised = `-- deliverydb.hasRaised
SELECT EXISTS (SELECT 1 FROM alerts WHERE NOT spread)`

// Find reads the oldest alerts that are not fanned out, at most limit, and everything that decides their receivers, in read-only
// transactions. The filters are searched last, one by one, because that may take long.
func (h *routings) Find(ctx context.Context, limit int) error {
	var raised bool // usually there is nothing to do
	if err := h.S.db.Read.QueryRowContext(ctx, h.S.db.Text(hasRaised)).Scan(&raised); err != nil || !raised {
		return err
	}
	err := h.S.db.Snapshot(ctx, "read hearings", func(q db.Querier) error {
		*h = routings{S: h.S, Now: h.Now, Mail: h.Mail, q: q}
		return h.read(ctx, limit)
	})
	if err != nil || len(h.Alerts) == 0 {
		return err
	}
	return h.search(ctx)
}

const alertsToFanOut = `-- deliverydb.alertsToFanOut
SELECT ` + alertColumns + ` FROM alerts a WHERE NOT a.spread ORDER BY a.id LIMIT $1`

func (h *routings) read(ctx context.Context, limit int) (err error) {
	if h.Alerts, err = h.S.alerts(ctx, h.q, alertsToFanOut, limit); err != nil {
		return err
	}
	if err := h.readIntegrations(ctx); err != nil {
		return err
	}
	return h.readRest(ctx)
}

// readRest reads what decides about the receivers of the alerts, except the integrations.
func (h *routings) readRest(ctx context.Context) error {
	for _, part := range []func(context.Context) error{h.readMuted, h.readFaults, h.readPeople, h.readOwners, h.readFollowers, h.readEscalated} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Routes returns which receiver gets which alert, in the order of the alerts.
func (h *routings) Routes() (routes []route) {
	for i := range h.Alerts {
		a := &h.Alerts[i]
		for _, integration := range h.integrations[a.ProjectID] {
			if why, note := h.route(a, integration); why == alerts.Routed {
				routes = append(routes, route{a, integrationReceiver(integration), note})
			}
		}
		for _, user := range h.peopleNotified(a) {
			routes = append(routes, route{a, userReceiver(user), ""})
		}
	}
	return routes
}

// route decides whether an integration receives an alert, or why not. If that depends only on a filter whose search failed, it does, with a
// note: one message too many is better than a missing one.
func (h *routings) route(a *alerts.Alert, i alerts.Integration) (why alerts.SkipReason, note string) {
	hearing := h.of(a, i)
	hearing.Matches = func(query string) bool { return h.searches[projectQuery{a.ProjectID, query}].finds(a) }
	if why = hearing.Route(); why != alerts.NoFilterMatches {
		return why, ""
	}
	hearing.Matches = func(query string) bool {
		note = h.searches[projectQuery{a.ProjectID, query}].note()
		return note != ""
	}
	return hearing.Route(), note
}

// of collects what decides whether an integration receives an alert, except its filters.
func (h *routings) of(a *alerts.Alert, i alerts.Integration) alerts.Routing {
	f := h.faults[a.FaultID]
	return alerts.Routing{
		Alert: *a, Integration: i, ProjectActive: !h.inactive[a.ProjectID], Muted: h.muted[a.ProjectID],
		Silent: f.Silences(*a, f.notices), Escalated: h.escalated[receiverSubject{alerts.IntegrationReceiver(i.ID), a.Subject}], Owners: h.owned[a.ID].only, Followers: h.followersOf(a),
	}
}

// readFollowers reads who follows the faults of the alerts.
func (h *routings) readFollowers(ctx context.Context) (err error) {
	if h.Mail {
		h.followers, err = h.S.fault.ReadFollowers(ctx, h.q, h.distinct(alerts.Alert.AboutFaults))
	}
	return err
}

// followersOf returns who follows any fault of an alert, and who unfollowed all of them.
func (h *routings) followersOf(a *alerts.Alert) map[int64]bool {
	about := a.AboutFaults()
	if len(about) == 1 {
		return h.followers[about[0]]
	}
	all, unfollowed := map[int64]bool{}, map[int64]int{}
	for _, id := range about {
		for user, follows := range h.followers[id] {
			if follows {
				all[user] = true
			} else if unfollowed[user]++; unfollowed[user] == len(about) && !all[user] {
				all[user] = false
			}
		}
	}
	return all
}

// distinct returns the distinct ids of the alerts, in the order of their first occurrence.
func (h *routings) distinct(of func(alerts.Alert) []int64) (ids []int64) {
	known := map[int64]bool{0: true}
	for _, a := range h.Alerts {
		for _, id := range of(a) {
			if !known[id] {
				known[id], ids = true, append(ids, id)
			}
		}
	}
	return ids
}

func projectOf(a alerts.Alert) []int64 { return []int64{a.ProjectID} }

const routingIntegrations = `-- deliverydb.routingIntegrations
SELECT ` + integrationColumns + `, p.active FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id
JOIN integrations i ON i.project_id = p.id ORDER BY i.id`

// readIntegrations skips integrations whose settings cannot be read, because it is unknown which alerts they want.
func (h *routings) readIntegrations(ctx context.Context) error {
	h.integrations, h.inactive = map[int64][]alerts.Integration{}, map[int64]bool{}
	return h.S.db.ReadRows(ctx, h.q, routingIntegrations, func(rows *sql.Rows) error {
		var r integrationRow
		var active bool
		if err := rows.Scan(append(r.into(), &active)...); err != nil {
			return err
		}
		i, err := h.S.integrationOf(&r)
		h.inactive[i.ProjectID] = !active
		if _, ok := errors.AsType[db.Unreadable](err); ok {
			h.broken = append(h.broken, i)
			return nil
		}
		if err != nil {
			return err
		}
		h.integrations[i.ProjectID] = append(h.integrations[i.ProjectID], i)
		return nil
	}, h.distinct(projectOf))
}

const mutedEnvironments = `-- deliverydb.mutedEnvironments
SELECT e.project_id, e.name FROM {{rows k(id bigint)}} JOIN environments e ON e.project_id = k.id WHERE NOT e.notifications`

func (h *routings) readMuted(ctx context.Context) error {
	h.muted = map[int64][]string{}
	return h.S.db.ReadRows(ctx, h.q, mutedEnvironments, func(rows *sql.Rows) error {
		var project int64
		var name string
		err := rows.Scan(&project, &name)
		h.muted[project] = append(h.muted[project], name)
		return err
	}, h.distinct(projectOf))
}

const routedFaults = `-- deliverydb.routedFaults
SELECT k.id, f.resolved, f.ignored, f.paused_until, f.paused_count, coalesce(c.notices_count, 0)
FROM {{rows k(id bigint)}} LEFT JOIN merged_faults m ON m.id = k.id JOIN faults f ON f.id = coalesce(m.into_id, k.id) LEFT JOIN fault_counts c ON c.fault_id = f.id`

func (h *routings) readFaults(ctx context.Context) error {
	h.faults = map[int64]routedFault{}
	return h.S.db.ReadRows(ctx, h.q, routedFaults, func(rows *sql.Rows) error {
		var id, pausedUntil int64
		var f routedFault
		err := rows.Scan(&id, &f.Resolved, &f.Ignored, &pausedUntil, &f.PausedCount, &f.notices)
		f.PausedUntil = db.FromMicros(pausedUntil)
		h.faults[id] = f
		return err
	}, h.distinct(alerts.Alert.AboutFaults))
}
