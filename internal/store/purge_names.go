package store

import (
	"context"
	"fmt"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
)

const oldestNamed = `-- store.oldestNamed
DELETE FROM named_buckets WHERE (kind, at, project_id, environment, name) IN (
    SELECT kind, at, project_id, environment, name FROM named_buckets WHERE kind = $1 AND at < $2 ORDER BY kind, at LIMIT $3)`

const namedOfHours = `-- store.namedOfHours
SELECT EXISTS (SELECT 1 FROM named_buckets WHERE kind = $1 AND project_id = $2 AND at IN `

const dropNamedOfHours = `-- store.dropNamedOfHours
DELETE FROM named_buckets WHERE (kind, at, project_id, environment, name) IN (
    SELECT kind, at, project_id, environment, name FROM named_buckets WHERE kind = $1 AND project_id = $2 AND at IN `

// names deletes the rows of reports by class, location and user whose notices are deleted. They are sorted by time: rows older than any
// project keeps come first; the others are looked up hour by hour.
func (p *purge) names(ctx context.Context, all []keeping) error {
	longest := longestKept(all)
	for _, kind := range []string{faultdb.OfClass, faultdb.OfLocation, faultdb.OfUser} {
		_, err := p.rows(ctx, "purge report rows", func(t *tx, most int64) (int64, error) {
			return t.Changed(ctx, oldestNamed, kind, db.FromMicros(longest).Unix(), most)
		})
		if err != nil {
			return fmt.Errorf("purge rows by %s: %w", kind, err)
		}
		for _, k := range all {
			if k.from > longest {
				if err := p.namesOf(ctx, kind, k, longest); err != nil {
					return fmt.Errorf("purge rows by %s: %w", kind, err)
				}
			}
		}
	}
	return nil
}

// namesOf deletes those of a project, starting from the last purge.
func (p *purge) namesOf(ctx context.Context, kind string, k keeping, longest int64) error {
	if k.first == 0 {
		return nil
	}
	from := accounts.Day(db.FromMicros(max(k.purged, k.first, longest)).Add(-time.Hour)) // the clocks of nodes differ
	for at := from.Unix(); at < db.FromMicros(k.from).Unix(); at += faultdb.Day {
		hours, args := db.In(p.DB, 3, faultdb.Starts(at, at+faultdb.Day, faultdb.Hour))
		args = append([]any{kind, k.project}, args...)
		var has bool
		if err := p.Read.QueryRowContext(ctx, p.Text(namedOfHours+hours+")"), args...).Scan(&has); err != nil {
			return err
		}
		if !has {
			continue
		}
		_, err := p.rows(ctx, "purge report rows", func(t *tx, most int64) (int64, error) {
			return t.Changed(ctx, dropNamedOfHours+hours+fmt.Sprintf(" LIMIT $%d)", len(args)+1), append(args, most)...)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const hasOldBacktrace = `-- store.hasOldBacktrace
SELECT EXISTS (SELECT 1 FROM backtraces WHERE project_id = $1 AND seen_on < $2)`

const dropBacktraces = `-- store.dropBacktraces
DELETE FROM backtraces WHERE seen_on < $2 AND id IN (SELECT id FROM backtraces WHERE project_id = $1 AND seen_on < $2 ORDER BY seen_on LIMIT $3)`

// backtraces deletes backtraces that no notice uses any more.
func (p *purge) backtraces(ctx context.Context, all []keeping) error {
	for _, k := range all {
		var has bool
		if err := p.Read.QueryRowContext(ctx, p.Text(hasOldBacktrace), k.project, k.from).Scan(&has); err != nil {
			return fmt.Errorf("look for old backtraces: %w", err)
		}
		if !has {
			continue
		}
		_, err := p.rows(ctx, "purge backtraces", func(t *tx, most int64) (int64, error) {
			return t.Changed(ctx, dropBacktraces, k.project, k.from, most)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
