package deliverydb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/sett/maintenance"
	"sett/internal/store/db"
)

// An escalation that was sent is replaced only by one of another problem, or, for an error, which may spike again months later while it is
// unresolved, by one of a later alert. What was sent on itself never replaces one, so that two channels do not send to each other for ever.
const insertEscalations = `-- deliverydb.insertEscalations
INSERT INTO escalations (integration_id, subject, alert_id, began_at, due_at, sent_at, sent_to)
SELECT k.integration_id, k.subject, k.alert_id, k.began_at, k.due_at, 0, 0
FROM {{rows k(integration_id bigint, subject text, alert_id bigint, began_at bigint, due_at bigint)}} WHERE true
ON CONFLICT (integration_id, subject) DO UPDATE SET alert_id = excluded.alert_id, began_at = excluded.began_at, due_at = excluded.due_at, sent_at = 0, sent_to = 0
WHERE escalations.began_at <> excluded.began_at`

const forgetSentOfFaults = `-- deliverydb.forgetSentOfFaults
DELETE FROM escalations WHERE sent_at > 0 AND (integration_id, subject) IN (SELECT k.integration_id, k.subject FROM {{rows k(integration_id bigint, subject text)}})`

// planEscalations notes when the alerts of some routes are sent on. It runs in the transaction of their deliveries, so that none is lost,
// and whatever becomes of these: what could not be sent, or was held by flood control, is sent on as well.
func (t Tx) planEscalations(ctx context.Context, h *routings, routes []route) error {
	rules := map[int64]alerts.Escalation{}
	for _, of := range h.integrations {
		for _, i := range of {
			if i.Escalation != nil {
				rules[i.ID] = *i.Escalation
			}
		}
	}
	var waiting []route
	var about []aboutThing
	for _, to := range routes {
		if _, ok := rules[to.Receiver.IntegrationID()]; ok && to.Event.Escalates() && !to.Facts.Test {
			waiting, about = append(waiting, to), append(about, aboutThing{to.ProjectID, to.Subject})
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	problems, err := t.s.problems(ctx, t, about)
	if err != nil {
		return err
	}
	var integrations, ids, began, due, spikes []int64
	var subjects, ofSpikes []string
	planned := map[receiverSubject]bool{}
	for i, to := range waiting {
		p, lasts := problems[about[i]]
		key := receiverSubject{to.Receiver, to.Subject}
		if !lasts || p.Began.After(to.CreatedAt) || planned[key] {
			continue
		}
		planned[key] = true
		id := to.Receiver.IntegrationID()
		at := to.waitsUntil(h.Now) // who is not notified before their quiet hours end has the time after that
		if at.IsZero() {
			at = h.Now
		}
		integrations, subjects, ids = append(integrations, id), append(subjects, string(to.Subject)), append(ids, to.ID)
		began, due = append(began, db.Micros(p.Began)), append(due, db.Micros(at.Add(rules[id].After())))
		if to.Subject.Kind() == alerts.FaultKind && to.Facts.Escalation == nil {
			spikes, ofSpikes = append(spikes, id), append(ofSpikes, string(to.Subject))
		}
	}
	if err := t.Each(ctx, forgetSentOfFaults, spikes, ofSpikes); err != nil {
		return err
	}
	return t.Each(ctx, insertEscalations, integrations, subjects, ids, began, due)
}

const sentEscalations = `-- deliverydb.sentEscalations
SELECT k.subject, e.sent_to FROM {{rows k(subject text)}} JOIN escalations e ON e.subject = k.subject WHERE e.sent_at > 0`

// readEscalated reads to which integrations alerts about the same problems as those that end were sent on: they receive the end as well.
func (h *routings) readEscalated(ctx context.Context) error {
	h.escalated = map[receiverSubject]bool{}
	var subjects []string
	for _, a := range h.Alerts {
		if slices.Contains(alerts.ClosingEvents(), a.Event) && !slices.Contains(subjects, string(a.Subject)) {
			subjects = append(subjects, string(a.Subject))
		}
	}
	return h.S.db.ReadRows(ctx, h.q, sentEscalations, func(rows *sql.Rows) error {
		var subject alerts.AlertSubject
		var to int64
		err := rows.Scan(&subject, &to)
		h.escalated[receiverSubject{alerts.IntegrationReceiver(to), subject}] = true
		return err
	}, subjects)
}

const hasDueEscalation = `-- deliverydb.hasDueEscalation
SELECT EXISTS (SELECT 1 FROM escalations WHERE sent_at = 0 AND due_at <= $1)`

const dueEscalations = `-- deliverydb.dueEscalations
SELECT ` + alertColumns + `, e.integration_id, e.subject, e.began_at FROM escalations e JOIN alerts a ON a.id = e.alert_id
WHERE e.sent_at = 0 AND e.due_at <= $1 ORDER BY e.due_at, e.integration_id, e.subject LIMIT $2`

// escalationsAtOnce is how many alerts one transaction sends on.
const escalationsAtOnce = 100

// escalation is an alert that is due to be sent on.
type escalation struct {
	from    int64
	subject alerts.AlertSubject
	began   time.Time
	alert   alerts.Alert
}

// Escalate sends the alerts on that no person acknowledged in time, each as an alert of its own for one channel, and returns their number.
// It runs under the lock of the fan-out, so that one node sends.
func (s *Store) Escalate(ctx context.Context, now time.Time) (sent int, err error) {
	var due bool
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasDueEscalation), db.Micros(now)).Scan(&due); err != nil || !due {
		return 0, s.db.Explain(db.Wrap("look for escalations", err))
	}
	err = s.sweep(ctx, "escalate", escalationsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		n, did, err := t.escalate(ctx, now)
		sent += n
		return did, err
	})
	return sent, err
}

