package store

import (
	"context"
	"fmt"
)

// A purged SQLite file keeps free pages for what comes next: a twentieth of the file, and at least 16 MiB.
const (
	sharePagesFree = 20
	leastPagesFree = 16 << 20 / pageSize
)

const pagesOfFile = `-- store.pagesOfFile
SELECT v.auto_vacuum, c.page_count, f.freelist_count, s.page_size
FROM pragma_auto_vacuum() v, pragma_page_count() c, pragma_freelist_count() f, pragma_page_size() s`

// ReturnSpace makes an SQLite file shorter by pages that are free since rows were deleted, in small pieces, and returns by
// how many bytes. Files of earlier versions stay as long as they are until they are restored from a backup; what is free there is used again.
func (s *Store) ReturnSpace(ctx context.Context, o Purge) (bytes int64, err error) {
	if s.dialect != sqliteDialect {
		return 0, nil
	}
	var mode, pages, free, size int64
	if err := s.read.QueryRowContext(ctx, pagesOfFile).Scan(&mode, &pages, &free, &size); err != nil {
		return 0, fmt.Errorf("read size of file: %w", err)
	}
	surplus := free - max(pages/sharePagesFree, leastPagesFree)
	if mode != incremental || surplus <= 0 {
		return 0, nil
	}
	err = s.purging(ctx, o, func(p *purge) error {
		for surplus > 0 {
			some := min(surplus, p.size)
			err := p.piece(ctx, "return space", func(t *tx) error { return t.vacuum(ctx, some) })
			if err != nil {
				return err
			}
			surplus, bytes = surplus-some, bytes+some*size
		}
		return nil
	})
	return bytes, err
}
