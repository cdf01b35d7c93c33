package deliverydb

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
)

const (
	windowsAtOnce  = 500
	subjectsAtOnce = 200 // in one transaction, which others wait for
)

const dueWindows = `-- deliverydb.dueMaintenance
SELECT id FROM maintenance_windows WHERE settled_at = 0 AND ends_at <= $1 ORDER BY ends_at LIMIT $2`

// SettleMaintenance settles the windows that are over: of each subject, what is still wrong is sent, and the rest is dropped. A window is
// first closed, once all alerts of its time are fanned out, and then settled in pieces, each a transaction, so that a process that dies
// loses nothing and another one continues. What has to wait is settled by a later call.
func (s *Store) SettleMaintenance(ctx context.Context, now time.Time) error {
	due, err := s.db.ListIDs(ctx, s.db.Read, dueWindows, db.Micros(now), windowsAtOnce)
	for _, id := range due {
		if err == nil {
			err = s.settleWindow(ctx, now, id)
		}
	}
	return s.db.Explain(db.Wrap("settle maintenance windows", err))
}

// settleWindow settles a window if it is over, as far as that can be done now.
func (s *Store) settleWindow(ctx context.Context, now time.Time, id int64) (err error) {
	for more := true; more && err == nil; {
		err = s.inTx(ctx, "settle maintenance window", func(t Tx) (err error) {
			t.KeepsCaches = true
			more, err = t.settleWindow(ctx, now, id)
			return err
		})
	}
	return err
}

const lockDueWindow = `-- deliverydb.lockDueMaintenance
SELECT id FROM maintenance_windows WHERE id = $1 AND settled_at = 0 AND ends_at <= $2 {{for update}}`

const windowToSettle = `-- deliverydb.maintenanceToSettle
SELECT ` + windowColumns + fromWindows + ` WHERE w.id = $1`

const subjectsToSettle = `-- deliverydb.subjectsToSettle
SELECT DISTINCT subject FROM held_alerts WHERE window_id = $1 ORDER BY subject LIMIT $2`

// settleWindow closes a window, settles its next subjects, or marks it as settled once there are none. It reports whether there is more to do now.
func (t Tx) settleWindow(ctx context.Context, now time.Time, id int64) (more bool, err error) {
	if err := t.fanOutOne(ctx); err != nil {
		return false, err
	}
	locked, err := t.s.db.ListIDs(ctx, t, lockDueWindow, id, db.Micros(now))
	if err != nil || len(locked) == 0 {
		return false, err // another node has settled it, or it was extended or deleted
	}
	w, err := scanWindow(t.QueryRowContext(ctx, t.s.db.Text(windowToSettle), id))
	if err != nil {
		return false, err
	}
	if !w.Closed {
		closed, err := t.Changed(ctx, closeWindow, id, db.Micros(now), w.ProjectID, db.Micros(w.StartsAt), db.Micros(w.EndsAt))
		return closed > 0, err
	}
	var subjects []string
	rows, err := t.QueryContext(ctx, t.s.db.Text(subjectsToSettle), id, subjectsAtOnce)
	if err := db.ScanAll(rows, err, scanText(&subjects)); err != nil {
		return false, err
	}
	if len(subjects) == 0 {
		_, err := t.Exec(ctx, markSettled, id, db.Micros(now))
		return false, err
	}
	return t.settleSubjects(ctx, now, w, subjects)
}

func scanText(into *[]string) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		*into = append(*into, text)
		return err
	}
}

// A window is not closed before the alerts of its time are fanned out.
const closeWindow = `-- deliverydb.closeMaintenance
UPDATE maintenance_windows SET closed_at = $2 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM alerts a
    WHERE a.project_id = $3 AND NOT a.spread AND a.created_at >= $4 AND a.created_at < $5)`

const markSettled = `-- deliverydb.markMaintenanceSettled
UPDATE maintenance_windows SET settled_at = $2 WHERE id = $1`

const raisedOfSubjects = `-- deliverydb.raisedOfSubjects
SELECT k.subject FROM {{rows k(subject text)}} WHERE EXISTS (SELECT 1 FROM alerts a WHERE NOT a.spread AND a.subject = k.subject)`

const heldOfSubjects = `-- deliverydb.heldOfSubjects
SELECT h.subject, h.event, h.integration_id, max(h.alert_id), count(*) FROM {{rows k(window_id bigint, subject text)}}
JOIN held_alerts h ON h.window_id = k.window_id AND h.subject = k.subject GROUP BY h.subject, h.event, h.integration_id`

