package store

import (
	"context"
	"fmt"

	"sett/internal/store/db"
)

// mapsInPiece is how many source maps a piece deletes: they have thousands of pages.
const mapsInPiece = 4

// sourceMaps deletes the source maps that were not used for as long as their project keeps notices, and those beyond the server's limit.
func (p *purge) sourceMaps(ctx context.Context, all []keeping) error {
	for _, k := range all {
		for {
			unused, err := p.SourceMaps.HasUnused(ctx, k.project, db.FromMicros(k.from))
			if err == nil && unused {
				err = p.piece(ctx, "purge source maps", func(t *tx) error {
					_, err := t.maps.DeleteUnused(ctx, k.project, db.FromMicros(k.from), mapsInPiece)
					return err
				})
			}
			if err != nil {
				return fmt.Errorf("purge source maps of project %d: %w", k.project, err)
			}
			if !unused {
				break
			}
		}
	}
	_, err := p.SourceMaps.Fit(ctx)
	return err
}
