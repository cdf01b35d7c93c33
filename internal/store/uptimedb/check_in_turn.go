package uptimedb

import (
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// turned holds new turns of check-ins, as columns.
type turned struct {
	of, at []int64
	states []string
}

func (w *turned) add(number int64, turns []checks.CheckInTurn) {
	for _, t := range turns {
		w.of, w.at, w.states = append(w.of, number), append(w.at, db.Micros(t.At)), append(w.states, string(t.State))
	}
}

const insertCheckInTurns = `-- uptimedb.insertCheckInTurns
INSERT INTO check_in_turns (check_in, at, state)
SELECT k.check_in, k.at, k.state FROM {{rows k(check_in bigint, at bigint, state text)}} WHERE true`

func (w *turned) statement() db.RowsStatement {
	return db.RowsStatement{Text: insertCheckInTurns, Columns: []any{w.of, w.at, w.states}}
}
