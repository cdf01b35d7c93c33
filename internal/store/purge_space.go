package store

import (
	"context"
)

// ReturnSpace makes an SQLite file shorter by pages that are free since rows were deleted, in small pieces, and returns by
// how many bytes. Files of earlier versions stay as long as they are until they are restored from a backup; what is free there is used again.
func (s *Store) ReturnSpace(ctx context.Context, o Purge) (bytes int64, err error) {
	if !s.SQLite() {
		return 0, nil
	}
	surplus, size, err := s.SparePages(ctx)
	if err != nil || surplus <= 0 {
		return 0, err
	}
	err = s.purging(ctx, o, func(p *purge) error {
		for surplus > 0 {
			some := min(surplus, p.size)
			err := p.piece(ctx, "return space", func(t *tx) error { return t.Vacuum(ctx, some) })
			if err != nil {
				return err
			}
			surplus, bytes = surplus-some, bytes+some*size
		}
		return nil
	})
	return bytes, err
}
