package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sett/internal/sett/checks"
	"sett/internal/store/db"
)

// Options are how work is done in the background. Only one of several nodes does it at a time.
type Options struct {
	Now    func() time.Time
	Holder string                                              // of the lease
	Rest   func(ctx context.Context, took time.Duration) error // called after each piece, with its duration; an error ends the round
}

const leaseLife = checks.AgentSilence

// PiecesAtOnce is how many lots of one work are done before those of the next, so that a small work need not wait for a large one.
const PiecesAtOnce = 50

// Work that is due later than any can be was added with a clock that has been set back since.
const dueWork = `-- work.due
SELECT w.id, w.kind, w.project_id, w.body FROM pending_work w
WHERE (w.due_at <= $1 OR w.due_at > $2) AND EXISTS (SELECT 1 FROM pending_lots l WHERE l.work_id = w.id) = $3 ORDER BY w.id LIMIT $4`

const worksAtOnce = 100

// errNotOurs says that another node works.
var errNotOurs = errors.New("another node holds the lease")

// DoLots does some lots of each work that is due and has lots. It reports whether there is more to do at once. Work that fails stays, and
// does not keep the rest from being done.
func (s *Store) DoLots(ctx context.Context, o Options) (more bool, err error) {
	return s.round(ctx, o, "pending changes", true, PiecesAtOnce)
}

// DoWhole does work that is due and has no lots, one after the other, each to its end: it may take minutes.
func (s *Store) DoWhole(ctx context.Context, o Options) (more bool, err error) {
	return s.round(ctx, o, "pending deletions", false, 0)
}

func (s *Store) round(ctx context.Context, o Options, lease string, lots bool, pieces int) (more bool, err error) {
	now := s.now()
	rows, err := s.db.Read.QueryContext(ctx, s.db.Text(dueWork), db.Micros(now), db.Micros(now.Add(begunFor)), lots, worksAtOnce)
	items, err := scanItems(rows, err)
	if err != nil || len(items) == 0 {
		return false, s.db.Explain(err)
	}
	within := func(ctx context.Context, t *db.Tx) error { return s.hold(ctx, t, lease, o) }
	var failed []error
	for _, i := range items {
		pace := &db.Pace{Pieces: pieces, Rest: o.Rest, Within: within}
		switch err := s.do(db.WithPace(ctx, pace), i, s.doers[i.Kind]); {
		case err == nil:
		case errors.Is(err, errNotOurs):
			return false, nil
		case errors.Is(err, db.ErrPaceEnds):
			more = true
		case ctx.Err() != nil:
			return false, ctx.Err()
		default:
			failed = append(failed, fmt.Errorf("work %d (%s): %w", i.ID, i.Kind, err))
		}
	}
	if !s.db.SQLite() {
		failed = append(failed, s.db.DropLease(context.WithoutCancel(ctx), lease, o.Holder))
	}
	return more || len(items) == worksAtOnce, errors.Join(failed...)
}

// hold renews the lease. An SQLite file has one process, which needs none.
func (s *Store) hold(ctx context.Context, t *db.Tx, lease string, o Options) error {
	if s.db.SQLite() {
		return nil
	}
	now := o.Now()
	held, err := t.Lease(ctx, lease, o.Holder, now, now.Add(leaseLife))
	if err == nil && !held {
		err = errNotOurs
	}
	return err
}
