package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"sett/internal/sett"
)

// flood is a window of flood control while it is counted.
type flood struct {
	sett.Flood
	receiver
	project int64 // in which its summary is told
}

// controlFlood decides which messages are held, and makes deliveries of all of them. A window that is over is told of
// before its receiver is told more.
func (t *tx) controlFlood(ctx context.Context, now time.Time, told []telling, made *newDeliveries) error {
	troubles, err := t.troubles(ctx, told)
	if err != nil {
		return err
	}
	floods, err := t.floods(ctx, told)
	if err != nil {
		return err
	}
	for _, to := range told {
		if to.Direct() {
			made.add(to, sett.DeliveryDue)
			continue
		}
		f := floods[to.Receiver]
		if err := t.closeFlood(ctx, now, f); err != nil {
			return err
		}
		made.add(to, f.judge(now, to, troubles))
	}
	return t.writeFloods(ctx, floods)
}

// judge counts one more message and returns the state of its delivery.
func (f *flood) judge(now time.Time, to telling, troubles troubles) sett.DeliveryState {
	subject := receiverSubject{to.Receiver, to.Subject}
	known := troubles[subject]
	held := false
	if slices.Contains(sett.ClosingEvents(), to.Event) {
		if troubles[subject], held = known.Closed(); held {
			f.Flood = f.Hold(now)
		}
	} else {
		f.Flood, held = f.Pass(now, f.limit)
	}
	if slices.Contains(sett.OpeningEvents(), to.Event) {
		troubles[subject] = known.Opened(held)
	}
	if held {
		return sett.DeliveryHeld
	}
	return sett.DeliveryDue
}

const readFloods = `-- store.readFloods
SELECT f.receiver, f.project_id, f.began_at, f.sent, f.held FROM {{rows k(receiver text)}} JOIN floods f ON f.receiver = k.receiver`

// floods returns the window of each receiver.
func (t *tx) floods(ctx context.Context, told []telling) (map[sett.Receiver]*flood, error) {
	floods := map[sett.Receiver]*flood{}
	var names []string
	for _, to := range told {
		if floods[to.Receiver] == nil {
			floods[to.Receiver] = &flood{receiver: to.receiver, project: to.ProjectID}
			names = append(names, string(to.Receiver))
		}
	}
	err := t.eachRow(ctx, readFloods, func(rows *sql.Rows) error {
		f, err := scanFlood(rows)
		have := floods[f.Receiver]
		have.Flood, have.project = f.Flood, f.project
		return err
	}, names)
	return floods, err
}

func scanFlood(rows *sql.Rows) (f flood, err error) {
	var began int64
	err = rows.Scan(&f.Receiver, &f.project, &began, &f.Sent, &f.Held)
	f.BeganAt = fromMicros(began)
	return f, err
}

const putFloods = `-- store.putFloods
INSERT INTO floods (receiver, project_id, began_at, sent, held) SELECT k.receiver, k.project_id, k.began_at, k.sent, k.held
FROM {{rows k(receiver text, project_id bigint, began_at bigint, sent bigint, held bigint)}} WHERE true
ON CONFLICT (receiver) DO UPDATE SET began_at = excluded.began_at, sent = excluded.sent, held = excluded.held`

// writeFloods stores the windows that have begun.
func (t *tx) writeFloods(ctx context.Context, floods map[sett.Receiver]*flood) error {
	var receivers []string
	var projects, began, sent, held []int64
	for _, r := range sorted(floods, cmp.Compare) {
		f := floods[r]
		if f.BeganAt.IsZero() {
			continue
		}
		receivers, projects = append(receivers, string(r)), append(projects, f.project)
		began, sent, held = append(began, micros(f.BeganAt)), append(sent, f.Sent), append(held, f.Held)
	}
	return t.each(ctx, putFloods, receivers, projects, began, sent, held)
}

