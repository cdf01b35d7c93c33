package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"sett/internal/sett"
)

// The counts may follow the notices: while notices come thick, what they add is summed in memory and folded into the
// tables every few batches, so that a row which many notices move is written once for all of them. Nothing can be lost
// by it. A fold writes, in its own transaction, how far it came (table digests), and whatever lies beyond when a process
// dies is summed again from the notices themselves by Recover. Where the load is light every batch folds at once, and
// no reader can tell. On PostgreSQL, where several nodes write, every batch does.

// When a batch leaves the counts to a later fold.
const (
	busyBatch   = 24                     // notices: a smaller batch folds at once
	mostPending = 8000                   // notices that are summed in memory
	longestWait = 400 * time.Millisecond // from the first of them to the fold
)

// digest is what stored notices add to the counts and the counts do not hold yet.
type digest struct {
	mu    sync.Mutex // held by whoever records or folds, SQLite only
	tally *tally
	n     int
	since time.Time
	upto  sett.NoticeID
}

func (d *digest) reset() { d.tally, d.n, d.since = newTally(), 0, time.Time{} }

// defers reports whether the counts of a batch may wait.
func (b *batch) defers() bool {
	d := &b.s.digest
	return b.s.dialect == sqliteDialect && b.limits == (sett.Limits{}) && len(b.live) >= busyBatch &&
		d.n+len(b.live) < mostPending && (d.n == 0 || b.now.Sub(d.since) < longestWait)
}

// count adds the batch to every count: at once, together with what is pending, or later.
func (b *batch) count(ctx context.Context) error {
	b.sum = newTally()
	for _, i := range b.live {
		r := b.in.Reports[i]
		b.sum.add(owner{r.AccountID, r.ProjectID, r.Environment, b.faultOf(i).id}, b.ids[i], factsOf(r.Report))
	}
	refused := newTally() // these leave no notice behind to be counted again from
	for i, r := range b.in.Reports {
		if o := b.receipts[i].Outcome; o != sett.Stored {
			refused.end(r.AccountID, r.ProjectID, b.now, o, 1)
		}
	}
	for _, r := range b.in.Refused {
		refused.end(r.AccountID, r.ProjectID, b.now, r.Outcome, r.Count)
	}
	if b.deferred = b.defers(); b.deferred {
		return refused.writeLedger(ctx, b.t)
	}
	refused.merge(b.sum)
	refused.merge(b.s.digest.tally)
	return b.t.fold(ctx, refused, b.last())
}

// last is the greatest id that the batch gave out.
func (b *batch) last() sett.NoticeID {
	if len(b.ids) == 0 {
		return b.s.digest.upto
	}
	return b.ids[len(b.ids)-1]
}

// settle notes what a committed batch did to the digest.
func (d *digest) settle(b *batch) {
	d.upto = max(d.upto, b.last())
	if !b.deferred {
		d.reset()
		return
	}
	if d.n == 0 {
		d.since = b.now
	}
	d.tally.merge(b.sum)
	d.n += len(b.live)
}

const setDigest = `-- store.setDigest
INSERT INTO digests (id, upto) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET upto = excluded.upto`

// fold adds a tally to the counts, which then hold every notice up to the given one.
func (t *tx) fold(ctx context.Context, sum *tally, upto sett.NoticeID) error {
	if err := sum.write(ctx, t); err != nil || t.s.dialect != sqliteDialect {
		return err
	}
	_, err := t.exec(ctx, setDigest, int64(upto))
	return err
}

// Fold brings the counts up to date with the notices. It is called when no notice has come for a moment.
func (s *Store) Fold(ctx context.Context) error {
	d := &s.digest
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.n == 0 {
		return nil
	}
	err := s.inTx(ctx, "fold counts", func(t *tx) error { return t.fold(ctx, d.tally, d.upto) })
	if err == nil {
		d.reset()
	}
	return err
}

const lastNotice = `-- store.lastNotice
SELECT coalesce(max(id), 0) FROM notices`

const digestUpto = `-- store.digestUpto
SELECT upto FROM digests WHERE id = 1`

const undigested = `-- store.undigested
SELECT n.id, p.account_id, f.project_id, f.environment, f.id, n.payload
FROM notices n JOIN faults f ON f.id = n.fault_id JOIN projects p ON p.id = f.project_id
WHERE n.id > $1 ORDER BY n.id LIMIT 2000`

// Recover makes the store ready to record: it counts the notices that an earlier process stored and did not live to
// count, and returns how many there were. It is called once, after Migrate and before anything is recorded.
func (s *Store) Recover(ctx context.Context) (counted int, err error) {
	var last, upto sett.NoticeID
	if err := s.read.QueryRowContext(ctx, lastNotice).Scan(&last); err != nil {
		return 0, fmt.Errorf("find last notice: %w", err)
	}
	s.ids.Load().Skip(last)
	if s.dialect != sqliteDialect {
		return 0, nil
	}
	if err := s.read.QueryRowContext(ctx, digestUpto).Scan(&upto); err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("find last counted notice: %w", err)
	}
	for upto < last {
		n, next, err := s.recount(ctx, upto)
		if err != nil {
			return counted, err
		}
		if counted += n; n == 0 {
			next = last // only notices whose fault is gone were left
		}
		upto = next
	}
	s.digest.upto = upto
	return counted, nil
}

// recount folds the next notices after upto.
func (s *Store) recount(ctx context.Context, upto sett.NoticeID) (n int, next sett.NoticeID, err error) {
	sum := newTally()
	rows, err := s.read.QueryContext(ctx, undigested, int64(upto))
	err = scanAll(rows, err, func(rows *sql.Rows) error {
		var o owner
		var payload []byte
		if err := rows.Scan(&next, &o.account, &o.project, &o.environment, &o.fault, &payload); err != nil {
			return err
		}
		_, f, _, err := unpackParts(payload)
		if err != nil {
			return err
		}
		n++
		sum.add(o, next, f)
		return nil
	})
	if err != nil || n == 0 {
		return n, next, err
	}
	return n, next, s.inTx(ctx, "count notices again", func(t *tx) error { return t.fold(ctx, sum, next) })
}
