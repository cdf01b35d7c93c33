package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"sett/internal/sett"
)

// Migrate upgrades the schema to the newest version and returns the versions before and after. Processes that start at the same time wait
// for one another. A schema of a newer program is a Conflict, and nothing is done; so is an old SQLite file that another process records
// into. An SQLite file is copied before it is changed; see CopyBefore.
func (d *DB) Migrate(ctx context.Context) (from, to int64, err error) {
	err = d.changeSchema(ctx, func() error {
		from, to, err = d.migrate(ctx)
		return err
	})
	return from, to, err
}

func (d *DB) migrate(ctx context.Context) (from, to int64, err error) {
	p, err := d.provider(d.upkeep)
	if err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, fmt.Errorf("read schema version: %w", err)
	}
	sources := p.ListSources() // sorted by version
	newest := sources[len(sources)-1].Version
	if from > newest {
		return from, from, sett.Errorf(sett.Conflict, "this database is from a newer version of sett: its schema has version %d, and this sett supports versions up to %d; "+
			"run the newer sett, or choose another database", from, newest)
	}
	if from == newest {
		return from, from, nil
	}
	return d.bringUp(ctx, p, from, newest)
}

// bringUp upgrades the schema from a version to the newest.
func (d *DB) bringUp(ctx context.Context, p *goose.Provider, from, newest int64) (_, to int64, err error) {
	done, err := d.readyToMigrate(ctx, from, newest)
	if err != nil {
		return from, from, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if _, err = p.Up(ctx); err != nil {
		if d.copied != "" {
			return from, from, fmt.Errorf("migrate schema (the database as it was is in %s): %w", d.copied, err)
		}
		return from, from, fmt.Errorf("migrate schema: %w", err)
	}
	if d.copied != "" {
		err = d.pruneCopies()
	}
	to, versionErr := p.GetDBVersion(ctx)
	return from, to, errors.Join(err, versionErr)
}

// Current reports whether the schema is the one that this program was written for.
func (d *DB) Current(ctx context.Context) (bool, error) {
	p, err := d.provider(d.Write)
	if err != nil {
		return false, err
	}
	pending, err := p.HasPending(ctx)
	return !pending, err
}

func (d *DB) provider(db *sql.DB) (*goose.Provider, error) {
	return goose.NewProvider(d.dialect.goose, db, newRenderedSchema(d.dialect), goose.WithDisableGlobalRegistry(true))
}

// Apply runs one migration, whatever version the database has. It is for tests of that migration.
func (d *DB) Apply(ctx context.Context, version int64) error {
	p, err := d.provider(d.Write)
	if err != nil {
		return err
	}
	_, err = p.ApplyVersion(ctx, version, true)
	return err
}
