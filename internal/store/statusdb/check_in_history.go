package statusdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// TurnsOfCheckIns reads the turns of check-ins. A page may have thousands of turns, and returning a row costs more than reading it.
const TurnsOfCheckIns = `-- statusdb.checkInTurns
SELECT check_in, string_agg(id || ' ' || at || ' ' || state, ' ') FROM check_in_turns WHERE check_in IN `

// RolledUpDays reads the days of check-ins that are rolled up.
const RolledUpDays = `-- statusdb.RolledUpDays
SELECT check_in, day, measured, down, outages, began FROM check_in_days WHERE day >= $1 AND check_in IN `

// checkInHistories returns the histories of check-ins, by number, since the first day of a status page.
func (s *Store) checkInHistories(ctx context.Context, q db.Querier, numbers []int64, first time.Time) (map[int64]*checks.CheckInHistory, error) {
	of := map[int64]*checks.CheckInHistory{}
	for _, n := range numbers {
		of[n] = &checks.CheckInHistory{}
	}
	list, args := db.In(s.db, 2, numbers)
	rows, err := q.QueryContext(ctx, s.db.Text(RolledUpDays+list), append([]any{db.Micros(first)}, args...)...)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		d, err := scanRolledUpDay(rows, &number)
		of[number].Folded = append(of[number].Folded, d)
		return err
	})
	if err != nil {
		return nil, err
	}
	list, args = db.In(s.db, 1, numbers)
	rows, err = q.QueryContext(ctx, s.db.Text(TurnsOfCheckIns+list+" GROUP BY check_in"), args...)
	return of, db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number int64
		var text string
		if err := rows.Scan(&number, &text); err != nil {
			return err
		}
		of[number].Turns, err = readTurns(text)
		return err
	})
}

// readTurns parses turns, each with its id, time and state, and returns them in chronological order.
func readTurns(text string) ([]checks.CheckInTurn, error) {
	words := strings.Fields(text)
	found := make([]numberedTurn, len(words)/3)
	for i := range found {
		id, err := strconv.ParseInt(words[3*i], 10, 64)
		at, err2 := strconv.ParseInt(words[3*i+1], 10, 64)
		if err := errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("read turns: %w", err)
		}
		found[i] = numberedTurn{id, checks.CheckInTurn{At: db.FromMicros(at), State: sett.CheckInState(words[3*i+2])}}
	}
	slices.SortFunc(found, func(a, b numberedTurn) int { return cmp.Compare(a.id, b.id) })
	turns := make([]checks.CheckInTurn, len(found))
	for i, t := range found {
		turns[i] = t.CheckInTurn
	}
	return turns, nil
}

func scanRolledUpDay(rows *sql.Rows, number *int64) (d checks.StatusDay, err error) {
	var day, measured, down int64
	err = rows.Scan(number, &day, &measured, &down, &d.Outages, &d.Began)
	d.Day, d.Measured, d.Down = db.FromMicros(day), time.Duration(measured)*time.Microsecond, time.Duration(down)*time.Microsecond
	return d, err
}

type numberedTurn struct {
	id int64
	checks.CheckInTurn
}
