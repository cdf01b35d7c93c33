package intakedb

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Everything that is only derived from notices – every count, the list of notices of a fault – follows them. A committed batch hands over its
// notices, which are summed in memory (hand) and flushed to the tables from time to time, so that a row or page that many notices change is
// written once for all of them. Under light load a batch is flushed before it is answered, and readers see no difference.
//
// This cannot lose or double a count. A flush writes, in its own transaction, how far it got (table digests). When a process dies, counting
// goes on from there (catchUp): whatever lies beyond that is summed again from the notices themselves, by the next process on SQLite, by any
// node on PostgreSQL.
//
// Each kind of rollup is divided into parts, with one rollup per part. They are flushed one after another, so that no flush blocks intake
// for long: an SQLite file has one writer at a time.

// rollupKind is a set of rollup tables that are flushed together.
type rollupKind struct {
	parts int              // the number of parts that its rows are divided into; to change it, migrate table digests
	part  func(*noted) int // the part that a notice belongs to, before it is taken modulo parts
	most  int              // notices summed in memory, in all parts together, that make a flush due
	Wait  time.Duration    // from the first of them until a flush is due
	fresh func() sum
}

// The kinds of rollups. What lists show may lag only a little; what is spread all over its tables may lag more. Tokens lag on SQLite
// only: on PostgreSQL other nodes must see a token at once.
const (
	projectRollup = iota
	faultRollup
	classRollup
	locationRollup
	userNameRollup
	userRollup
	TokenRollup
	releaseRollup
	numRollups
)

var rollupKinds = [numRollups]rollupKind{
	projectRollup:  {1, byProject, 20_000, time.Second, newProjectCounts},
	faultRollup:    {4, byFault, 32_000, 1800 * time.Millisecond, newFaultSums},
	classRollup:    {2, byProject, 40_000, 5 * time.Second, newClassCounts},
	locationRollup: {1, byProject, 40_000, 5 * time.Second, newLocationCounts},
	userNameRollup: {8, byProject, 120_000, 10 * time.Second, newUserCounts},
	userRollup:     {8, byFault, 120_000, 10 * time.Second, newUsers},
	TokenRollup:    {8, byToken, 120_000, 10 * time.Second, newTokens},
	releaseRollup:  {1, byProject, 40_000, 2 * time.Second, newReleaseCounts},
}

// The partition functions keep together what lies together in the tables, so that a flush writes few pages.

func byProject(n *noted) int { return int(n.owner.project) }

func byFault(n *noted) int { return int(n.owner.fault >> 6) }

func byToken(n *noted) int { return int(n.token[0] >> 5) }

// rollup holds what stored notices add to some rows and has not been written to them yet.
type rollup struct {
	ID   int64 // in table digests
	kind int
	most int
	wait time.Duration

	fresh func() sum

	sum   sum // of the notices since the last flush started
	N     int // how many these are
	since time.Time
	upto  sett.NoticeID // the rows and sums together hold every notice of this node up to this one
	saved sett.NoticeID // the position that table digests has at least

	flushing     sum // what the last flush is writing, or failed to write; nil once it is written
	flushingN    int // how many notices that are
	flushingUpto sett.NoticeID
}

// A batch of so many notices leaves the counts to a later flush. On PostgreSQL, where nodes wait for one another when they flush, busyNode
// notices are enough.
const (
	busyBatch = 24
	busyNode  = 4
)

// rollups holds all rollups of this process.
type rollups struct {
	s         *Store
	Recording sync.Mutex            // held while a batch is recorded, so that notices are stored in the order of their ids
	flushing  sync.Mutex            // held while sums are written
	mu        sync.RWMutex          // guards the following; lock the mutex of the node before it if you need both
	handed    []*batch              // committed batches whose notices are not in the sums yet
	Each      []*rollup             // all of them
	Kinds     [numRollups][]*rollup // the same, by kind and part
	summed    int                   // notices since the start
	saved     int                   // how many these were when the rollups that had nothing to flush last saved their position
	advanced  time.Time             // when they did
	heldAt    atomic.Int64          // when a flush met rows that others hold, in ns since 1970; 0: the last one did not
	InDoubt   *batch                // a batch with an in-doubt commit; guarded by Recording
}

// init divides the kinds into their parts. PostgreSQL needs no division: there a flush blocks nothing else.
func (d *rollups) init(s *Store) {
	d.s, d.advanced = s, time.Now()
	for kind, k := range rollupKinds {
		if !s.db.SQLite() {
			k.parts = 1
		}
		for part := range k.parts {
			one := &rollup{kind: kind, ID: rollupID(kind, part), most: k.most / k.parts, wait: k.Wait, fresh: k.fresh}
			one.reset()
			d.Each, d.Kinds[kind] = append(d.Each, one), append(d.Kinds[kind], one)
		}
	}
}

// rollupID is the id in table digests of a part of a kind. Where a kind is not divided, its only part is the first.
func rollupID(kind, part int) int64 { return int64(100*kind + part) }

func (d *rollup) reset() { d.sum, d.N, d.since = d.fresh(), 0, time.Time{} }

