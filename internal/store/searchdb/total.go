package searchdb

import (
	"context"
	"time"

	"sett/internal/store/db"
)

// MostCountedFaults is up to how many matches of a search are counted exactly.
const MostCountedFaults = 10_000

// CountMatches returns how many faults match a filter, at most one more than MostCountedFaults.
func (s *Store) CountMatches(ctx context.Context, now time.Time, projectID int64, f Filter) (n int64, err error) {
	err = s.db.Snapshot(ctx, "count faults", func(q db.Querier) error {
		f, err := f.Prepare(ctx, s, q, projectID, now)
		if err == nil {
			n, err = s.countMatches(ctx, q, projectID, now, f)
		}
		return err
	})
	return n, err
}

// countListed counts the matches of a list of which so many rows were read for a page: all of them if they are fewer than it could show.
func (s *Store) countListed(ctx context.Context, q db.Querier, projectID int64, now time.Time, f Filter, p Page, rows int) (int64, error) {
	if p.Mark == "" && p.Offset == 0 && rows <= p.Size {
		return int64(rows), nil
	}
	return s.countMatches(ctx, q, projectID, now, f)
}

// countMatches counts the faults that match a prepared filter.
func (s *Store) countMatches(ctx context.Context, q db.Querier, projectID int64, now time.Time, f Filter) (n int64, err error) {
	var a Assembly
	a.Add("-- searchdb.countMatches\nSELECT count(*) FROM (SELECT 1")
	a.FoundFaults(projectID, now, f)
	a.Add(" LIMIT ?) AS few", MostCountedFaults+1)
	err = q.QueryRowContext(ctx, a.Statement(s.db), a.Args...).Scan(&n)
	return n, db.Wrap("count the faults of a search", err)
}
