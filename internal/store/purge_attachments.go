package store

import (
	"context"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

// attachments deletes the attachments of notices that are about to be deleted, a few in each piece: a piece that deletes notices would
// otherwise delete hundreds of megabytes with them.
func (p *purge) attachments(ctx context.Context, all []keeping) error {
	for _, k := range all {
		before := sett.NoticeID(faultdb.NoticeIDAt(db.FromMicros(k.from)))
		more, err := p.Attachments.HasBefore(ctx, k.project, before)
		for err == nil && more {
			err = p.piece(ctx, "purge attachments", func(t *tx) (err error) {
				more, err = t.attached.DeleteBefore(ctx, k.project, before)
				return err
			})
		}
		if err != nil {
			return fmt.Errorf("purge attachments of project %d: %w", k.project, err)
		}
	}
	return nil
}
