package uptimedb

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

const checkInEvents = `-- uptimedb.ListCheckInEvents
SELECT e.id, e.kind, e.at, e.payload, e.address, e.agent FROM check_ins c JOIN check_in_events e ON e.check_in = c.number WHERE c.project_id = $1 AND c.id = $2`

const (
	listCheckInEvents     = checkInEvents + " AND e.id < $3 ORDER BY e.id DESC LIMIT $4 OFFSET $5"
	listCheckInEventsBack = checkInEvents + " AND e.id >= $3 ORDER BY e.id LIMIT $4 OFFSET $5"
)

// ListCheckInEvents returns a page of the history of a check-in, newest first, and its cursors. It is empty if the project has no such
// check-in. An invalid cursor is an Invalid error.
func (s *Store) ListCheckInEvents(ctx context.Context, projectID int64, id string, p sett.Page) (events []checks.CheckInEvent, marks sett.Marks, err error) {
	before := int64(math.MaxInt64)
	statement := listCheckInEvents
	if p.Back {
		statement = listCheckInEventsBack
	}
	if p.Mark != "" {
		if err := db.ParseMark(p.Mark, &before); err != nil {
			return nil, sett.Marks{}, err
		}
	}
	skip, most := p.Rows()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(statement), projectID, id, before, most, skip)
	events, err = db.Collect(rows, err, func(r db.Row) (checks.CheckInEvent, error) { return scanCheckInEvent(r) })
	if err != nil {
		return nil, sett.Marks{}, fmt.Errorf("list events of check-in: %w", err)
	}
	events, marks = sett.Cut(p, events, func(e checks.CheckInEvent) string { return db.FormatMark(e.ID) })
	return events, marks, nil
}

// scanCheckInEvent reads a row with the columns of checkInEvents, and the columns before them into before.
func scanCheckInEvent(row db.Row, before ...any) (e checks.CheckInEvent, err error) {
	var at int64
	var payload string
	if err := row.Scan(append(before, &e.ID, &e.Kind, &at, &payload, &e.Source.Address, &e.Source.Agent)...); err != nil {
		return e, err
	}
	e.At = db.FromMicros(at)
	if payload == "" {
		return e, nil
	}
	return e, json.Unmarshal([]byte(payload), &e.Payload)
}
