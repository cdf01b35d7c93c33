package store

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"

	"sett/internal/sett"
)

// Migrate brings the schema to the newest version and returns the versions before and after. Processes that start at the
// same time wait for one another. A schema that a newer program has made is a Conflict, and nothing is done.
func (s *Store) Migrate(ctx context.Context) (from, to int64, err error) {
	err = s.changeSchema(ctx, func() error {
		from, to, err = s.migrate(ctx)
		return err
	})
	return from, to, err
}

func (s *Store) migrate(ctx context.Context) (from, to int64, err error) {
	p, err := s.provider()
	if err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	sources := p.ListSources() // in the order of their versions
	if newest := sources[len(sources)-1].Version; from > newest {
		return from, from, sett.Errorf(sett.Conflict, "a newer sett has made this database: its schema has version %d, and this sett knows versions up to %d; "+
			"run the newer sett, or choose another database", from, newest)
	}
	if _, err = p.Up(ctx); err != nil {
		return from, from, fmt.Errorf("migrate schema: %w", err)
	}
	to, err = p.GetDBVersion(ctx)
	return from, to, err
}

// Current reports whether the schema is the one that this program was written for.
func (s *Store) Current(ctx context.Context) (bool, error) {
	p, err := s.provider()
	if err != nil {
		return false, err
	}
	pending, err := p.HasPending(ctx)
	return !pending, err
}

func (s *Store) provider() (*goose.Provider, error) {
	files, err := newRenderedSchema(s.dialect)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(s.dialect.goose, s.write, files, goose.WithDisableGlobalRegistry(true))
}
