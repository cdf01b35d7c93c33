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
// tables every few batches, so that a row or page which many notices move is written once for all of them. Nothing can
// be lost by it. A fold writes, in its own transaction, how far it came (table digests), and whatever lies beyond when a
// process dies is summed again from the notices themselves by Recover. Where the load is light every batch folds at
// once, and no reader can tell. On PostgreSQL, where several nodes write, every batch does.
//
// There are two digests: the quick one of what lists and series show, and the slow one of users, classes and locations,
// whose rows are many and lie all over their tables.

// busyBatch is how many notices a batch has at least that leaves the counts to a later fold when nothing is pending.
const busyBatch = 24

// digest is what stored notices add to some of the counts and these do not hold yet.
type digest struct {
	id   int64         // in table digests
	most int           // notices that are summed in memory
	wait time.Duration // at most, from the first of them to the fold
	add  func(*tally, owner, sett.NoticeID, facts)

	tally *tally
	n     int
	since time.Time
	upto  sett.NoticeID // the counts and the tally together hold every notice up to this one
}

// digests are the two, and the lock of whoever records or folds, which is needed on SQLite only.
type digests struct {
	mu   sync.Mutex
	each [2]*digest
}

func (d *digests) init() {
	d.each = [2]*digest{
		{id: 1, most: 20_000, wait: time.Second, add: func(t *tally, o owner, id sett.NoticeID, _ facts) { t.addQuick(o, id) }},
		{id: 2, most: 20_000, wait: 5 * time.Second, add: (*tally).addSlow},
	}
	for _, part := range d.each {
		part.reset()
	}
}

func (d *digest) reset() { d.tally, d.n, d.since = newTally(), 0, time.Time{} }

// defers reports whether these counts of a batch may wait.
func (d *digest) defers(b *batch) bool {
	if b.s.dialect != sqliteDialect || b.limits != (sett.Limits{}) {
		return false
	}
	if d.n == 0 {
		return len(b.live) >= busyBatch
	}
	return d.n+len(b.live) < d.most && b.now.Sub(d.since) < d.wait
}

// count adds the batch to every count: at once, together with what is pending, or later.
func (b *batch) count(ctx context.Context) error {
	refused := newTally() // these leave no notice behind to be counted again from
	for i, r := range b.in.Reports {
		if o := b.receipts[i].Outcome; o != sett.Stored {
			refused.end(r.AccountID, r.ProjectID, b.now, o, 1)
		}
	}
	for _, r := range b.in.Refused {
		refused.end(r.AccountID, r.ProjectID, b.now, r.Outcome, r.Count)
	}
	if err := refused.writeLedger(ctx, b.t); err != nil {
		return err
	}
	for i, d := range b.s.digests.each {
		sum := newTally()
		for _, i := range b.live {
			r := b.in.Reports[i]
			d.add(sum, owner{r.AccountID, r.ProjectID, r.Environment, b.faultOf(i).id}, b.ids[i], r.facts)
		}
		if b.sums[i] = sum; d.defers(b) {
			continue
		}
		sum.merge(d.tally)
		if err := b.t.fold(ctx, d, sum, b.last()); err != nil {
			return err
		}
		b.sums[i] = nil
	}
	return nil
}

// last is the greatest id that the batch gave out, 0 when it gave out none.
func (b *batch) last() sett.NoticeID {
	if len(b.ids) == 0 {
		return 0
	}
	return b.ids[len(b.ids)-1]
}

// settle notes what a committed batch did to the digests.
func (d *digests) settle(b *batch) {
	for i, part := range d.each {
		part.upto = max(part.upto, b.last())
		switch sum := b.sums[i]; {
		case sum == nil:
			part.reset()
		case len(b.live) > 0:
			if part.n == 0 {
				part.since = b.now
			}
			part.tally.merge(sum)
			part.n += len(b.live)
		}
	}
}

const setDigest = `-- store.setDigest
INSERT INTO digests (id, upto) VALUES ($1, $2)
ON CONFLICT (id) DO UPDATE SET upto = CASE WHEN digests.upto > excluded.upto THEN digests.upto ELSE excluded.upto END`

// fold adds a tally to the counts of a digest, which then hold every notice up to the given one.
func (t *tx) fold(ctx context.Context, d *digest, sum *tally, upto sett.NoticeID) error {
	if err := sum.write(ctx, t); err != nil || t.s.dialect != sqliteDialect {
		return err
	}
	_, err := t.exec(ctx, setDigest, d.id, int64(max(upto, d.upto)))
	return err
}

// Fold brings the counts up to date with the notices. It is called when no notice has come for a moment.
func (s *Store) Fold(ctx context.Context) error {
	s.digests.mu.Lock()
	defer s.digests.mu.Unlock()
	for _, d := range s.digests.each {
		if d.n == 0 {
			continue
		}
		if err := s.inTx(ctx, "fold counts", func(t *tx) error { return t.fold(ctx, d, d.tally, d.upto) }); err != nil {
			return err
		}
		d.reset()
	}
	return nil
}

const lastNotice = `-- store.lastNotice
SELECT coalesce(max(id), 0) FROM notices`

const digestUpto = `-- store.digestUpto
SELECT upto FROM digests WHERE id = $1`

const undigested = `-- store.undigested
SELECT n.id, p.account_id, f.project_id, f.environment, f.id, n.payload
FROM notices n JOIN faults f ON f.id = n.fault_id JOIN projects p ON p.id = f.project_id
WHERE n.id > $1 ORDER BY n.id LIMIT 2000`

// Recover makes the store ready to record: it counts the notices that an earlier process stored and did not live to
// count, and returns how many there were. It is called once, after Migrate and before anything is recorded.
func (s *Store) Recover(ctx context.Context) (counted int, err error) {
	var last sett.NoticeID
	if err := s.read.QueryRowContext(ctx, lastNotice).Scan(&last); err != nil {
		return 0, fmt.Errorf("find last notice: %w", err)
	}
	s.ids.Skip(last)
	if s.dialect != sqliteDialect {
		return 0, nil
	}
	for _, d := range s.digests.each {
		n, err := s.catchUp(ctx, d, last)
		if err != nil {
			return counted, err
		}
		counted = max(counted, n)
	}
	return counted, nil
}

// catchUp brings one digest up to the last notice.
func (s *Store) catchUp(ctx context.Context, d *digest, last sett.NoticeID) (counted int, err error) {
	err = s.read.QueryRowContext(ctx, s.text(digestUpto), d.id).Scan(&d.upto)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("find last counted notice: %w", err)
	}
	for d.upto < last {
		n, next, err := s.recount(ctx, d)
		if err != nil {
			return counted, err
		}
		if n == 0 {
			next = last // only notices whose fault is gone were left
		}
		counted, d.upto = counted+n, next
	}
	return counted, nil
}

// recount folds the next notices that a digest lacks.
func (s *Store) recount(ctx context.Context, d *digest) (n int, next sett.NoticeID, err error) {
	sum := newTally()
	rows, err := s.read.QueryContext(ctx, s.text(undigested), int64(d.upto))
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
		d.add(sum, o, next, f)
		return nil
	})
	if err != nil || n == 0 {
		return n, next, err
	}
	return n, next, s.inTx(ctx, "count notices again", func(t *tx) error { return t.fold(ctx, d, sum, next) })
}
