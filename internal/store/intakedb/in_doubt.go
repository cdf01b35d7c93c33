package intakedb

import (
	"context"
	"database/sql"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const areStored = `-- intakedb.areStored
SELECT count(k.id) FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id`

const fateOf = `-- intakedb.fateOf
SELECT pg_xact_status($1::xid8)`

const inProgress = "in progress" // in the words of pg_xact_status

// fatePatience is how long to wait for the outcome of a commit.
const fatePatience = 3 * time.Second

// InDoubtError says that it is unknown whether notices were stored: the connection was lost during the commit. Fate answers it later.
type InDoubtError struct {
	Transaction string          // PostgreSQL's name of it
	IDs         []sett.NoticeID // of the reports, in order, if they were stored
	why         error
}

func (e *InDoubtError) Error() string { return "the commit is in doubt: " + e.why.Error() }

// Unwrap returns that the database has not decided, so that nothing stores the reports again at once, and why.
func (e *InDoubtError) Unwrap() []error { return []error{errUndecided, e.why} }

const storedOf = `-- intakedb.Fate
SELECT n.id FROM {{rows k(id bigint)}} JOIN notices n ON n.id = k.id`

// Fate returns which of the notices of a transaction that was in doubt are stored. The error is Unavailable while that is not decided.
func (s *Store) Fate(ctx context.Context, transaction string, ids []sett.NoticeID) (stored map[sett.NoticeID]bool, err error) {
	if err := s.decided(ctx, transaction); err != nil {
		return nil, s.db.Explain(db.Wrap("look for a transaction", err))
	}
	stored = map[sett.NoticeID]bool{}
	keys := make([]int64, len(ids))
	for i, id := range ids {
		keys[i] = int64(id)
	}
	err = s.db.ReadRows(ctx, s.db.Read, storedOf, db.ScanID(func(id int64) { stored[sett.NoticeID(id)] = true }), keys)
	return stored, s.db.Explain(db.Wrap("look for notices", err))
}

// makeSure resolves an in-doubt commit. If it was carried out, its notices still have to be counted. While the database does not know,
// nothing more can be recorded.
func (s *Store) makeSure(ctx context.Context) (stored bool, err error) {
	b := s.inDoubt
	if b == nil {
		return false, nil
	}
	ctx, cancel := s.db.Limited(context.WithoutCancel(ctx), fatePatience) // the context of the commit has ended
	defer cancel()
	if stored, err = s.wasStored(ctx, b); err != nil {
		return false, db.Unanswered("look for notices", err)
	}
	if stored && !s.db.SQLite() {
		// PostgreSQL shows what it has committed although its wait for the standby was cancelled. What is committed after it waits for both.
		if err := s.TryWrite(ctx, b.now); err != nil {
			return false, err
		}
	}
	if s.inDoubt = nil; stored {
		s.rollups.Hand(b.counted)
	}
	return stored, nil
}

// leaveNoDoubt resolves an in-doubt commit, unless a batch is being recorded: that has done it first.
func (s *Store) leaveNoDoubt(ctx context.Context) error {
	if !s.recording.TryLock() {
		return nil
	}
	defer s.recording.Unlock()
	_, err := s.makeSure(ctx)
	return err
}

// errUndecided says that the server is still working on a commit that it will not answer.
var errUndecided = &sett.Error{Code: sett.Unavailable, RetryAfter: time.Second, Message: "The database has not decided yet whether it stored this. Try again in a moment."}

// decided returns an error while a transaction of PostgreSQL may still be committed.
func (s *Store) decided(ctx context.Context, transaction string) error {
	if s.db.SQLite() {
		return nil
	}
	var fate sql.NullString
	err := s.db.Read.QueryRowContext(db.FromPrimary(ctx), fateOf, transaction).Scan(&fate)
	switch {
	case fate.String == inProgress:
		return errUndecided
	case db.PostgresCode("22023")(err): // the server crashed before it had written that this transaction exists
		return nil
	}
	return err
}

func (s *Store) wasStored(ctx context.Context, b *batch) (bool, error) {
	if len(b.Live) == 0 {
		return false, nil
	}
	if err := s.decided(ctx, b.Name); err != nil {
		return false, err
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
