package store

import (
	"context"
	"database/sql"
	"errors"
)

const isStored = `-- store.isStored
SELECT count(*) FROM notices WHERE id = $1`

const fateOf = `-- store.fateOf
SELECT pg_xact_status($1::xid8)`

const inProgress = "in progress" // what pg_xact_status calls it

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
	if len(b.live) == 0 {
		return false, nil
	}
	if s.dialect != sqliteDialect {
		var fate sql.NullString
		err := s.read.QueryRowContext(ctx, fateOf, b.name).Scan(&fate)
		switch {
		case fate.String == inProgress:
			return false, errUndecided
		case postgresCode("22023")(err): // the server crashed before it had written down that there is this transaction
		case err != nil:
			return false, err
		}
	}
	var n int64 // the row has the last word: after a crash another transaction may have got the same name
	err := s.read.QueryRowContext(ctx, s.text(isStored), int64(b.ids[b.live[0]])).Scan(&n)
	return n > 0, err
}
