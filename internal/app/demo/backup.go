package demo

import (
	"context"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// backUp records a backup on each of the last days.
func (w *world) backUp(ctx context.Context, now time.Time) error {
	for days := 6; days >= 0; days-- {
		b := accounts.Backup{At: w.daysAgo(days, "03:30"), Bytes: 24_600_000 - int64(days)*310_000, Schema: db.NewestSchema(), By: "sett backup"}
		if b.At.After(now) {
			continue
		}
		if err := w.store.NoteBackup(ctx, b); err != nil {
			return err
		}
	}
	return nil
}
