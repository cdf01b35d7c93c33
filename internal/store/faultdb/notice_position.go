package faultdb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// NoticePosition is the position of a notice among those of its fault.
type NoticePosition struct {
	Older, Newer sett.UUID // public ids of the adjacent notices; zero if there is none
	After        int64     // how many notices are newer; a number above MostNewer means more than MostNewer
	First, Last  string    // revisions of the first notice that is still kept, and of the newest
}

// MostNewer is up to how many newer notices of a fault are counted exactly.
const MostNewer = 1_000

var besideNotice = fmt.Sprintf(`-- faultdb.positionOf
SELECT coalesce((SELECT max(n.id) FROM fault_notices n WHERE n.fault_id = $1 AND n.id < $2), 0),
    coalesce((SELECT min(n.id) FROM fault_notices n WHERE n.fault_id = $1 AND n.id > $2), 0),
    coalesce((SELECT min(n.id) FROM fault_notices n WHERE n.fault_id = $1), 0),
    coalesce((SELECT max(n.id) FROM fault_notices n WHERE n.fault_id = $1), 0),
    (SELECT count(*) FROM (SELECT 1 FROM fault_notices n WHERE n.fault_id = $1 AND n.id > $2 LIMIT %d) AS few)`, MostNewer+1)

const tokenOfNotice = `-- faultdb.tokenOfNotice
SELECT token FROM notices WHERE id = $1`

// positionOf returns the position of a notice among those of a fault's parts.
func (s *Store) positionOf(ctx context.Context, q db.Querier, o noticeOwner, parts []int64, id sett.NoticeID) (p NoticePosition, err error) {
	older, newer, first, last := int64(0), int64(0), int64(id), int64(id)
	for _, part := range parts {
		var before, after, earliest, latest, n int64
		if err := q.QueryRowContext(ctx, s.db.Text(besideNotice), part, int64(id)).Scan(&before, &after, &earliest, &latest, &n); err != nil {
			return p, err
		}
		older, last, p.After = max(older, before), max(last, latest), p.After+n
		newer, first = leastID(newer, after), leastID(first, earliest)
	}
	if p.Older, err = s.publicID(ctx, q, older); err != nil {
		return p, err
	}
	if p.Newer, err = s.publicID(ctx, q, newer); err != nil {
		return p, err
	}
	if p.First, err = s.revisionOf(ctx, q, o, first); err != nil {
		return p, err
	}
	p.Last, err = s.revisionOf(ctx, q, o, last)
	return p, err
}

// leastID returns the lesser of two ids; 0 means none.
func leastID(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// publicID returns the public id of a notice; zero for id 0, and for a notice that was purged a moment ago.
func (s *Store) publicID(ctx context.Context, q db.Querier, id int64) (public sett.UUID, err error) {
	if id == 0 {
		return public, nil
	}
	var token []byte
	switch err := q.QueryRowContext(ctx, s.db.Text(tokenOfNotice), id).Scan(&token); {
	case errors.Is(err, sql.ErrNoRows):
		return public, nil
	case err != nil:
		return public, err
	case len(token) == 0:
		return sett.NoticeID(id).UUID(), nil
	}
	copy(public[:], token)
	return public, nil
}

// revisionOf returns the revision that a notice reports.
func (s *Store) revisionOf(ctx context.Context, q db.Querier, owner noticeOwner, id int64) (string, error) {
	found, err := s.notices(ctx, q, owner, readNotice, owner.projectID, owner.faultID, id)
	if sett.CodeOf(err) == sett.Unavailable { // it is in object storage, and the page goes without it
		return "", nil
	}
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0].Environment.Revision, nil
}
