package store

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
)

const lastBeatNow = `-- store.LastBeat
SELECT last_at FROM beats`

const lastBeat = `-- store.lastBeat
SELECT last_at FROM beats {{for update}}`

const moveBeat = `-- store.moveBeat
UPDATE beats SET last_at = $1`

const insertBlindWindow = `-- store.insertBlindWindow
INSERT INTO blind_windows (from_at, to_at) VALUES ($1, $2) ON CONFLICT (to_at, from_at) DO NOTHING`

// LastBeat returns when a server was last known to be alive; zero: never.
func (s *Store) LastBeat(ctx context.Context) (time.Time, error) {
	var last int64
	err := s.read.QueryRowContext(ctx, s.text(lastBeatNow)).Scan(&last)
	return fromMicros(last), wrap("read the last beat", err)
}

// Beat notes that a server is alive now. It returns the time before that in which none was, which is noted too: deadlines
// in it are forgiven by SweepCheckIns. After a clock that was far ahead was set back, it mends what was noted by that.
func (s *Store) Beat(ctx context.Context, now time.Time, b sett.Beginning) (blind sett.BlindWindow, err error) {
	err = s.inTx(ctx, "beat", func(t *tx) error {
		t.keepsFaults = true
		var last int64
		if err := t.QueryRowContext(ctx, s.text(lastBeat)).Scan(&last); err != nil {
			return err
		}
		if sett.ClockWasSetBack(fromMicros(last), now) {
			if err := t.setBack(ctx, now); err != nil {
				return err
			}
		}
		var next time.Time
		if next, blind = sett.Beat(fromMicros(last), now, b); !blind.IsZero() {
			if _, err := t.exec(ctx, insertBlindWindow, micros(blind.From), micros(blind.To)); err != nil {
				return err
			}
		}
		_, err := t.exec(ctx, moveBeat, micros(next))
		return err
	})
	return blind, err
}

const blindWindows = `-- store.blindWindows
SELECT from_at, to_at FROM blind_windows WHERE to_at >= $1 ORDER BY from_at`

// blindWindows returns those that end at a time or later, in the order in which they begin.
func (s *Store) blindWindows(ctx context.Context, q querier, from time.Time) (found []sett.BlindWindow, err error) {
	rows, err := q.QueryContext(ctx, s.text(blindWindows), micros(from))
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var from, to int64
		err := rows.Scan(&from, &to)
		found = append(found, sett.BlindWindow{From: fromMicros(from), To: fromMicros(to)})
		return err
	})
	return found, err
}
