package intake

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"sett/internal/store/db"
)

const areStored = `-- store.areStored
SELECT count(k.id) FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id`

const fateOf = `-- store.fateOf
SELECT pg_xact_status($1::xid8)`

const inProgress = "in progress" // what pg_xact_status calls it

// fatePatience is how long to wait for word of a commit.
const fatePatience = 3 * time.Second

// makeSure finds out whether a commit that was not answered was carried out; if it was, its notices have yet to be
// counted. While the database does not say, nothing more can be recorded.
func (s *Store) makeSure(ctx context.Context) (stored bool, err error) {
	b := s.digests.Unsure
	if b == nil {
		return false, nil
	}
	ctx, cancel := s.db.Limited(context.WithoutCancel(ctx), fatePatience) // that of the commit is over
	defer cancel()
	if stored, err = s.wasStored(ctx, b); err != nil {
		return false, db.Unanswered("look for notices", err)
	}
	if s.digests.Unsure = nil; stored {
		s.settle(b)
	}
	return stored, nil
}

// errUndecided says that the server is still at a commit that it will not answer.
var errUndecided = errors.New("a commit is not decided yet")

func (s *Store) wasStored(ctx context.Context, b *batch) (bool, error) {
	if len(b.Live) == 0 {
		return false, nil
	}
	if !s.db.SQLite() {
		var fate sql.NullString
		err := s.db.Read.QueryRowContext(ctx, fateOf, b.Name).Scan(&fate)
		switch {
		case fate.String == inProgress:
			return false, errUndecided
		case db.PostgresCode("22023")(err): // the server crashed before it had written down that there is this transaction
		case err != nil:
			return false, err
		}
	}
	// The rows have the last word: after a crash another transaction may have got the same name. Any of them will do, as
	// someone may have deleted the others already.
	ids := make([]int64, len(b.Live))
	for at, i := range b.Live {
		ids[at] = int64(b.Ids[i])
	}
	found := int64(0)
	err := s.db.ReadRows(ctx, s.db.Read, areStored, func(rows *sql.Rows) error {
		var n int64
		err := rows.Scan(&n)
		found += n
		return err
	}, ids)
	return found > 0, err
}