// settleSubjects settles those of some subjects about which nothing waits to be fanned out; otherwise the window would miss it. It reads
// whether their problems exist before that: the alert of a later change waits to be fanned out then.
func (t Tx) settleSubjects(ctx context.Context, now time.Time, w maintenance.Window, subjects []string) (more bool, err error) {
	if err := t.forgetSilent(ctx, w, subjects); err != nil {
		return false, db.Wrap("forget problems without notifications", err)
	}
	open, err := t.openSubjects(ctx, w.ProjectID, subjects)
	if err != nil {
		return false, err
	}
	var waiting []string
	if err := t.EachRow(ctx, raisedOfSubjects, scanText(&waiting), subjects); err != nil {
		return false, err
	}
	subjects = slices.DeleteFunc(subjects, func(s string) bool { return slices.Contains(waiting, s) })
	held := map[alerts.AlertSubject][]maintenance.Held{}
	counts := map[alerts.AlertSubject]int64{}
	err = t.EachRow(ctx, heldOfSubjects, func(rows *sql.Rows) error {
		var h maintenance.Held
		var n int64
		err := rows.Scan(&h.Subject, &h.Event, &h.IntegrationID, &h.AlertID, &n)
		held[h.Subject], counts[h.Subject] = append(held[h.Subject], h), counts[h.Subject]+n
		return err
	}, db.Repeated(w.ID, len(subjects)), subjects)
	if err != nil || len(subjects) == 0 {
		return false, err
	}
	others, err := t.activeBeside(ctx, now, w)
	if err != nil {
		return false, err
	}
	var s settlement
	for _, subject := range subjects {
		about := alerts.AlertSubject(subject)
		s.add(about, counts[about], maintenance.Sent(held[about], open[about]), others)
	}
	return true, s.write(ctx, t, w)
}

const forgetGaps = `-- deliverydb.forgetSilentGaps
UPDATE site_states SET gap = '' WHERE gap <> '' AND site_id IN (SELECT st.site_id FROM {{rows k(uuid bytea)}} JOIN sites s ON s.uuid = k.uuid
    JOIN site_states st ON st.site_id = s.id ORDER BY st.site_id {{for update of st}})`

const forgetSlow = `-- deliverydb.forgetSilentSlow
UPDATE site_states SET was_slow = false WHERE was_slow AND site_id IN (SELECT st.site_id FROM {{rows k(uuid bytea)}} JOIN sites s ON s.uuid = k.uuid
    JOIN site_states st ON st.site_id = s.id ORDER BY st.site_id {{for update of st}})`

const forgetTroubles = `-- deliverydb.forgetSilentTroubles
UPDATE check_ins SET trouble_at = 0, remind_at = 0 WHERE number IN (SELECT c.number FROM check_ins c WHERE c.id IN (SELECT k.id FROM {{rows k(id text)}})
    AND c.trouble_at > 0 AND c.state NOT IN ('missing', 'failing') ORDER BY c.number {{for update}})`

// forgetSilent forgets problems that a window holds of some subjects and of which it is not known any more whether they last, as after a
// pause: no receiver was notified, so none waits for their end, and if they still last, that is news. It runs before the state of the
// subjects is read, and what it changes is locked: a later change meets a problem that is forgotten.
func (t Tx) forgetSilent(ctx context.Context, w maintenance.Window, subjects []string) error {
	var sites, slow [][]byte
	var checkIns []string
	err := t.EachRow(ctx, heldSubjects, func(rows *sql.Rows) error {
		var subject alerts.AlertSubject
		var wasOpen bool
		if err := rows.Scan(new(int64), &subject, &wasOpen); err != nil || wasOpen {
			return err
		}
		id, err := sett.ParseUUID(subject.ID())
		switch {
		case err == nil && subject == alerts.SiteSubject(id):
			sites = append(sites, id[:])
		case err == nil && subject == alerts.SlowSubject(id):
			slow = append(slow, id[:])
		case subject == alerts.CheckInSubject(subject.ID()):
			checkIns = append(checkIns, subject.ID())
		}
		return nil
	}, db.Repeated(w.ID, len(subjects)), subjects)
	if err != nil {
		return err
	}
	if err := t.Each(ctx, forgetGaps, sites); err != nil {
		return err
	}
	if err := t.Each(ctx, forgetSlow, slow); err != nil {
		return err
	}
	return t.Each(ctx, forgetTroubles, checkIns)
}

// activeBeside returns the other windows of the project that are active.
func (t Tx) activeBeside(ctx context.Context, now time.Time, w maintenance.Window) ([]maintenance.Window, error) {
	found, err := t.s.windows(ctx, t, openWindows, w.ProjectID, db.Micros(now))
	return slices.DeleteFunc(found, func(o maintenance.Window) bool { return o.ID == w.ID || o.State(now) != maintenance.Active }), err
}

// settlement is what becomes of the alerts that a window holds of some subjects.
type settlement struct {
	sent    []int64 // alerts
	over    []string
	moved   []string
	movedTo []int64 // windows
	counts  []int64 // moved alerts
}

