package deliverydb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/sett/alerts"
	"sett/internal/store/db"
)

// flood is a window of flood control while it is counted. Messages that wait for the end of quiet hours have a window of their own, which
// starts at that end.
type flood struct {
	alerts.Flood
	receiver
	quietly bool
	project int64 // the project of its summary
}

// floodKey identifies a window.
type floodKey struct {
	alerts.Receiver
	quietly bool
}

// window returns the window that a message counts in, and when the message is sent.
func (to route) window(now time.Time) (floodKey, time.Time) {
	if until := to.waitsUntil(now); !until.IsZero() {
		return floodKey{to.Receiver, true}, until
	}
	return floodKey{to.Receiver, false}, now
}

// controlFlood decides which messages are held, and adds deliveries for all of them. The summary of a window that is over is sent before
// further messages to its receiver.
func (t Tx) controlFlood(ctx context.Context, now time.Time, routes []route, made *newDeliveries) error {
	troubles, err := t.troubles(ctx, routes)
	if err != nil {
		return err
	}
	floods, err := t.floods(ctx, now, routes)
	if err != nil {
		return err
	}
	for _, to := range routes {
		if to.Direct() {
			made.add(now, to, alerts.DeliveryDue)
			continue
		}
		key, at := to.window(now)
		if err := t.closeFlood(ctx, now, at, floods[key]); err != nil {
			return err
		}
		made.add(now, to, floods[key].evaluate(at, to, troubles))
	}
	return t.writeFloods(ctx, floods)
}

// evaluate counts one more message and returns the state of its delivery.
func (f *flood) evaluate(now time.Time, to route, troubles troubles) alerts.DeliveryState {
	subject := receiverSubject{to.Receiver, to.Subject}
	known := troubles[subject]
	var held bool
	if slices.Contains(alerts.ClosingEvents(), to.Event) {
		if troubles[subject], held = known.Closed(); held {
			f.Flood = f.Hold(now)
		}
	} else {
		f.Flood, held = f.Pass(now, f.limit)
	}
	if slices.Contains(alerts.OpeningEvents(), to.Event) {
		troubles[subject] = known.Opened(held)
	}
	if held {
		f.Flood = f.awaited(now, to)
		return alerts.DeliveryHeld
	}
	return alerts.DeliveryDue
}

// awaited is the window with one more held message. Those that wait for the end of quiet hours are summed up after it.
func (f *flood) awaited(now time.Time, to route) alerts.Flood {
	if f.quietly {
		return f.Flood
	}
	return f.Await(now, to.Event)
}

const floodColumns = `f.receiver, f.quiet, f.project_id, f.began_at, f.sent, f.held, f.digest_at, f.digests, f.listed`

const readFloods = `-- deliverydb.readFloods
SELECT ` + floodColumns + `
FROM {{rows k(receiver text, quiet boolean)}} JOIN floods f ON f.receiver = k.receiver AND f.quiet = k.quiet`

// floods returns the windows that messages count in.
func (t Tx) floods(ctx context.Context, now time.Time, routes []route) (map[floodKey]*flood, error) {
	floods := map[floodKey]*flood{}
	var names []string
	var quiet []bool
	for _, to := range routes {
		if key, _ := to.window(now); floods[key] == nil {
			floods[key] = &flood{receiver: to.receiver, quietly: key.quietly, project: to.ProjectID}
			names, quiet = append(names, string(to.Receiver)), append(quiet, key.quietly)
		}
	}
	err := t.EachRow(ctx, readFloods, func(rows *sql.Rows) error {
		f, err := scanFlood(rows)
		have := floods[floodKey{f.Receiver, f.quietly}]
		have.Flood, have.project = f.Flood, f.project
		return err
	}, names, quiet)
	return floods, err
}

func scanFlood(row db.Row) (f flood, err error) {
	var began, digest int64
	err = row.Scan(&f.Receiver, &f.quietly, &f.project, &began, &f.Sent, &f.Held, &digest, &f.Digests, &f.Listed)
	f.BeganAt, f.DigestAt = db.FromMicros(began), db.FromMicros(digest)
	return f, err
}

const putFloods = `-- deliverydb.putFloods
INSERT INTO floods (receiver, quiet, project_id, began_at, sent, held, digest_at, digests, listed)
SELECT k.receiver, k.quiet, k.project_id, k.began_at, k.sent, k.held, k.digest_at, k.digests, k.listed
FROM {{rows k(receiver text, quiet boolean, project_id bigint, began_at bigint, sent bigint, held bigint, digest_at bigint, digests bigint, listed bigint)}} WHERE true
ON CONFLICT (receiver, quiet) DO UPDATE SET began_at = excluded.began_at, sent = excluded.sent, held = excluded.held,
    digest_at = excluded.digest_at, digests = excluded.digests, listed = excluded.listed`

// writeFloods stores the windows that have started.
func (t Tx) writeFloods(ctx context.Context, floods map[floodKey]*flood) error {
	var receivers []string
	var quiet []bool
	var projects, began, sent, held, digestAt, digests, listed []int64
	for _, key := range db.Sorted(floods, floodKey.compare) {
		f := floods[key]
		if f.BeganAt.IsZero() {
			continue
		}
		receivers, quiet, projects = append(receivers, string(key.Receiver)), append(quiet, key.quietly), append(projects, f.project)
		began, sent, held = append(began, db.Micros(f.BeganAt)), append(sent, f.Sent), append(held, f.Held)
		digestAt, digests, listed = append(digestAt, db.Micros(f.DigestAt)), append(digests, f.Digests), append(listed, f.Listed)
	}
	return t.Each(ctx, putFloods, receivers, quiet, projects, began, sent, held, digestAt, digests, listed)
}

