package store

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
)

// releases deletes old releases: sums of sessions that are older than their project keeps notices, and releases that nothing has named for
// as long as deploys are kept.
func (p *purge) releases(ctx context.Context, now time.Time) error {
	all, err := p.keepings(ctx, now)
	if err != nil {
		return err
	}
	for _, k := range all {
		hours := db.FromMicros(k.from)
		others := db.FromMicros(min(k.from, db.Micros(now.Add(-accounts.KeepHistory))))
		has, err := p.Releases.HasOld(ctx, k.project, hours, others)
		if err == nil && has {
			_, err = p.rows(ctx, "purge releases", func(t *tx, most int64) (int64, error) {
				return t.release.DeleteOld(ctx, k.project, hours, others, most)
			})
		}
		if err != nil {
			return fmt.Errorf("purge releases of project %d: %w", k.project, err)
		}
	}
	return nil
}
