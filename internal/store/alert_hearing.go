package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

// hearings are what decides who hears some alerts: each table is read once for all of them.
type hearings struct {
	*tx
	now          time.Time
	alerts       []sett.Alert
	integrations map[int64][]sett.Integration // by project, in the order in which they were made
	inactive     map[int64]bool               // projects
	muted        map[int64][]string           // environments by project
	faults       map[int64]heardFault
	found        map[projectQuery]map[int64]bool // faults that a query finds
}

// heardFault is what is asked of a fault before it is told of.
type heardFault struct {
	sett.FaultState
	notices int64
}

func (h *hearings) read(ctx context.Context) error {
	for _, part := range []func(context.Context) error{h.readIntegrations, h.readMuted, h.readFaults, h.runQueries} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// of puts together what decides whether an integration hears an alert.
func (h *hearings) of(a *sett.Alert, i sett.Integration) sett.Hearing {
	f := h.faults[a.FaultID]
	return sett.Hearing{
		Alert: *a, Integration: i, ProjectActive: !h.inactive[a.ProjectID], Muted: h.muted[a.ProjectID],
		Fault: f.FaultState, FaultNotices: f.notices, Matches: func(query string) bool { return h.matches(a, query) },
	}
}

// distinct returns the ids that the alerts have, each once, in the order in which they first come.
func (h *hearings) distinct(of func(sett.Alert) []int64) (ids []int64) {
	known := map[int64]bool{0: true}
	for _, a := range h.alerts {
		for _, id := range of(a) {
			if !known[id] {
				known[id], ids = true, append(ids, id)
			}
		}
	}
	return ids
}

func projectOf(a sett.Alert) []int64 { return []int64{a.ProjectID} }

const hearingIntegrations = `-- store.hearingIntegrations
SELECT ` + integrationColumns + `, p.active FROM {{rows k(id bigint)}} JOIN projects p ON p.id = k.id
JOIN integrations i ON i.project_id = p.id ORDER BY i.id`

// readIntegrations leaves out those whose settings cannot be read, and marks them: nobody knows what they want.
func (h *hearings) readIntegrations(ctx context.Context) error {
	h.integrations, h.inactive = map[int64][]sett.Integration{}, map[int64]bool{}
	var broken []sett.Integration
	err := h.eachRow(ctx, hearingIntegrations, func(rows *sql.Rows) error {
		var r integrationRow
		var active bool
		if err := rows.Scan(append(r.into(), &active)...); err != nil {
			return err
		}
		i, err := r.integration()
		h.inactive[i.ProjectID] = !active
		if err != nil {
			broken = append(broken, i)
			return nil
		}
		h.integrations[i.ProjectID] = append(h.integrations[i.ProjectID], i)
		return nil
	}, h.distinct(projectOf))
	for _, i := range broken {
		if err == nil {
			err = h.markUnreadable(ctx, h.now, i)
		}
	}
	return err
}

const mutedEnvironments = `-- store.mutedEnvironments
SELECT e.project_id, e.name FROM {{rows k(id bigint)}} JOIN environments e ON e.project_id = k.id WHERE NOT e.notifications`

func (h *hearings) readMuted(ctx context.Context) error {
	h.muted = map[int64][]string{}
	return h.eachRow(ctx, mutedEnvironments, func(rows *sql.Rows) error {
		var project int64
		var name string
		err := rows.Scan(&project, &name)
		h.muted[project] = append(h.muted[project], name)
		return err
	}, h.distinct(projectOf))
}

const heardFaults = `-- store.heardFaults
SELECT f.id, f.resolved, f.ignored, f.paused_until, f.paused_count, coalesce(c.notices_count, 0)
FROM {{rows k(id bigint)}} JOIN faults f ON f.id = k.id LEFT JOIN fault_counts c ON c.fault_id = f.id`

func (h *hearings) readFaults(ctx context.Context) error {
	h.faults = map[int64]heardFault{}
	return h.eachRow(ctx, heardFaults, func(rows *sql.Rows) error {
		var id, pausedUntil int64
		var f heardFault
		err := rows.Scan(&id, &f.Resolved, &f.Ignored, &pausedUntil, &f.PausedCount, &f.notices)
		f.PausedUntil = fromMicros(pausedUntil)
		h.faults[id] = f
		return err
	}, h.distinct(sett.Alert.AboutFaults))
}