// compare orders windows, those without quiet hours first.
func (k floodKey) compare(other floodKey) int {
	switch order := cmp.Compare(k.Receiver, other.Receiver); {
	case order != 0 || k.quietly == other.quietly:
		return order
	case k.quietly:
		return 1
	default:
		return -1
	}
}

// closeFlood ends a window if it is over when the next message is sent – which is later than now if that message waits – and sends a
// summary of the held messages.
func (t Tx) closeFlood(ctx context.Context, now, next time.Time, f *flood) error {
	if f.Held == 0 || !f.Over(next) {
		return nil
	}
	facts := f.Facts(f.limit)
	if facts.Quiet = f.quietly; f.quietly {
		if err := t.listQuiet(ctx, *f, facts); err != nil {
			return err
		}
	} else if _, _, err := t.list(ctx, *f, facts); err != nil {
		return err
	}
	f.Flood = alerts.Flood{BeganAt: next}
	return t.sumUp(ctx, now, f, facts)
}

// sumUp sends a receiver a message about messages that were held.
func (t Tx) sumUp(ctx context.Context, now time.Time, f *flood, facts *alerts.HeldFacts) error {
	return t.raiseFor(ctx, now, &alerts.Alert{
		ProjectID: f.project, Event: alerts.AlertFlooded, Subject: alerts.ProjectSubject(f.project), IntegrationID: f.Receiver.IntegrationID(),
		At: now, Facts: alerts.AlertFacts{Held: facts},
	}, f.receiver)
}

const hasOldFlood = `-- deliverydb.hasOldFlood
SELECT EXISTS (SELECT 1 FROM floods WHERE began_at <= $1 OR digest_at > 0 AND digest_at <= $2)`

const oldFloods = `-- deliverydb.oldFloods
SELECT ` + floodColumns + ` FROM floods f WHERE f.began_at <= $1 OR f.digest_at > 0 AND f.digest_at <= $2 ORDER BY f.receiver, f.quiet LIMIT $3`

const dropFlood = `-- deliverydb.dropFlood
DELETE FROM floods WHERE receiver = $1 AND quiet = $2`

// CloseFloods ends the windows of flood control that are over, each with a summary of its held messages, and sends the lists that are due of
// others. It returns the number of summaries and lists.
func (s *Store) CloseFloods(ctx context.Context, now time.Time) (closed int, err error) {
	before := db.Micros(now.Add(-alerts.FloodWindow))
	var old bool
	if err := s.db.Read.QueryRowContext(ctx, s.db.Text(hasOldFlood), before, db.Micros(now)).Scan(&old); err != nil || !old {
		return 0, s.db.Explain(db.Wrap("look for floods", err))
	}
	err = s.sweep(ctx, "close floods", floodsAtOnce, func(t Tx) (int64, error) {
		sent, ended, err := t.closeFloods(ctx, now, before)
		closed += sent
		return ended, err
	})
	return closed, err
}

// floodsAtOnce is how many windows one transaction ends.
const floodsAtOnce = 100

func (t Tx) closeFloods(ctx context.Context, now time.Time, before int64) (sent int, ended int64, err error) {
	t.KeepsCaches = true
	if err := t.fanOutOne(ctx); err != nil {
		return 0, 0, err
	}
	rows, err := t.QueryContext(ctx, t.s.db.Text(oldFloods), before, db.Micros(now), floodsAtOnce)
	floods, err := db.Collect(rows, err, scanFlood)
	for i := 0; err == nil && i < len(floods); i++ {
		var summed bool
		next := t.endFlood
		if !floods[i].Over(now) {
			next = t.listFlood
		}
		if summed, err = next(ctx, now, &floods[i]); summed {
			sent++
		}
	}
	return sent, int64(len(floods)), err
}

// endFlood ends a window that is over, and reports whether a summary was sent: messages were held, and the receiver exists.
func (t Tx) endFlood(ctx context.Context, now time.Time, f *flood) (sent bool, err error) {
	to, err := t.receiver(ctx, f.Receiver) // locked before its window, as in a deletion
	gone := errors.Is(err, sql.ErrNoRows)
	if err != nil && !gone {
		return false, err
	}
	if _, err := t.Exec(ctx, dropFlood, string(f.Receiver), f.quietly); err != nil || gone || f.Held == 0 {
		return false, err
	}
	f.receiver = to
	return true, t.closeFlood(ctx, now, now, f)
}

const receivingIntegration = `-- deliverydb.receivingIntegration
SELECT notification_limit, quiet_hours FROM integrations WHERE id = $1 {{for key share}}`

const receivingUser = `-- deliverydb.receivingUser
SELECT id FROM users WHERE id = $1 {{for key share}}`

// receiver returns a receiver and prevents its deletion; if it is deleted, the error is sql.ErrNoRows.
func (t Tx) receiver(ctx context.Context, r alerts.Receiver) (receiver, error) {
	if id := r.UserID(); id > 0 {
		return userReceiver(id), t.QueryRowContext(ctx, t.s.db.Text(receivingUser), id).Scan(&id)
	}
	i := alerts.Integration{ID: r.IntegrationID()}
	var hours string
	err := t.QueryRowContext(ctx, t.s.db.Text(receivingIntegration), i.ID).Scan(&i.NotificationLimit, &hours)
	i.QuietHours = readQuiet(hours)
	return integrationReceiver(i), err
}