// closeFlood tells the receiver what was held in a window that is over, and ends it.
func (t *tx) closeFlood(ctx context.Context, now time.Time, f *flood) error {
	if f.Held == 0 || !f.Over(now) {
		return nil
	}
	a := sett.Alert{
		ProjectID: f.project, Event: sett.AlertFlooded, Subject: sett.ProjectSubject(f.project), IntegrationID: f.Receiver.IntegrationID(),
		At: now, Facts: sett.AlertFacts{Held: f.Facts(f.limit)},
	}
	f.Flood = sett.Flood{BeganAt: now}
	return t.raiseFor(ctx, now, &a, f.receiver)
}

const hasOldFlood = `-- store.hasOldFlood
SELECT EXISTS (SELECT 1 FROM floods WHERE began_at <= $1)`

const oldFloods = `-- store.oldFloods
SELECT receiver, project_id, began_at, sent, held FROM floods WHERE began_at <= $1 ORDER BY receiver LIMIT $2`

const dropFlood = `-- store.dropFlood
DELETE FROM floods WHERE receiver = $1`

// CloseFloods ends the windows of flood control that are over, each with a message of what was held in it. It returns how
// many such messages there are.
func (s *Store) CloseFloods(ctx context.Context, now time.Time) (closed int, err error) {
	before := micros(now.Add(-sett.FloodWindow))
	var old bool
	if err := s.read.QueryRowContext(ctx, s.text(hasOldFlood), before).Scan(&old); err != nil || !old {
		return 0, s.Explain(wrap("look for floods", err))
	}
	err = s.sweep(ctx, "close floods", floodsAtOnce, func(t *tx) (int64, error) {
		told, ended, err := t.closeFloods(ctx, now, before)
		closed += told
		return ended, err
	})
	return closed, err
}

// floodsAtOnce is how many windows one transaction ends.
const floodsAtOnce = 100

func (t *tx) closeFloods(ctx context.Context, now time.Time, before int64) (told int, ended int64, err error) {
	t.keepsFaults = true
	if err := t.spreadAlone(ctx); err != nil {
		return 0, 0, err
	}
	var floods []flood
	rows, err := t.QueryContext(ctx, t.s.text(oldFloods), before, floodsAtOnce)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		f, err := scanFlood(rows)
		floods = append(floods, f)
		return err
	})
	for i := 0; err == nil && i < len(floods); i++ {
		var summed bool
		if summed, err = t.endFlood(ctx, now, &floods[i]); summed {
			told++
		}
	}
	return told, int64(len(floods)), err
}

// endFlood ends a window that is over and reports whether there was anything to tell, and somebody to tell it to.
func (t *tx) endFlood(ctx context.Context, now time.Time, f *flood) (told bool, err error) {
	to, err := t.receiver(ctx, f.Receiver) // locked before its window, as by who deletes it
	gone := errors.Is(err, sql.ErrNoRows)
	if err != nil && !gone {
		return false, err
	}
	if _, err := t.exec(ctx, dropFlood, string(f.Receiver)); err != nil || gone || f.Held == 0 {
		return false, err
	}
	f.receiver = to
	return true, t.closeFlood(ctx, now, f)
}

const receivingIntegration = `-- store.receivingIntegration
SELECT notification_limit FROM integrations WHERE id = $1 {{for key share}}`

const receivingUser = `-- store.receivingUser
SELECT id FROM users WHERE id = $1 {{for key share}}`

// receiver returns a receiver that still is there, and keeps others from deleting it; for others the error is sql.ErrNoRows.
func (t *tx) receiver(ctx context.Context, r sett.Receiver) (receiver, error) {
	if id := r.UserID(); id > 0 {
		return userReceiver(id), t.QueryRowContext(ctx, t.s.text(receivingUser), id).Scan(&id)
	}
	i := sett.Integration{ID: r.IntegrationID()}
	err := t.QueryRowContext(ctx, t.s.text(receivingIntegration), i.ID).Scan(&i.NotificationLimit)
	return integrationReceiver(i), err
}
