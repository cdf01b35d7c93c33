package fault

import (
	"context"

	"sett/internal/sett"
)

// Counter is what counts notices after they are stored. What it has not written yet is not in the tables.
type Counter interface {
	// Fold writes what is stored and not counted yet.
	Fold(ctx context.Context) error
	// Pending returns the newest notice with a client's id, in some projects, that table notice_tokens does not hold yet;
	// 0 for none. It is asked before the table is read.
	Pending(token sett.UUID, projects ...int64) sett.NoticeID
}
