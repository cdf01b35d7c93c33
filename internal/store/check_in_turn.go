package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

// turned are the turns of check-ins that are to be written, as columns.
type turned struct {
	of, at []int64
	states []string
}

func (w *turned) add(number int64, turns []sett.CheckInTurn) {
	for _, t := range turns {
		w.of, w.at, w.states = append(w.of, number), append(w.at, micros(t.At)), append(w.states, string(t.State))
	}
}

const insertCheckInTurns = `-- store.insertCheckInTurns
INSERT INTO check_in_turns (check_in, at, state)
SELECT k.check_in, k.at, k.state FROM {{rows k(check_in bigint, at bigint, state text)}} WHERE true`

func (w *turned) statement() rowsStatement {
	return rowsStatement{text: insertCheckInTurns, columns: []any{w.of, w.at, w.states}}
}

const turnsOfCheckIns = `-- store.checkInTurns
SELECT check_in, at, state FROM check_in_turns WHERE check_in IN `

const foldedDays = `-- store.foldedDays
SELECT check_in, day, measured, down, outages, began FROM check_in_days WHERE day >= $1 AND check_in IN `

// checkInHistories returns what is known of check-ins, by their numbers, since the first day of a status page.
func (s *Store) checkInHistories(ctx context.Context, q querier, numbers []int64, first time.Time) (map[int64]*sett.CheckInHistory, error) {
	of := map[int64]*sett.CheckInHistory{}
	for _, n := range numbers {
		of[n] = &sett.CheckInHistory{}
	}
	list, args := in(2, numbers)
	rows, err := q.QueryContext(ctx, s.text(foldedDays+list), append([]any{micros(first)}, args...)...)
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		d, err := scanFoldedDay(rows, &number)
		of[number].Folded = append(of[number].Folded, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, args = in(1, numbers)
	rows, err = q.QueryContext(ctx, s.text(turnsOfCheckIns+list+" ORDER BY check_in, id"), args...)
	return of, scanAll(rows, err, func(rows *sql.Rows) error {
		var number, at int64
		var t sett.CheckInTurn
		if err := rows.Scan(&number, &at, &t.State); err != nil {
			return err
		}
		t.At = fromMicros(at)
		of[number].Turns = append(of[number].Turns, t)
		return nil
	})
}

func scanFoldedDay(rows *sql.Rows, number *int64) (d sett.StatusDay, err error) {
	var day, measured, down int64
	err = rows.Scan(number, &day, &measured, &down, &d.Outages, &d.Began)
	d.Day, d.Measured, d.Down = fromMicros(day), time.Duration(measured)*time.Microsecond, time.Duration(down)*time.Microsecond
	return d, err
}
