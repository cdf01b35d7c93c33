package store

import (
	"context"
)

// ReturnSpace shortens an SQLite file by the free pages of deleted rows, in small pieces, and returns the number of bytes. Files of
// earlier versions cannot be shortened until they are restored from a backup; their free pages are reused.
func (s *Store) ReturnSpace(ctx context.Context, o Purge) (bytes int64, err error) {
	if !s.SQLite() {
		return 0, nil
	}
	surplus, size, err := s.SparePages(ctx)
	if err != nil || surplus <= 0 {
		return 0, err
	}
	err = s.purging(ctx, purgeLease, o, func(p *purge) error {
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