// of returns the rollups that a notice belongs to, by their kind.
func (d *rollups) of(n *noted) (all [numRollups]*rollup) {
	for kind, parts := range d.Kinds {
		all[kind] = parts[rollupKinds[kind].part(n)%len(parts)]
	}
	return all
}

// tooMuch is how many times its threshold a rollup may reach before the recorder waits for a flush.
const tooMuch = 4

// due reports whether it is time to flush what is pending.
func (d *rollup) due(now time.Time) bool {
	return d.N >= d.most || d.N > 0 && now.Sub(d.since) >= d.wait
}

// StoredAtOnce reports whether the rollup's rows are always written in the transaction that stores the notices.
func (d *rollup) StoredAtOnce(s *Store) bool {
	return d.kind == TokenRollup && !s.db.SQLite()
}

// isCountedWith reports whether the rollup is written in the transaction of the batch: else other nodes would not see near a limit what
// this one stores. All else would make them wait for the batch, as they count in the same rows.
func (d *rollup) isCountedWith(b *batch) bool {
	return d.kind == projectRollup && b.exact || d.StoredAtOnce(b.S)
}

// count notes what the batch stored, for hand, and writes the counts that must not wait for it.
func (b *batch) count(ctx context.Context) error {
	refused := outcomeCounts{} // no notice remains from which these could be counted again
	for i, r := range b.in.Reports {
		if o := b.receipts[i].Outcome; o != accounts.Stored {
			refused.add(r.AccountID, r.ProjectID, b.now, o, 1)
		}
	}
	for _, r := range b.in.Refused {
		refused.add(r.AccountID, r.ProjectID, b.now, r.Outcome, r.Count)
	}
	if err := refused.writeRefused(ctx, b.t, b.node); err != nil {
		return err
	}
	b.notes = make([]noted, len(b.Live))
	for at, i := range b.Live {
		r := b.in.Reports[i]
		b.notes[at] = noted{b.Ids[i], owner{r.AccountID, r.ProjectID, r.Environment, b.partOf(i)}, r.Token, r.Facts}
	}
	return b.countAtOnce(ctx)
}

// countAtOnce writes the rollups that are counted with the batch; these are not divided.
func (b *batch) countAtOnce(ctx context.Context) error {
	counted := map[*rollup]sum{}
	for _, d := range b.S.rollups.Each {
		if len(b.notes) == 0 || !d.isCountedWith(b) {
			continue
		}
		counted[d] = d.fresh()
		for i := range b.notes {
			counted[d].add(&b.notes[i])
		}
		if d.StoredAtOnce(b.S) {
			if err := counted[d].write(ctx, b.t); err != nil {
				return err
			}
		}
	}
	return b.t.flush(ctx, b.node, counted, b.last())
}

// last is the greatest id that the batch assigned, or 0.
func (b *batch) last() sett.NoticeID {
	if len(b.Ids) == 0 {
		return 0
	}
	return b.Ids[len(b.Ids)-1]
}

// pending returns how many stored notices a kind of rollup still has to write.
func (d *rollups) pending(kind int) (n int) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, part := range d.Kinds[kind] {
		if n += part.N; part.flushing != nil {
			n += part.flushingN
		}
	}
	return n
}

// overdue reports whether so much is pending that the next batch must wait for a flush. The factor times raises the threshold.
func (d *rollups) overdue(times int) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, part := range d.Each {
		if part.N >= times*tooMuch*part.most {
			return true
		}
	}
	return false
}

// hand hands over a committed batch. The next flush notes its effects while clients get their answers; if there is none, the next batch does.
func (d *rollups) hand(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.handed = append(d.handed, b)
}

// Settled notes the effects of all committed batches. If this node has lost the number that a batch was stored under, the node that took it
// for dead counts the batch.
func (d *rollups) Settled() {
	d.s.node.mu.Lock()
	defer d.s.node.mu.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.handed {
		d.s.seen.add(b)
		if d.s.db.SQLite() {
			d.s.tokenFilter.Add(b.tokens()...)
		}
		if d.s.node.holder == b.Holder {
			d.sum(b)
		}
	}
	d.handed = nil
}

// sum adds the notices of a batch to the rollups that were not counted with it.
func (d *rollups) sum(b *batch) {
	for _, part := range d.Each {
		if part.isCountedWith(b) {
			part.upto = max(part.upto, b.last())
		}
	}
	for i := range b.notes {
		d.add(&b.notes[i], b.now)
	}
	d.reach(b.last())
	d.summed += len(b.notes)
}

// add adds a notice to the rollups that lack it, and reports whether any does. Notices come in the order of their ids.
func (d *rollups) add(n *noted, now time.Time) (lacked bool) {
	for _, part := range d.of(n) {
		if n.id <= part.upto {
			continue
		}
		if part.N == 0 {
			part.since = now
		}
		part.sum.add(n)
		part.N++
		lacked = true
	}
	return lacked
}

// reach notes that no notice up to this one is lacked.
func (d *rollups) reach(last sett.NoticeID) {
	for _, part := range d.Each {
		part.upto = max(part.upto, last)
	}
}
