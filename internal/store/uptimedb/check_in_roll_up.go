package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// mostCheckInTurns is how many turns a check-in has before they are rolled up: check-ins that rarely miss keep theirs, and a status page
// does not load more slowly because of a job that misses every minute.
const mostCheckInTurns = 200

// KeepCheckInTurns is longer than the time that a status page shows.
const KeepCheckInTurns = (checks.StatusDays + 1) * 24 * time.Hour

const rollableCheckIns = `-- uptimedb.rollableCheckIns
SELECT c.number FROM check_ins c
WHERE EXISTS (SELECT 1 FROM check_in_turns t WHERE t.check_in = c.number ORDER BY t.id LIMIT 1 OFFSET $1)
    OR (SELECT t.at FROM check_in_turns t WHERE t.check_in = c.number ORDER BY t.id LIMIT 1 OFFSET 1) < $2
ORDER BY c.number`

// rollUpCheckIns rolls up turns that are many or old, and deletes days that no status page shows. Each transaction handles one check-in.
func (s *Store) rollUpCheckIns(ctx context.Context, now time.Time) error {
	since := now.Add(-KeepCheckInTurns)
	numbers, err := s.db.ListIDs(ctx, s.db.Read, rollableCheckIns, mostCheckInTurns, db.Micros(since))
	if err != nil {
		return fmt.Errorf("find check-ins with many turns: %w", err)
	}
	for _, number := range numbers {
		err := s.inTx(ctx, "fold turns of a check-in", func(t Tx) error {
			t.KeepsCaches = true
			return t.rollUpCheckIn(ctx, number, since, now)
		})
		if err != nil {
			return err
		}
	}
	return s.sweep(ctx, "prune days of check-ins", db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, pruneCheckInDays, db.Micros(since), db.RowsAtOnce)
	})
}

const pruneCheckInDays = `-- uptimedb.pruneCheckInDays
DELETE FROM check_in_days WHERE (check_in, day) IN (SELECT check_in, day FROM check_in_days WHERE day < $1 LIMIT $2)`

const holdCheckIn = `-- uptimedb.holdCheckIn
SELECT number FROM check_ins WHERE number = $1 {{for no key update}}`

// rollUpCheckIn rolls up the turns of a check-in. It locks the check-in, because another node may do the same.
func (t Tx) rollUpCheckIn(ctx context.Context, number int64, since, now time.Time) error {
	held, err := t.s.db.ListIDs(ctx, t, holdCheckIn, number)
	if err != nil || len(held) == 0 {
		return err
	}
	ids, history, err := t.turnsToRollUp(ctx, number)
	if err != nil || len(ids) == 0 {
		return err
	}
	blind, err := t.s.status.BlindWindows(ctx, t, since)
	if err != nil {
		return err
	}
	days, keep, at := history.Fold(since, now, blind)
	if keep == 0 {
		return nil
	}
	if err := t.addCheckInDays(ctx, number, days); err != nil {
		return err
	}
	if _, err := t.Exec(ctx, dropRolledUpTurns, number, ids[keep]); err != nil {
		return err
	}
	_, err = t.Exec(ctx, moveTurn, ids[keep], db.Micros(at))
	return err
}

const dropRolledUpTurns = `-- uptimedb.dropRolledUpTurns
DELETE FROM check_in_turns WHERE check_in = $1 AND id < $2`

const moveTurn = `-- uptimedb.moveTurn
UPDATE check_in_turns SET at = $2 WHERE id = $1`

const turnsToRollUp = `-- uptimedb.turnsToRollUp
SELECT id, at, state FROM check_in_turns WHERE check_in = $1 ORDER BY id`

func (t Tx) turnsToRollUp(ctx context.Context, number int64) (ids []int64, h checks.CheckInHistory, err error) {
	rows, err := t.QueryContext(ctx, t.s.db.Text(turnsToRollUp), number)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var id, at int64
		var turn checks.CheckInTurn
		err := rows.Scan(&id, &at, &turn.State)
		turn.At = db.FromMicros(at)
		ids, h.Turns = append(ids, id), append(h.Turns, turn)
		return err
	})
	return ids, h, err
}

const addCheckInDays = `-- uptimedb.addCheckInDays
INSERT INTO check_in_days (check_in, day, measured, down, outages, began)
SELECT k.check_in, k.day, k.measured, k.down, k.outages, k.began
FROM {{rows k(check_in bigint, day bigint, measured bigint, down bigint, outages bigint, began bigint)}} WHERE true
ON CONFLICT (check_in, day) DO UPDATE SET measured = check_in_days.measured + excluded.measured,
    down = check_in_days.down + excluded.down, outages = check_in_days.outages + excluded.outages,
    began = check_in_days.began + excluded.began`

func (t Tx) addCheckInDays(ctx context.Context, number int64, days []checks.StatusDay) error {
	var of, at, measured, down, outages, began []int64
	for _, d := range days {
		of, at = append(of, number), append(at, db.Micros(d.Day))
		measured, down = append(measured, d.Measured.Microseconds()), append(down, d.Down.Microseconds())
		outages, began = append(outages, int64(d.Outages)), append(began, int64(d.Began))
	}
	return t.Each(ctx, addCheckInDays, of, at, measured, down, outages, began)
}
