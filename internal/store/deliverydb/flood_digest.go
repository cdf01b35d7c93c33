package deliverydb

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// listFlood sends a message that lists what the held messages of a window that goes on are about, and reports whether there is one.
func (t Tx) listFlood(ctx context.Context, now time.Time, f *flood) (sent bool, err error) {
	to, err := t.receiver(ctx, f.Receiver) // locked before its window, as in a deletion
	switch {
	case errors.Is(err, sql.ErrNoRows): // the window goes with it
		_, err := t.Exec(ctx, dropFlood, string(f.Receiver), f.quietly)
		return false, err
	case err != nil:
		return false, err
	}
	f.receiver = to
	facts := &alerts.HeldFacts{Limit: f.limit, Minutes: int64(alerts.FloodWindow / time.Minute)}
	messages, newest, err := t.list(ctx, *f, facts)
	if err != nil {
		return false, err
	}
	facts.Count, f.Flood = messages, f.Digested(messages, max(newest, f.Listed))
	if messages > 0 {
		if err := t.sumUp(ctx, now, f, facts); err != nil {
			return false, err
		}
	}
	return messages > 0, t.writeFloods(ctx, map[floodKey]*flood{{f.Receiver, f.quietly}: f})
}

var heldSince = `-- deliverydb.heldSince
SELECT ` + alertColumns + `, d.id FROM deliveries d JOIN alerts a ON a.id = d.alert_id
WHERE d.receiver = $1 AND d.state = 'held' AND d.held_quietly = $4 AND d.id > $2 AND d.created_at >= $3
    AND d.event IN (` + textsOf(alerts.WatchingEvents()) + `) ORDER BY d.id`

const quietOver = `-- deliverydb.quietOver
UPDATE deliveries SET held_quietly = false WHERE receiver = $1 AND held_quietly`

// listQuiet adds to facts what the messages are about that were held because they had waited for the end of quiet hours. The next summary does
// not list them again.
func (t Tx) listQuiet(ctx context.Context, f flood, facts *alerts.HeldFacts) error {
	f.Flood = alerts.Flood{} // the window begins after these messages
	if _, _, err := t.list(ctx, f, facts); err != nil {
		return err
	}
	_, err := t.Exec(ctx, quietOver, string(f.Receiver))
	return err
}

// textsOf lists events for a statement.
func textsOf(events []alerts.AlertEvent) string {
	var list []string
	for _, e := range events {
		list = append(list, "'"+string(e)+"'")
	}
	return strings.Join(list, ", ")
}

// mostListed is how many names a message lists of each kind.
const mostListed = 100

// list adds to facts what the held messages of a window are about that were not listed before. It returns how many they are, and the newest.
func (t Tx) list(ctx context.Context, f flood, facts *alerts.HeldFacts) (messages, newest int64, err error) {
	last := map[alerts.AlertSubject]alerts.Alert{}
	var order []alerts.AlertSubject
	rows, err := t.QueryContext(ctx, t.s.db.Text(heldSince), string(f.Receiver), f.Listed, db.Micros(f.BeganAt), f.quietly)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		a, err := scanAlert(rows, &newest)
		if _, unreadable := errors.AsType[db.Unreadable](err); unreadable || err == nil && a.Facts.Watched() == "" {
			return nil // it is counted, and has no name
		}
		if _, known := last[a.Subject]; !known {
			order = append(order, a.Subject)
		}
		last[a.Subject], messages = a, messages+1
		return err
	})
	for _, subject := range order {
		add(facts, last[subject])
	}
	facts.Listed = messages
	return messages, newest, err
}

// add adds what an alert is about.
func add(facts *alerts.HeldFacts, a alerts.Alert) {
	names, count := &facts.Down, &facts.DownCount
	if slices.Contains(alerts.ClosingEvents(), a.Event) {
		names, count = &facts.Well, &facts.WellCount
	}
	if *count++; len(*names) < mostListed {
		*names = append(*names, a.Facts.Watched())
	}
}
