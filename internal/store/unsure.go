package store

import (
	"context"
	"errors"
)

const isStored = `-- store.isStored
SELECT count(*) FROM notices WHERE id = $1`

const fateOf = `-- store.fateOf
SELECT pg_xact_status($1::xid8)`

// makeSure finds out whether a commit that was not answered was carried out; if it was, its notices have yet to be
// counted. While the database does not say, nothing more can be recorded.
func (s *Store) makeSure(ctx context.Context) (stored bool, err error) {
	b := s.digests.unsure
	if b == nil {
		return false, nil
	}
	if stored, err = s.wasStored(ctx, b); err != nil {
		return false, unanswered("look for notices", err)
	}
	if s.digests.unsure = nil; stored {
		s.settle(b)
	}
	return stored, nil
}

// errUndecided says that the server is still at a commit that it will not answer.
var errUndecided = errors.New("a commit is not decided yet")

func (s *Store) wasStored(ctx context.Context, b *batch) (bool, error) {
	if s.dialect == sqliteDialect {
		var n int64
		if len(b.live) == 0 {
			return false, nil
		}
		err := s.read.QueryRowContext(ctx, isStored, int64(b.ids[b.live[0]])).Scan(&n)
		return n > 0, err
	}
	var fate string
	err := s.read.QueryRowContext(ctx, fateOf, b.name).Scan(&fate)
	if err == nil && fate == "in progress" {
		err = errUndecided
	}
	return fate == "committed", err
}
