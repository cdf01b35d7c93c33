package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"sett/internal/base/progress"
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
	if err := d.refuseGap(ctx, sources, from); err != nil {
		return from, from, err
	}
	if from == newest {
		return from, from, nil
	}
	return d.bringUp(ctx, p, from, newest)
}

const listMigrations = `-- db.Migrations
SELECT version_id FROM goose_db_version WHERE is_applied`

// refuseGap returns a Conflict unless the database has every migration of this program up to a version. One without them was upgraded by a
// program whose migrations differ, and its tables are not those that this program needs. Numbers that no migration has are no gap.
func (d *DB) refuseGap(ctx context.Context, sources []*goose.Source, version int64) error {
	applied := map[int64]bool{}
	rows, err := d.upkeep.QueryContext(ctx, listMigrations)
	err = ScanAll(rows, err, func(rows *sql.Rows) error {
		var v int64
		err := rows.Scan(&v)
		applied[v] = true
		return err
	})
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	var missing []string
	for _, s := range sources {
		if s.Version <= version && !applied[s.Version] {
			missing = append(missing, strconv.FormatInt(s.Version, 10))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return sett.Errorf(sett.Conflict, "the schema of this database has version %d, but not the migrations of this sett with these numbers: %s. It was upgraded by another build of sett. "+
		"Run that build, or restore a backup from before that upgrade (beside an SQLite database, its copies are named %s%s<version>). Nothing was changed",
		version, strings.Join(missing, ", "), fileName, copyMark)
}

// bringUp upgrades the schema from a version to the newest.
func (d *DB) bringUp(ctx context.Context, p *goose.Provider, from, newest int64) (_, to int64, err error) {
	done, err := d.readyToMigrate(ctx, from, newest)
	if err != nil {
		return from, from, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if err = applyAll(ctx, p, from); err != nil {
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

// applyAll applies the migrations after a version. A new database takes no time.
func applyAll(ctx context.Context, p *goose.Provider, from int64) error {
	if from == 0 {
		_, err := p.Up(ctx)
		return err
	}
	pending := int64(0)
	for _, s := range p.ListSources() {
		if s.Version > from {
			pending++
		}
	}
	step := progress.Begin(ctx, "changing the schema of the database", progress.Changes, pending)
	defer step.End()
	for range pending {
		if _, err := p.UpByOne(ctx); err != nil {
			return err
		}
		step.Add(1)
	}
	return nil
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