func (t Tx) escalate(ctx context.Context, now time.Time) (sent int, did int64, err error) {
	if err := t.fanOutOne(ctx); err != nil {
		return 0, 0, err
	}
	rows, err := t.QueryContext(ctx, t.s.db.Text(dueEscalations), db.Micros(now), escalationsAtOnce)
	due, err := db.Collect(rows, err, scanEscalation)
	if err != nil || len(due) == 0 {
		return 0, 0, err
	}
	h := &routings{S: t.s, Now: now, q: t}
	for _, e := range due {
		h.Alerts = append(h.Alerts, e.alert)
	}
	for _, part := range []func(context.Context) error{h.readIntegrations, h.readFaults} {
		if err := part(ctx); err != nil {
			return 0, 0, err
		}
	}
	for _, e := range due {
		did, err := t.step(ctx, now, h, e)
		if err != nil {
			return sent, 0, err
		}
		if did {
			sent++
		}
	}
	return sent, int64(len(due)), nil
}

func scanEscalation(row db.Row) (e escalation, err error) {
	var began int64
	e.alert, err = scanAlert(row, &e.from, &e.subject, &began)
	if _, ok := errors.AsType[db.Unreadable](err); ok { // its message cannot be written, and says so
		err = nil
	}
	e.began = db.FromMicros(began)
	return e, err
}

const (
	endEscalation = `-- deliverydb.endEscalation
DELETE FROM escalations WHERE integration_id = $1 AND subject = $2`
	delayEscalation = `-- deliverydb.delayEscalation
UPDATE escalations SET due_at = $3 WHERE integration_id = $1 AND subject = $2`
	markEscalated = `-- deliverydb.markEscalated
UPDATE escalations SET sent_at = $3, sent_to = $4 WHERE integration_id = $1 AND subject = $2`
)

// escalationDelay is when an alert that must not be sent on now is looked at again.
const escalationDelay = time.Minute

