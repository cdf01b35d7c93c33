package deliverydb

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
)

const startedWindows = `-- deliverydb.startedMaintenance
SELECT ` + windowColumns + ` FROM {{rows k(id bigint, newest bigint)}} JOIN maintenance_windows w ON w.project_id = k.id LEFT JOIN users u ON u.id = w.made_by
WHERE w.settled_at = 0 AND w.starts_at <= k.newest ORDER BY w.id`

// windowSubject is a subject in a window.
type windowSubject struct {
	window  int64
	subject alerts.AlertSubject
}

// holdings collects the alerts that windows hold.
type holdings struct {
	windows map[int64][]maintenance.Window // by project
	have    map[windowSubject]maintenance.Holding
	held    map[int64]bool // alerts

	alerts, in, integrations []int64
	subjects, events         []string
	open                     []bool
}

// holdForMaintenance holds those of some locked alerts for which a maintenance window holds them, and returns the others. All run under the
// lock of the fan-out, as does the end of a window, so that each alert meets a window either before its end or after it.
func (t Tx) holdForMaintenance(ctx context.Context, h *routings, locked []int64) (others []int64, err error) {
	alerts := slices.DeleteFunc(slices.Clone(h.Alerts), func(a alerts.Alert) bool { return !slices.Contains(locked, a.ID) })
	m := holdings{windows: map[int64][]maintenance.Window{}, have: map[windowSubject]maintenance.Holding{}, held: map[int64]bool{}}
	if err := t.readWindows(ctx, &m, alerts); err != nil || len(m.windows) == 0 {
		return locked, err
	}
	for _, a := range alerts {
		m.hold(a)
	}
	if err := t.writeHoldings(ctx, m); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(locked), func(id int64) bool { return m.held[id] }), nil
}

const heldSubjects = `-- deliverydb.heldSubjects
SELECT h.window_id, h.subject, h.was_open FROM {{rows k(window_id bigint, subject text)}} JOIN held_alerts h ON h.alert_id = (SELECT max(o.alert_id) FROM held_alerts o
    WHERE o.window_id = k.window_id AND o.subject = k.subject AND o.event NOT IN (` + closing + `))`

// readWindows reads the windows that may hold some alerts, and what they hold about the same subjects.
func (t Tx) readWindows(ctx context.Context, m *holdings, alerts []alerts.Alert) error {
	var projects, windows []int64
	var subjects []string
	var newest int64
	for _, a := range alerts {
		if newest = max(newest, db.Micros(a.CreatedAt)); !slices.Contains(projects, a.ProjectID) {
			projects = append(projects, a.ProjectID)
		}
	}
	err := t.EachRow(ctx, startedWindows, func(rows *sql.Rows) error {
		w, err := scanWindow(rows)
		m.windows[w.ProjectID] = append(m.windows[w.ProjectID], w)
		return err
	}, projects, db.Repeated(newest, len(projects)))
	if err != nil {
		return err
	}
	for _, a := range alerts {
		for _, w := range m.windows[a.ProjectID] {
			windows, subjects = append(windows, w.ID), append(subjects, string(a.Subject))
		}
	}
	return t.EachRow(ctx, heldSubjects, func(rows *sql.Rows) error {
		var of windowSubject
		var wasOpen bool
		err := rows.Scan(&of.window, &of.subject, &wasOpen)
		if m.have[of] = maintenance.Problem; wasOpen {
			m.have[of] = maintenance.KnownProblem
		}
		return err
	}, windows, subjects)
}

// hold lets the first window that holds the alert have it.
func (m *holdings) hold(a alerts.Alert) {
	for _, w := range m.windows[a.ProjectID] {
		of := windowSubject{w.ID, a.Subject}
		if !w.Holds(a, m.have[of]) {
			continue
		}
		m.have[of] = m.have[of].Next(a)
		m.held[a.ID] = true
		m.alerts, m.in, m.integrations = append(m.alerts, a.ID), append(m.in, w.ID), append(m.integrations, a.IntegrationID)
		m.subjects, m.events = append(m.subjects, string(a.Subject)), append(m.events, string(a.Event))
		m.open = append(m.open, m.have[of] == maintenance.KnownProblem)
		return
	}
}

const insertHeld = `-- deliverydb.insertHeld
INSERT INTO held_alerts (alert_id, window_id, subject, event, integration_id, was_open) SELECT k.alert_id, k.window_id, k.subject, k.event, k.integration_id, k.was_open
FROM {{rows k(alert_id bigint, window_id bigint, subject text, event text, integration_id bigint, was_open boolean)}} WHERE true`

const countHeld = `-- deliverydb.countHeld
UPDATE maintenance_windows SET held = held + $2 WHERE id = $1`

func (t Tx) writeHoldings(ctx context.Context, m holdings) error {
	if err := t.Each(ctx, insertHeld, m.alerts, m.in, m.subjects, m.events, m.integrations, m.open); err != nil {
		return err
	}
	counts := map[int64]int64{}
	for _, id := range m.in {
		counts[id]++
	}
	for _, id := range slices.Sorted(maps.Keys(counts)) {
		if _, err := t.Exec(ctx, countHeld, id, counts[id]); err != nil {
			return err
		}
	}
	return t.Each(ctx, markFannedOut, m.alerts)
}
