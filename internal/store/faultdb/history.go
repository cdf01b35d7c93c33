package faultdb

import (
	"context"
	"slices"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

const insertEntries = `-- faultdb.addEntries
INSERT INTO comments (fault_id, project_id, event, source, author_id, author, revision, body, notices_count, created_at)
SELECT c.fault_id, c.project_id, k.event, k.source, u.id, coalesce(` + nameOf + `, ''), k.revision, k.body, c.notices_count, k.at
FROM {{rows k(fault_id bigint, event text, source text, author_id bigint, revision text, body text, at bigint)}}
JOIN fault_counts c ON c.fault_id = k.fault_id LEFT JOIN users u ON u.id = k.author_id WHERE true ORDER BY k.fault_id`

// addEntry adds the same entry to the history of each of the faults. Its author is a user, or sett itself for 0.
func (t Tx) addEntry(ctx context.Context, now time.Time, userID int64, e faults.Entry, found ...int64) error {
	return t.AddEntries(ctx, now, userID, slices.Repeat([]faults.Entry{e}, len(found)), found)
}

// AddEntries adds an entry to the history of each of the faults, as addEntry does.
func (t Tx) AddEntries(ctx context.Context, now time.Time, userID int64, entries []faults.Entry, found []int64) error {
	if len(found) == 0 {
		return nil
	}
	source := faults.FromWeb
	if userID == 0 {
		source = faults.FromSystem
	}
	var events, revisions, bodies []string
	for _, e := range entries {
		events, revisions, bodies = append(events, string(e.Event)), append(revisions, e.Revision), append(bodies, e.Body)
	}
	n := len(found)
	return t.Each(ctx, insertEntries, found, events, slices.Repeat([]string{string(source)}, n),
		slices.Repeat([]int64{userID}, n), revisions, bodies, slices.Repeat([]int64{db.Micros(now)}, n))
}
