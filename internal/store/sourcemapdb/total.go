package sourcemapdb

import (
	"context"
	"database/sql"

	"sett/internal/store/db"
)

// rowBytes is how much a map or a file counts beside its compressed bytes, for the rows that say what it is.
const rowBytes = 1000

// total is a change of what a project has.
type total struct{ maps, bytes int64 }

const lockTotal = `-- sourcemapdb.lockTotal
INSERT INTO source_map_totals (project_id, maps, bytes) VALUES ($1, 0, 0) ON CONFLICT (project_id) DO UPDATE SET maps = source_map_totals.maps`

const addTotal = `-- sourcemapdb.addTotal
UPDATE source_map_totals SET maps = maps + $2, bytes = bytes + $3 WHERE project_id = $1`

// changing runs f while no other transaction changes the source maps of a project, and adds what it returns in sum to the project's total.
func (t Tx) changing(ctx context.Context, project int64, f func(sum *total) error) error {
	if _, err := t.Exec(ctx, lockTotal, project); err != nil {
		return db.Wrap("lock source maps", err)
	}
	var sum total
	if err := f(&sum); err != nil {
		return err
	}
	_, err := t.Exec(ctx, addTotal, project, sum.maps, sum.bytes)
	return db.Wrap("count source maps", err)
}

const allTotals = `-- sourcemapdb.Bytes
SELECT CAST(coalesce(sum(bytes), 0) AS bigint) FROM source_map_totals`

// bytes returns how much all source maps of the server take.
func (s *Store) bytes(ctx context.Context) (n int64, err error) {
	err = s.db.Read.QueryRowContext(ctx, s.db.Text(allTotals)).Scan(&n)
	return n, s.db.Explain(db.Wrap("count source maps", err))
}

// Total is how much a project has.
type Total struct{ Maps, Bytes int64 }

const projectTotal = `-- sourcemapdb.Total
SELECT maps, bytes FROM source_map_totals WHERE project_id = $1`

// Total returns how many source maps a project has and how much they take, compressed.
func (s *Store) Total(ctx context.Context, project int64) (sum Total, err error) {
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(projectTotal), project)
	err = db.ScanAll(rows, err, func(rows *sql.Rows) error { return rows.Scan(&sum.Maps, &sum.Bytes) })
	return sum, s.db.Explain(db.Wrap("count source maps of project", err))
}

const largestProject = `-- sourcemapdb.largestProject
SELECT project_id FROM source_map_totals WHERE maps > 0 ORDER BY bytes DESC, project_id LIMIT 1`

// mapsAtOnce is how many maps one transaction deletes. A file may have thousands of pages in the database.
const mapsAtOnce = 8

// Fit deletes maps until all together take no more than they may: each time the least recently used ones of the project that has most, so
// that a project cannot displace those of others with fewer. It returns how many it deleted.
func (s *Store) Fit(ctx context.Context) (deleted int64, err error) {
	for s.MostBytes > 0 {
		bytes, err := s.bytes(ctx)
		if err != nil || bytes <= s.MostBytes {
			return deleted, err
		}
		projects, err := s.db.ListIDs(ctx, s.db.Read, largestProject)
		if err != nil || len(projects) == 0 {
			return deleted, s.db.Explain(db.Wrap("find source maps to delete", err))
		}
		var n int64
		err = s.inTx(ctx, "delete source maps beyond the limit", func(t Tx) error {
			n, err = t.deleteOldest(ctx, projects[0], bytes-s.MostBytes)
			return err
		})
		if deleted += n; err != nil || n == 0 {
			return deleted, err
		}
	}
	return 0, nil
}