// step decides about an alert and does that. It reports whether the alert was sent on.
func (t Tx) step(ctx context.Context, now time.Time, h *routings, e escalation) (sent bool, err error) {
	of := h.integrations[e.alert.ProjectID]
	from := find(of, e.from)
	state := alerts.EscalationState{Began: e.began, ProjectOn: !h.inactive[e.alert.ProjectID]}
	if from != nil && from.Escalation != nil {
		state.Target = find(of, from.Escalation.ChannelID)
	}
	a, f := e.alert, h.faults[e.alert.FaultID]
	a.At = now
	state.Silent = f.Silences(a, f.notices)
	if state.Problem, err = t.s.ReadProblem(ctx, t, e.alert.ProjectID, e.alert.Subject); err != nil {
		return false, err
	}
	if state.Maintenance, err = t.maintained(ctx, now, e.alert); err != nil {
		return false, err
	}
	switch state.Step() {
	case alerts.EscalationOver:
		_, err = t.Exec(ctx, endEscalation, e.from, string(e.subject))
		return false, err
	case alerts.EscalationWaits:
		_, err = t.Exec(ctx, delayEscalation, e.from, string(e.subject), db.Micros(now.Add(escalationDelay)))
		return false, err
	}
	a.IntegrationID, a.Facts.Escalation = state.Target.ID, &alerts.EscalationFacts{Minutes: from.Escalation.Minutes, From: from.Name()}
	if err := t.outbox().Raise(ctx, now, a); err != nil {
		return false, err
	}
	_, err = t.Exec(ctx, markEscalated, e.from, string(e.subject), db.Micros(now), state.Target.ID)
	return true, err
}

// find returns the integration with an id, or nil.
func find(among []alerts.Integration, id int64) *alerts.Integration {
	i := slices.IndexFunc(among, func(i alerts.Integration) bool { return i.ID == id })
	if i < 0 {
		return nil
	}
	return &among[i]
}

// maintained reports whether a window holds alerts about the subject of an alert now.
func (t Tx) maintained(ctx context.Context, now time.Time, a alerts.Alert) (bool, error) {
	windows, err := t.s.windows(ctx, t, openWindows, a.ProjectID, db.Micros(now))
	return slices.ContainsFunc(windows, func(w maintenance.Window) bool { return w.State(now) == maintenance.Active && w.Of(a.Subject) }), err
}

const subjectsEscalated = `-- deliverydb.subjectsEscalated
SELECT DISTINCT k.subject FROM {{rows k(subject text)}} JOIN escalations e ON e.subject = k.subject`

const endedEscalations = `-- deliverydb.endedEscalations
DELETE FROM escalations WHERE (integration_id, subject) IN (SELECT e.integration_id, e.subject FROM {{rows k(subject text, began_at bigint)}}
    JOIN escalations e ON e.subject = k.subject AND e.began_at <> k.began_at)`

// endEscalations forgets what was sent on, or was to be, of problems that some alerts end.
func (t Tx) endEscalations(ctx context.Context, h *routings, held []int64) error {
	var ended, subjects []string
	projects := map[string]int64{}
	for _, a := range h.Alerts {
		if slices.Contains(alerts.ClosingEvents(), a.Event) && slices.Contains(held, a.ID) {
			ended, projects[string(a.Subject)] = append(ended, string(a.Subject)), a.ProjectID
		}
	}
	if err := t.EachRow(ctx, subjectsEscalated, scanText(&subjects), ended); err != nil || len(subjects) == 0 {
		return err
	}
	var about []aboutThing
	var began []int64
	for _, subject := range subjects {
		about = append(about, aboutThing{projects[subject], alerts.AlertSubject(subject)})
	}
	problems, err := t.s.problems(ctx, t, about)
	if err != nil {
		return err
	}
	for _, of := range about {
		began = append(began, db.Micros(problems[of].Began)) // 0 if there is none
	}
	return t.Each(ctx, endedEscalations, subjects, began)
}
