package store

import (
	"context"
	"fmt"
)

// incremental is the mode of PRAGMA auto_vacuum in which a file is made shorter only on request.
const incremental = 2

// vacuum moves the last pages of the file to free ones. SQLite does one with every row that is read.
func (t *Tx) vacuum(ctx context.Context, pages int64) error {
	rows, err := t.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
