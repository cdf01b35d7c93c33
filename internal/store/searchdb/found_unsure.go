package searchdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sett/internal/event/payload"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// verifiedAtOnce is of how many notices what was sent is read with one statement.
const verifiedAtOnce = 64

const searchFieldOf = `-- searchdb.searchFieldOf
SELECT user_search_field FROM projects WHERE id = $1`

// proof is what has to hold of what was sent with a notice, where the index does not say whether it does.
type proof struct {
	holds func(b payload.Body, searchField string) (bool, error)
	until time.Time // when the search ends with what it has found; zero: it reads all
	keep  int       // how many ids of each fault are kept
}

// proof returns that the filter matches.
func (f Filter) proof() proof {
	holds := func(b payload.Body, searchField string) (bool, error) {
		return payload.Matches(f.Search, b, searchField)
	}
	return proof{holds, f.until, f.keep}
}

// verify reads what was sent with the notices of which the index does not say whether they match, newest first, and adds those that do. When it
// runs out of time, the search has not seen the others.
func (s *Store) verify(ctx context.Context, q db.Querier, projectID int64, p proof, found *block.Found) error {
	if len(found.Unsure) == 0 {
		return nil
	}
	ids := db.Sorted(found.Unsure, func(a, b int64) int { return int(max(-1, min(1, b-a))) })
	for some := range slices.Chunk(ids, verifiedAtOnce) {
		if !p.until.IsZero() && time.Now().After(p.until) {
			found.Since = max(found.Since, some[0]+1)
			return nil
		}
		matching, unread, err := s.matching(ctx, q, projectID, p, some)
		if err != nil {
			return err
		}
		found.Unread += len(unread)
		for _, id := range matching {
			found.Prove(id, p.keep)
		}
	}
	return nil
}

// matching returns those of some notices of which a proof holds, and why others cannot be read.
func (s *Store) matching(ctx context.Context, q db.Querier, projectID int64, p proof, some []int64) (ids []int64, unread []error, err error) {
	var searchField string
	if err := q.QueryRowContext(ctx, s.db.Text(searchFieldOf), projectID).Scan(&searchField); err != nil {
		return nil, nil, db.NotFound(err, "Project", "read the user field of a project")
	}
	sent, err := s.fault.Sent(ctx, q, projectID, some)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range sent {
		holds, err := false, n.Err
		if err == nil {
			holds, err = p.holds(n.Body, searchField)
		}
		if err != nil {
			unread = append(unread, fmt.Errorf("notice %d: %w", n.ID, err))
		}
		if holds {
			ids = append(ids, n.ID)
		}
	}
	return ids, unread, nil
}

// HavingValue returns those of some notices of a project in which a value was sent, in any case, under some keys of searches, or under any if there are
// none. The error is that of the first that cannot be read.
func (s *Store) HavingValue(ctx context.Context, projectID int64, value string, keys []string, notices []int64) (having []int64, err error) {
	p := proof{holds: func(b payload.Body, searchField string) (bool, error) {
		return payload.HasValue(b, searchField, value, keys...)
	}}
	err = s.db.Snapshot(ctx, "look for a value in notices", func(q db.Querier) error {
		some, unread, err := s.matching(ctx, q, projectID, p, notices)
		having = some
		return errors.Join(append(unread, err)...)
	})
	return having, err
}
