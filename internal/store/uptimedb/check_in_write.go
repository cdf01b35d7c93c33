package uptimedb

import (
	"context"
	"encoding/json"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/outbox"
	"sett/internal/store/statusdb"
)

// checkInWrites holds the results of rules for check-ins, to be written together.
type checkInWrites struct {
	numbers, reported, expected, deadlines, armed, missed, noted []int64
	states                                                       []string
	troubles, reminders                                          []int64

	started, ends, longest []int64 // of their runs
	runs, ended            []string

	Of, at                             []int64 // of the events
	kinds, payloads, addresses, agents []string

	turns  turned
	alerts []alerts.Alert

	Now    time.Time
	turned []int64 // check-ins whose state has changed
}

// add adds a check-in, its previous state, and its new events.
func (w *checkInWrites) add(before sett.CheckInState, c storedCheckIn, events []checks.CheckInEvent) {
	var armed int64
	if c.Reported {
		armed = 1
	}
	w.numbers = append(w.numbers, c.number)
	w.states = append(w.states, string(c.State))
	w.reported = append(w.reported, db.Micros(c.ReportedAt))
	w.expected = append(w.expected, db.Micros(c.ExpectedAt))
	w.deadlines = append(w.deadlines, db.Micros(c.DeadlineAt))
	w.armed = append(w.armed, armed)
	w.missed = append(w.missed, c.MissedCount)
	w.noted = append(w.noted, db.Micros(c.NotedAt))
	w.troubles, w.reminders = append(w.troubles, db.Micros(c.TroubleAt)), append(w.reminders, db.Micros(c.RemindAt))
	w.started = append(w.started, db.Micros(c.Run.StartedAt))
	w.ends = append(w.ends, db.Micros(c.Run.DeadlineAt))
	w.longest = append(w.longest, c.Run.Longest.Microseconds())
	w.runs, w.ended = append(w.runs, c.Run.ID), append(w.ended, c.Run.Ended)
	if c.State != c.was {
		w.turned = append(w.turned, c.number)
	}
	w.addEvents(before, c, events)
}

// addEvents adds the new events of a check-in that had the given state before.
func (w *checkInWrites) addEvents(before sett.CheckInState, c storedCheckIn, events []checks.CheckInEvent) {
	w.turns.add(c.number, checks.CheckInTurns(before, c.CheckIn, events))
	w.alerts = append(w.alerts, c.Alerts(events)...)
	for _, e := range events {
		w.Of = append(w.Of, c.number)
		w.at = append(w.at, db.Micros(e.At))
		w.kinds = append(w.kinds, string(e.Kind))
		w.payloads = append(w.payloads, formatPingPayload(e.Payload))
		w.addresses, w.agents = append(w.addresses, e.Source.Address), append(w.agents, e.Source.Agent)
	}
}

func formatPingPayload(p *checks.PingPayload) string {
	if p == nil {
		return ""
	}
	text, err := json.Marshal(p)
	if err != nil {
		panic("store: a payload of a ping is not JSON: " + err.Error())
	}
	return string(text)
}

const writeCheckIns = `-- store.writeCheckIns
UPDATE check_ins SET state = k.state, reported_at = k.reported_at, expected_at = k.expected_at, deadline_at = k.deadline_at,
    reported = (k.reported = 1), missed_count = k.missed_count, noted_at = k.noted_at, run_id = k.run_id, run_started_at = k.run_started_at,
    run_deadline_at = k.run_deadline_at, run_longest = k.run_longest, runs_ended = k.runs_ended, trouble_at = k.trouble_at, remind_at = k.remind_at
FROM {{rows k(number bigint, state text, reported_at bigint, expected_at bigint, deadline_at bigint, reported bigint, missed_count bigint, noted_at bigint, run_id text, run_started_at bigint, run_deadline_at bigint, run_longest bigint, runs_ended text, trouble_at bigint, remind_at bigint)}}
WHERE check_ins.number = k.number`

const insertCheckInEvents = `-- store.insertCheckInEvents
INSERT INTO check_in_events (check_in, kind, at, payload, address, agent)
SELECT k.check_in, k.kind, k.at, k.payload, k.address, k.agent
FROM {{rows k(check_in bigint, kind text, at bigint, payload text, address text, agent text)}} WHERE true`

func (w *checkInWrites) write(ctx context.Context, t Tx) error {
	if err := t.EachOf(ctx, w.Statements()); err != nil {
		return db.Wrap("write check-ins", err)
	}
	return t.status().EvaluateShowing(ctx, w.Now, statusdb.PagesShowingCheckIns, w.turned)
}

func (w *checkInWrites) Statements() []db.RowsStatement {
	return []db.RowsStatement{
		{Text: writeCheckIns, Columns: []any{w.numbers, w.states, w.reported, w.expected, w.deadlines, w.armed, w.missed, w.noted, w.runs, w.started, w.ends, w.longest, w.ended, w.troubles, w.reminders}},
		{Text: insertCheckInEvents, Columns: []any{w.Of, w.kinds, w.at, w.payloads, w.addresses, w.agents}},
		w.turns.statement(),
		outbox.Raising(w.alerts),
	}
}
