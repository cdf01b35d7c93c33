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
	numbers  []int64
	row      storedCheckIn // the last one
	progress db.Collector  // of row

	Of, at                             []int64 // of the events
	kinds, payloads, addresses, agents []string

	turns  turned
	alerts []alerts.Alert

	Now    time.Time
	turned []int64 // check-ins whose state has changed
}

// add adds a check-in, its previous state, and its new events.
func (w *checkInWrites) add(before sett.CheckInState, c storedCheckIn, events []checks.CheckInEvent) {
	if w.progress == nil {
		w.progress = w.row.progress().Collector()
	}
	w.numbers, w.row = append(w.numbers, c.number), c
	w.progress.Add()
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

var writeCheckIns = `-- uptimedb.writeCheckIns
UPDATE check_ins SET ` + aCheckIn.progress().SetFrom("k") + ` FROM {{rows k(number bigint, ` + aCheckIn.progress().Typed() + `)}}
WHERE check_ins.number = k.number`

const insertCheckInEvents = `-- uptimedb.insertCheckInEvents
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
		{Text: writeCheckIns, Columns: w.progress.Rows(w.numbers)},
		{Text: insertCheckInEvents, Columns: []any{w.Of, w.kinds, w.at, w.payloads, w.addresses, w.agents}},
		w.turns.statement(),
		outbox.Raising(w.alerts),
	}
}
