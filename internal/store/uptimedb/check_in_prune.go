package uptimedb

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"sett/internal/store/db"
	"sett/internal/store/statusdb"
)

// The limits of a check-in's history.
const (
	KeepCheckInEvents = 90 * 24 * time.Hour
	mostCheckInEvents = 1_000
)

// PruneCheckIns deletes events that are more than 90 days old, all but the newest 1,000 events of each check-in, and
// what was refused more than 30 days ago.
func (s *Store) PruneCheckIns(ctx context.Context, now time.Time) error {
	old := db.Micros(now.Add(-KeepCheckInEvents))
	if err := s.pruneOldCheckInEvents(ctx, old); err != nil {
		return err
	}
	if err := s.pruneManyCheckInEvents(ctx); err != nil {
		return err
	}
	if err := s.pruneRefusedCheckIns(ctx, now); err != nil {
		return err
	}
	if err := s.rollUpCheckIns(ctx, now); err != nil {
		return err
	}
	return s.pruneBlindWindows(ctx, old)
}

// Events are stored in chronological order, or nearly so: those of a sweep are dated a moment earlier.
const pruneOldCheckInEvents = `-- uptimedb.pruneOldCheckInEvents
DELETE FROM check_in_events WHERE at < $1 AND id IN (SELECT id FROM check_in_events ORDER BY id LIMIT $2)`

func (s *Store) pruneOldCheckInEvents(ctx context.Context, before int64) error {
	return s.sweep(ctx, "prune events of check-ins", db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.Changed(ctx, pruneOldCheckInEvents, before, db.RowsAtOnce)
	})
}

const crowdedCheckIns = `-- uptimedb.crowdedCheckIns
SELECT number, last FROM (SELECT c.number, (SELECT e.id FROM check_in_events e WHERE e.check_in = c.number
    ORDER BY e.id DESC LIMIT 1 OFFSET $1) AS last FROM check_ins c) crowded WHERE last IS NOT NULL ORDER BY number`

const pruneManyCheckInEvents = `-- uptimedb.pruneManyCheckInEvents
DELETE FROM check_in_events WHERE id IN (SELECT id FROM check_in_events WHERE check_in = $1 AND id <= $2 ORDER BY id LIMIT $3)`

func (s *Store) pruneManyCheckInEvents(ctx context.Context) error {
	type crowded struct{ number, last int64 } // last: the newest event to delete
	var found []crowded
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(crowdedCheckIns), mostCheckInEvents)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var c crowded
		err := rows.Scan(&c.number, &c.last)
		found = append(found, c)
		return err
	})
	if err != nil {
		return fmt.Errorf("find check-ins with many events: %w", err)
	}
	for _, c := range found {
		err := s.sweep(ctx, "prune events of a check-in", db.RowsAtOnce, func(t Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, pruneManyCheckInEvents, c.number, c.last, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const pruneBlindWindows = `-- uptimedb.pruneBlindWindows
DELETE FROM blind_windows WHERE to_at < $1`

func (s *Store) pruneBlindWindows(ctx context.Context, before int64) error {
	return s.inTx(ctx, "prune monitoring gaps", func(t Tx) error {
		t.KeepsCaches = true
		_, err := t.Exec(ctx, pruneBlindWindows, before)
		return err
	})
}

const sweepCheckInEvents = `-- uptimedb.sweepCheckInEvents
DELETE FROM check_in_events WHERE id IN (SELECT e.id FROM check_ins c JOIN check_in_events e ON e.check_in = c.number
    WHERE c.project_id = $1 LIMIT $2)`

const sweepCheckInTurns = `-- uptimedb.sweepCheckInTurns
DELETE FROM check_in_turns WHERE id IN (SELECT t.id FROM check_ins c JOIN check_in_turns t ON t.check_in = c.number
    WHERE c.project_id = $1 LIMIT $2)`

const sweepCheckInDays = `-- uptimedb.sweepCheckInDays
DELETE FROM check_in_days WHERE (check_in, day) IN (SELECT d.check_in, d.day FROM check_ins c JOIN check_in_days d ON d.check_in = c.number
    WHERE c.project_id = $1 LIMIT $2)`

const holdProjectCheckIns = `-- uptimedb.holdCheckInsToSweep
SELECT number FROM check_ins WHERE project_id = $1 ORDER BY number LIMIT $2 {{for update}}`

const sweepProjectCheckIns = `-- uptimedb.sweepCheckIns
DELETE FROM check_ins WHERE number IN (SELECT number FROM check_ins WHERE project_id = $1 ORDER BY number LIMIT $2)`

// SweepProjectCheckIns deletes the check-ins of a project, including events that arrive meanwhile.
func (s *Store) SweepProjectCheckIns(ctx context.Context, projectID int64) error {
	for _, statement := range []string{sweepCheckInEvents, sweepCheckInTurns, sweepCheckInDays} {
		err := s.sweep(ctx, "delete history of check-ins", db.RowsAtOnce, func(t Tx) (int64, error) {
			t.KeepsCaches = true
			return t.Changed(ctx, statement, projectID, db.RowsAtOnce)
		})
		if err != nil {
			return err
		}
	}
	return s.sweep(ctx, "delete check-ins", db.RowsAtOnce, func(t Tx) (int64, error) {
		t.KeepsCaches = true
		return t.deleteCheckIns(ctx, projectID)
	})
}

// deleteCheckIns deletes the first check-ins of a project and returns their number.
func (t Tx) deleteCheckIns(ctx context.Context, projectID int64) (int64, error) {
	if err := t.status().HoldShown(ctx, holdProjectCheckIns, projectID, db.RowsAtOnce); err != nil {
		return 0, err
	}
	pages, err := t.status().ShownBy(ctx, statusdb.PagesOfCheckIns, projectID)
	if err != nil {
		return 0, err
	}
	if err := t.status().HoldPages(ctx, pages); err != nil {
		return 0, err
	}
	n, err := t.Changed(ctx, sweepProjectCheckIns, projectID, db.RowsAtOnce)
	if err != nil {
		return 0, err
	}
	return n, t.status().BumpPageRevisions(ctx, pages...)
}
