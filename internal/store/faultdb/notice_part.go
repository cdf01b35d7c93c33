package faultdb

import (
	"cmp"
	"context"
	"slices"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// newestNotice returns the greatest id of a notice of a fault's parts, or 0.
func (s *Store) newestNotice(ctx context.Context, q db.Querier, parts []int64) (newest int64, err error) {
	for _, id := range parts {
		var last int64
		if err := q.QueryRowContext(ctx, s.db.Text(newestNotice), id).Scan(&last); err != nil {
			return 0, db.Wrap("find newest notice of fault", err)
		}
		newest = max(newest, last)
	}
	return newest, nil
}

// noticesOf returns the rows of a page of the notices of a fault. If it has several parts, it reads a full page of each: an index returns
// the notices of one part in order, but no index those of all.
func (s *Store) noticesOf(ctx context.Context, q db.Querier, o noticeOwner, statement string, parts []int64, p NoticePage, at noticeMark) ([]faults.Notice, error) {
	from, to := p.span(at)
	skip, most := p.Rows()
	if len(parts) == 1 {
		return s.notices(ctx, q, o, statement, o.projectID, o.faultID, o.faultID, from, to, most, skip)
	}
	var all []faults.Notice
	for _, part := range parts {
		some, err := s.notices(ctx, q, o, statement, o.projectID, o.faultID, part, from, to, skip+most, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b faults.Notice) int {
		if p.Back {
			a, b = b, a
		}
		return cmp.Compare(b.Key, a.Key)
	})
	return all[min(skip, len(all)):min(skip+most, len(all))], nil
}
