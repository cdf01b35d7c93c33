package faultdb

import (
	"context"

	"sett/internal/sett"
)

// Counter counts notices after they are stored. Counts that it has not written yet are not in the tables.
type Counter interface {
	// Flush writes the pending counts.
	Flush(ctx context.Context) error
	// Pending returns the newest notice with a client's id, in some projects, that table notice_tokens does not hold yet; 0 for none.
	// Call it before reading the table.
	Pending(token sett.UUID, projects ...int64) sett.NoticeID
}
