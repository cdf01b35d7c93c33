package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"sett/internal/sett"
)

// Migrate brings the schema to the newest version and returns the versions before and after. Processes that start at the
// same time wait for one another. A schema that a newer program has made is a Conflict, and nothing is done; so is an SQLite
// file whose schema is old and that another process records into. An SQLite file is copied before it is changed; see CopyBefore.
func (s *DB) Migrate(ctx context.Context) (from, to int64, err error) {
	err = s.changeSchema(ctx, func() error {
		from, to, err = s.migrate(ctx)
		return err
	})
	return from, to, err
}

func (s *DB) migrate(ctx context.Context) (from, to int64, err error) {
	p, err := s.provider(s.upkeep)
	if err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	sources := p.ListSources() // in the order of their versions
	newest := sources[len(sources)-1].Version
	if from > newest {
		return from, from, sett.Errorf(sett.Conflict, "a newer sett has made this database: its schema has version %d, and this sett knows versions up to %d; "+
			"run the newer sett, or choose another database", from, newest)
	}
	if from == newest {
		return from, from, nil
	}
	return s.bringUp(ctx, p, from, newest)
}

// bringUp changes the schema from a version to the newest.
func (s *DB) bringUp(ctx context.Context, p *goose.Provider, from, newest int64) (_, to int64, err error) {
	done, err := s.readyToMigrate(ctx, from, newest)
	if err != nil {
		return from, from, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if _, err = p.Up(ctx); err != nil {
		if s.copied != "" {
			return from, from, fmt.Errorf("migrate schema (the database as it was is in %s): %w", s.copied, err)
		}
		return from, from, fmt.Errorf("migrate schema: %w", err)
	}
	if s.copied != "" {
		err = s.pruneCopies()
	}
	to, versionErr := p.GetDBVersion(ctx)
	return from, to, errors.Join(err, versionErr)
}

// Current reports whether the schema is the one that this program was written for.
func (s *DB) Current(ctx context.Context) (bool, error) {
	p, err := s.provider(s.write)
	if err != nil {
		return false, err
	}
	pending, err := p.HasPending(ctx)
	return !pending, err
}

func (s *DB) provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(s.dialect.goose, db, newRenderedSchema(s.dialect), goose.WithDisableGlobalRegistry(true))
}

// Apply makes one change of the schema, whatever version the database has. It is for tests of that change.
func (s *DB) Apply(ctx context.Context, version int64) error {
	p, err := s.provider(s.write)
	if err != nil {
		return err
	}
	_, err = p.ApplyVersion(ctx, version, true)
	return err
}
