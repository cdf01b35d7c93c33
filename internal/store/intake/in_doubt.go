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

const inProgress = "in progress" // in the words of pg_xact_status

// fatePatience is how long to wait for the outcome of a commit.
const fatePatience = 3 * time.Second

// makeSure resolves an in-doubt commit. If it was carried out, its notices still have to be counted. While the database does not know,
// nothing more can be recorded.
func (s *Store) makeSure(ctx context.Context) (stored bool, err error) {
	b := s.rollups.InDoubt
	if b == nil {
		return false, nil
	}
	ctx, cancel := s.db.Limited(context.WithoutCancel(ctx), fatePatience) // the context of the commit has ended
	defer cancel()
	if stored, err = s.wasStored(ctx, b); err != nil {
		return false, db.Unanswered("look for notices", err)
	}
	if s.rollups.InDoubt = nil; stored {
		s.settle(b)
	}
	return stored, nil
}

// errUndecided says that the server is still working on a commit that it will not answer.
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
		case db.PostgresCode("22023")(err): // the server crashed before it had written that this transaction exists
		case err != nil:
			return false, err
		}
	}
	// The rows decide: after a crash another transaction may have got the same id. Any one of them is enough, as users may have deleted
	// the others already.
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
