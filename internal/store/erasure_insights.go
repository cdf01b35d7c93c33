package store

import (
	"context"

	"sett/internal/sett/insight"
	"sett/internal/sett/scrub"
	"sett/internal/store/db"
	"sett/internal/store/insightdb"
)

// personOf returns whose structured events an erasure is about.
func (s *Store) personOf(ctx context.Context, projectID int64, text string) (*insight.Person, error) {
	var field string
	if err := s.Read.QueryRowContext(ctx, s.Text(userFieldOf), projectID).Scan(&field); err != nil {
		return nil, db.NotFound(err, "Project", "find project")
	}
	return insight.NewPerson(text, scrub.ErasedAnywhere(text), field), nil
}

// countInsights returns how many structured events of a user a project has, or how many it has found when ctx ends.
func (s *Store) countInsights(ctx context.Context, projectID int64, text string) (n int64, whole bool, err error) {
	person, err := s.personOf(context.WithoutCancel(ctx), projectID, text)
	if err != nil {
		return 0, false, err
	}
	err = s.Insights.EachOf(ctx, projectID, person, func(m *insightdb.Mixed) error { n += m.N; return nil }, ctx.Err)
	if whole = err == nil; ctx.Err() != nil {
		err = nil
	}
	return n, whole, err
}

const addErasedEvents = `-- store.addErasedEvents
UPDATE erasures SET events = events + $2 WHERE id = $1`

// eraseInsights deletes the structured events of the user. Those of others in the same batch or chunk are stored again, without them.
func (p *purge) eraseInsights(ctx context.Context, e *erasing) error {
	person, err := p.personOf(ctx, e.project, e.text)
	if err != nil {
		return err
	}
	packer := insight.NewPacker()
	return p.Insights.EachOf(ctx, e.project, person, func(m *insightdb.Mixed) error {
		others, err := m.Others(packer)
		if err != nil {
			return err
		}
		return p.piece(ctx, "erase structured events", func(t *tx) error {
			done, err := t.insight.Replace(ctx, others)
			if err != nil || !done {
				return err
			}
			_, err = t.Exec(ctx, addErasedEvents, e.id, m.N)
			return err
		})
	}, p.renewing(ctx))
}
