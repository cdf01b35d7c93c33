package store

import (
	"context"
	"fmt"

	"sett/internal/store/db"
	"sett/internal/store/sourcemapdb"
)

// mapsInPiece is how many source maps a piece deletes: they have thousands of pages.
const mapsInPiece = 4

// sourceMaps deletes the source maps that were not used for as long as their project keeps notices, those beyond the server's limit, and
// chunks of uploads that were not completed.
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
	if err := p.uploadChunks(ctx); err != nil {
		return err
	}
	_, err := p.SourceMaps.Fit(ctx)
	return err
}

// uploadChunks deletes chunks of uploads that were not completed.
func (p *purge) uploadChunks(ctx context.Context) error {
	for n := int64(mapsInPiece); n == mapsInPiece; {
		err := p.piece(ctx, "purge chunks of uploads", func(t *tx) (err error) {
			n, err = t.maps.DropOldChunks(ctx, p.Now().Add(-sourcemapdb.KeepChunks), mapsInPiece)
			return err
		})
		if err != nil {
			return fmt.Errorf("purge chunks of uploads: %w", err)
		}
	}
	return nil
}
