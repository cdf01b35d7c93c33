package db

import (
	"context"
	"fmt"
)

// Incremental is the mode of PRAGMA auto_vacuum in which a file is shortened only on request.
const Incremental = 2

// A purged SQLite file keeps free pages for later use: a twentieth of the file, and at least 16 MiB.
const (
	sharePagesFree = 20
	leastPagesFree = 16 << 20 / pageSize
)

const pagesOfFile = `-- db.pagesOfFile
SELECT v.auto_vacuum, c.page_count, f.freelist_count, s.page_size
FROM pragma_auto_vacuum() v, pragma_page_count() c, pragma_freelist_count() f, pragma_page_size() s`

// SparePages returns how many free pages the SQLite file has beyond those that it keeps, and the size of each in bytes. A file that
// cannot be shortened has none.
func (d *DB) SparePages(ctx context.Context) (pages, size int64, err error) {
	var mode, all, free int64
	if err := d.Read.QueryRowContext(ctx, pagesOfFile).Scan(&mode, &all, &free, &size); err != nil {
		return 0, 0, fmt.Errorf("read size of file: %w", err)
	}
	if mode != Incremental {
		return 0, size, nil
	}
	return max(0, free-max(all/sharePagesFree, leastPagesFree)), size, nil
}

// FreePages returns how many free pages the SQLite file has; 0 if it cannot be shortened.
func (d *DB) FreePages(ctx context.Context) (pages int64, err error) {
	var mode, all, size int64
	if err := d.Read.QueryRowContext(ctx, pagesOfFile).Scan(&mode, &all, &pages, &size); err != nil {
		return 0, fmt.Errorf("read size of file: %w", err)
	}
	if mode != Incremental {
		return 0, nil
	}
	return pages, nil
}

// Vacuum moves the last pages of the file to free ones. SQLite moves one with every row that is read.
func (t *Tx) Vacuum(ctx context.Context, pages int64) error {
	rows, err := t.QueryContext(ctx, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", pages))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
	}
	return rows.Err()
}