// add decides about a subject. What would be sent waits for another window that is active and for the subject.
func (s *settlement) add(subject alerts.AlertSubject, held int64, sent []int64, others []maintenance.Window) {
	for _, o := range others {
		if len(sent) > 0 && o.Of(subject) {
			s.moved, s.movedTo, s.counts = append(s.moved, string(subject)), append(s.movedTo, o.ID), append(s.counts, held)
			return
		}
	}
	s.over, s.sent = append(s.over, string(subject)), append(s.sent, sent...)
}

const releaseAlerts = `-- deliverydb.releaseAlerts
UPDATE alerts SET spread = false WHERE id IN (SELECT k.id FROM {{rows k(id bigint)}})`

const moveHeld = `-- deliverydb.moveHeld
UPDATE held_alerts SET window_id = k.into_id FROM {{rows k(window_id bigint, subject text, into_id bigint)}}
WHERE held_alerts.window_id = k.window_id AND held_alerts.subject = k.subject`

const dropHeld = `-- deliverydb.dropHeld
DELETE FROM held_alerts WHERE (window_id, subject) IN (SELECT k.window_id, k.subject FROM {{rows k(window_id bigint, subject text)}})`

const countSent = `-- deliverydb.countSent
UPDATE maintenance_windows SET sent = sent + $2, held = held - $3 WHERE id = $1`

func (s *settlement) write(ctx context.Context, t Tx, w maintenance.Window) error {
	if len(s.sent) > 0 {
		t.Wake(outbox.AlertRaised)
	}
	if err := t.Each(ctx, releaseAlerts, s.sent); err != nil {
		return err
	}
	if err := t.Each(ctx, dropHeld, db.Repeated(w.ID, len(s.over)), s.over); err != nil {
		return err
	}
	if err := t.Each(ctx, moveHeld, db.Repeated(w.ID, len(s.moved)), s.moved, s.movedTo); err != nil {
		return err
	}
	var moved int64
	for i, to := range s.movedTo { // one at a time: several rows may be of one window
		moved += s.counts[i]
		if _, err := t.Exec(ctx, countHeld, to, s.counts[i]); err != nil {
			return err
		}
	}
	_, err := t.Exec(ctx, countSent, w.ID, len(s.sent), moved)
	return err
}

const troubledSites = `-- deliverydb.troubledSites
SELECT s.uuid, x.state = 'down', x.slow_since > 0 FROM sites s JOIN site_states x ON x.site_id = s.id
WHERE s.project_id = $1 AND s.active AND (x.state = 'down' OR x.slow_since > 0)`

const troubledCheckIns = `-- deliverydb.troubledCheckIns
SELECT id FROM check_ins WHERE project_id = $1 AND state IN ('missing', 'failing')`

const raisedAlarms = `-- deliverydb.raisedAlarms
SELECT id FROM alarms WHERE project_id = $1 AND state = 'alarm'`

const openFaults = `-- deliverydb.openFaults
SELECT k.id FROM {{rows k(id bigint, project_id bigint)}} LEFT JOIN merged_faults m ON m.id = k.id
JOIN faults f ON f.id = coalesce(m.into_id, k.id) AND f.project_id = k.project_id WHERE NOT f.resolved`

// openSubjects returns those of some subjects that have a problem: sites that are down or slow, check-ins that are missing or failing,
// alarms that are raised, unresolved faults.
func (t Tx) openSubjects(ctx context.Context, projectID int64, subjects []string) (map[alerts.AlertSubject]bool, error) {
	open := map[alerts.AlertSubject]bool{}
	rows, err := t.QueryContext(ctx, t.s.db.Text(troubledSites), projectID)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id sett.UUID
		var key []byte
		var down, slow bool
		err := rows.Scan(&key, &down, &slow)
		copy(id[:], key)
		open[alerts.SiteSubject(id)], open[alerts.SlowSubject(id)] = down, slow
		return err
	})
	if err != nil {
		return nil, err
	}
	for statement, subject := range map[string]func(id string) alerts.AlertSubject{troubledCheckIns: alerts.CheckInSubject, raisedAlarms: alerts.AlarmSubject} {
		rows, err := t.QueryContext(ctx, t.s.db.Text(statement), projectID)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			open[subject(id)] = true
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	faults := faultsIn(subjects)
	err = t.EachRow(ctx, openFaults, db.ScanID(func(id int64) { open[alerts.FaultSubject(id)] = true }), faults, db.Repeated(projectID, len(faults)))
	return open, err
}

// faultsIn returns the ids of the faults among some subjects.
func faultsIn(subjects []string) (ids []int64) {
	for _, s := range subjects {
		if id, ok := strings.CutPrefix(s, "fault "); ok {
			if n, err := strconv.ParseInt(id, 10, 64); err == nil {
				ids = append(ids, n)
			}
		}
	}
	return ids
}
