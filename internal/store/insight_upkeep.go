package store

import (
	"context"
	"errors"
	"fmt"

	"sett/internal/sett/insight"
)

// insightLease is the name of the lease of the node that packs structured events.
const insightLease = "insights"

// PackInsights packs structured events that wait into chunks, and returns how many steps it took. Of several nodes only one does it at a time.
func (s *Store) PackInsights(ctx context.Context, o Purge) (n int64, err error) {
	due, err := s.Insights.Due(ctx, o.Now())
	if err != nil || len(due) == 0 {
		return 0, s.Explain(err)
	}
	err = s.purging(ctx, insightLease, o, func(p *purge) error {
		packer := insight.NewPacker()
		for progress := true; progress && err == nil && len(due) > 0; {
			progress = false
			var failed []error
			for _, project := range due {
				packed, err := p.packInsights(ctx, packer, project)
				if packed {
					progress = true
					n++
				}
				if errors.Is(err, errNotOurs) || ctx.Err() != nil {
					return err
				}
				if err != nil { // which does not stop the others
					failed = append(failed, fmt.Errorf("project %d: %w", project, err))
				}
			}
			if err = errors.Join(failed...); err == nil {
				due, err = p.Insights.Due(ctx, p.Now())
			}
		}
		return err
	})
	return n, s.Explain(err)
}

// packInsights packs events of a project that wait, once.
func (p *purge) packInsights(ctx context.Context, packer *insight.Packer, project int64) (stored bool, err error) {
	packed, err := p.Insights.Pack(ctx, packer, p.Now(), project)
	if err != nil || packed == nil {
		return false, err
	}
	err = p.piece(ctx, "store chunks of events", func(t *tx) (err error) {
		stored, err = t.insight.Store(ctx, packed)
		return err
	})
	return stored, err
}

// PurgeInsights drops structured events that are too old, and returns how many chunks these were.
func (s *Store) PurgeInsights(ctx context.Context, o Purge) (n int64, err error) {
	err = s.purging(ctx, purgeLease, o, func(p *purge) error {
		n, err = p.rows(ctx, "drop old structured events", func(t *tx, most int64) (int64, error) {
			return t.insight.DropOld(ctx, p.Now(), most)
		})
		return err
	})
	return n, s.Explain(err)
}
