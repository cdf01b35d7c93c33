package fault

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/payload"
	"sett/internal/store/block"
	"sett/internal/store/db"
)

// verifiedAtOnce is of how many notices what was sent is read with one statement.
const verifiedAtOnce = 64

const searchFieldOf = `-- store.searchFieldOf
SELECT user_search_field FROM projects WHERE id = $1`

const unsureNotices = `-- store.unsureNotices
SELECT n.id, n.token, n.slot, u.body, b.body FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id` + noticeParts

// verify reads what was sent with the notices of which the index does not say whether they match, newest first, and adds those that do. When it
// runs out of time, the search has not seen the others.
func (s *Store) verify(ctx context.Context, q db.Querier, projectID int64, f FaultFilter, found *block.Found) error {
	if len(found.Unsure) == 0 {
		return nil
	}
	var searchField string
	if err := q.QueryRowContext(ctx, s.db.Text(searchFieldOf), projectID).Scan(&searchField); err != nil {
		return fmt.Errorf("read the user field of a project: %w", err)
	}
	ids := db.Sorted(found.Unsure, func(a, b int64) int { return int(max(-1, min(1, b-a))) })
	for some := range slices.Chunk(ids, verifiedAtOnce) {
		if !f.until.IsZero() && time.Now().After(f.until) {
			found.Since = max(found.Since, some[0]+1)
			return nil
		}
		matching, unread, err := s.matching(ctx, q, projectID, f, searchField, some)
		if err != nil {
			return fmt.Errorf("read notices of a search: %w", err)
		}
		found.Unread += unread
		for _, id := range matching {
			fault := found.Unsure[id]
			found.Counts[fault]++
			if len(found.IDs[fault]) < f.keep {
				found.IDs[fault] = append(found.IDs[fault], id)
			}
		}
	}
	return nil
}

// matching returns those of some notices that match, and how many of them cannot be read.
func (s *Store) matching(ctx context.Context, q db.Querier, projectID int64, f FaultFilter, searchField string, some []int64) (ids []int64, unread int, err error) {
	var rows []noticeRow
	if err := s.db.ReadRows(ctx, q, unsureNotices, scanNoticeRow(&rows), some); err != nil {
		return nil, 0, err
	}
	if err := s.fillPayloads(ctx, q, projectID, rows); err != nil {
		return nil, 0, err
	}
	for _, r := range rows {
		body, err := r.body()
		var matches bool
		if err == nil {
			matches, err = payload.Matches(f.Search, body, searchField)
		}
		if err != nil {
			unread++
		}
		if matches {
			ids = append(ids, r.id)
		}
	}
	return ids, unread, nil
}
