package uptimedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/store/db"
)

// CheckInLines returns a page of the check-ins of a project as a list shows them, in order of creation, and its cursors. An invalid
// cursor is an Invalid error.
func (s *Store) CheckInLines(ctx context.Context, projectID int64, p sett.Page) (lines []checks.CheckInLine, marks sett.Marks, err error) {
	err = s.db.Snapshot(ctx, "list lines of check-ins", func(q db.Querier) error {
		var found []storedCheckIn
		if found, marks, err = s.listCheckIns(ctx, q, projectID, p); err != nil || len(found) == 0 {
			return err
		}
		lines = make([]checks.CheckInLine, len(found))
		of, numbers := map[int64]*checks.CheckInLine{}, []int64{}
		for i, c := range found {
			lines[i].CheckIn, of[c.number], numbers = c.CheckIn, &lines[i], append(numbers, c.number)
		}
		return s.recentRuns(ctx, q, numbers, of)
	})
	return lines, marks, err
}

// The oldest run to show is found in the index, so that no older one is read; of payloads, which may be long, only the start is read.
const recentRuns = `-- uptimedb.recentRuns
SELECT c.number, e.kind, e.at, substr(e.payload, 1, $1) FROM check_ins c JOIN check_in_events e ON e.check_in = c.number
    AND e.kind IN ('reported', 'missing') AND e.id >= coalesce((SELECT k.id FROM check_in_events k
        WHERE k.check_in = c.number AND k.kind IN ('reported', 'missing') ORDER BY k.id DESC LIMIT 1 OFFSET $2), 0)
WHERE c.number IN `

func (s *Store) recentRuns(ctx context.Context, q db.Querier, numbers []int64, of map[int64]*checks.CheckInLine) error {
	list, args := db.In(s.db, 3, numbers)
	args = append([]any{run.Head, checks.RecentRuns - 1}, args...)
	rows, err := q.QueryContext(ctx, s.db.Text(recentRuns+list+" ORDER BY e.id"), args...)
	return db.ScanAll(rows, err, func(rows *sql.Rows) error {
		var number, at int64
		var kind checks.CheckInEventKind
		var head string
		err := rows.Scan(&number, &kind, &at, &head)
		of[number].Runs = append(of[number].Runs, run.NewResult(db.FromMicros(at), kind == checks.CheckInMissed, head))
		return err
	})
}

// CheckInPulse returns the current state of a check-in of a project, or a NotFound error.
func (s *Store) CheckInPulse(ctx context.Context, now time.Time, projectID int64, id string) (p checks.CheckInPulse, err error) {
	err = s.db.Snapshot(ctx, "read pulse of check-in", func(q db.Querier) error {
		c, err := checkInScanner()(q.QueryRowContext(ctx, s.db.Text(oneCheckIn), projectID, id))
		if err != nil {
			return db.NotFound(err, "Check-in", "find check-in")
		}
		p = checks.CheckInPulse{CheckInLine: checks.CheckInLine{CheckIn: c.CheckIn}}
		if err := s.recentRuns(ctx, q, []int64{c.number}, map[int64]*checks.CheckInLine{c.number: &p.CheckInLine}); err != nil {
			return err
		}
		days, err := s.status.DaysOfCheckIns(ctx, q, now, []int64{c.number})
		p.Days = days[c.number]
		return err
	})
	return p, err
}
