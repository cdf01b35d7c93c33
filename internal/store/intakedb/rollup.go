package intakedb

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Everything that is only derived from notices – every count, the list of notices of a fault – may lag behind them. Under load it is
// summed in memory and flushed to the tables from time to time, so that a row or page that many notices change is written once for all of
// them. Under light load each batch writes it at once, and readers see no difference.
//
// This cannot lose or double a count. A flush writes, in its own transaction, how far it got (table digests). When a process dies,
// whatever lies beyond that is summed again from the notices themselves: by the next process on SQLite, by any node on PostgreSQL
// (Recover, TakeOver).
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

// busyBatch is the size from which a batch leaves the counts to a later flush when nothing is pending. On PostgreSQL, where nodes wait
// for one another when they flush, busyNode notices are enough.
const (
	busyBatch = 24
	busyNode  = 4
)

// rollups holds all rollups of this process.
type rollups struct {
	Recording sync.Mutex   // held while a batch is recorded, so that notices are stored in the order of their ids
	settling  sync.Mutex   // held while the effects of a committed batch are noted
	flushing  sync.Mutex   // held while sums are written
	advancing sync.Mutex   // held while positions are saved
	mu        sync.RWMutex // guards Each, ahead and advanced
	Each      []*rollup
	Kinds     [numRollups][]*rollup // the same, by kind and part
	ahead     int                   // notices since the rollups that had nothing to flush last saved their position
	advanced  time.Time             // when they did
	heldAt    atomic.Int64          // when a flush met rows that others hold, in ns since 1970; 0: the last one did not
	InDoubt   *batch                // a batch with an in-doubt commit; guarded by Recording
}

// init divides the kinds into their parts. PostgreSQL needs no division: there a flush blocks nothing else.
func (d *rollups) init(sqlite bool) {
	d.advanced = time.Now()
	for kind, k := range rollupKinds {
		if !sqlite {
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

// defers reports whether the counts of a batch may wait. On PostgreSQL they do: other nodes count in the same rows, and a batch would
// block them until it is on disk. Only near a limit must each node see what all nodes have stored.
func (d *rollup) defers(b *batch) bool {
	switch {
	case d.StoredAtOnce(b.S):
		return false
	case !b.S.db.SQLite():
		return d.kind != projectRollup || !b.exact
	case b.limits != (accounts.Limits{}):
		return false
	default:
		return d.N > 0 || d.flushing != nil || len(b.Live) >= busyBatch
	}
}

// StoredAtOnce reports whether the rollup's rows are always written in the transaction that stores the notices.
func (d *rollup) StoredAtOnce(s *Store) bool {
	return d.kind == TokenRollup && !s.db.SQLite()
}

// count adds the batch to all tables that are derived from notices, or leaves that to a flush.
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
	if len(b.Live) == 0 {
		return nil
	}
	b.fillRollups()
	for _, d := range b.S.rollups.Each {
		if tokens := b.sums[d]; tokens != nil && d.StoredAtOnce(b.S) {
			if err := tokens.write(ctx, b.t); err != nil {
				return err
			}
		}
	}
	return b.t.flush(ctx, b.node, b.sums, b.last())
}

// fillRollups sums up what is written with the batch, and keeps for settle what may wait.
func (b *batch) fillRollups() {
	b.sums = map[*rollup]sum{}
	b.S.rollups.mu.RLock()
	defer b.S.rollups.mu.RUnlock()
	b.notes = make([]noted, len(b.Live))
	b.deferred = make([]deferred, 0, len(b.Live)*numRollups)
	for at, i := range b.Live {
		r := b.in.Reports[i]
		n := &b.notes[at]
		*n = noted{b.Ids[i], owner{r.AccountID, r.ProjectID, r.Environment, b.partOf(i)}, r.Token, r.Facts}
		for _, d := range b.S.rollups.of(n) {
			if d.defers(b) {
				b.deferred = append(b.deferred, deferred{d, n})
				continue
			}
			if b.sums[d] == nil {
				b.sums[d] = d.fresh()
			}
			b.sums[d].add(n)
		}
	}
}

// deferred is a notice that a rollup still has to add.
type deferred struct {
	rollup *rollup
	notice *noted
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

// Settled waits until the effects of the last committed batch are noted.
func (d *rollups) Settled() {
	d.settling.Lock()
	defer d.settling.Unlock()
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

// settle adds what a committed batch deferred to the rollups.
func (d *rollups) settle(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, part := range d.Each {
		part.upto = max(part.upto, b.last())
	}
	for _, later := range b.deferred {
		part := later.rollup
		if part.N == 0 {
			part.since = b.now
		}
		part.sum.add(later.notice)
		part.N++
	}
	d.ahead += len(b.Live)
}
