package intake

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// Everything that is only derived from notices – every count, the list of notices of a fault – may lag behind them. Under load it is
// summed in memory and flushed to the tables from time to time, so that a row or page that many notices change is written once for all of
// them. Under light load each batch writes it at once, and readers see no difference.
//
// This cannot lose or double a count. A flush writes, in its own transaction, how far it got (table digests). When a process dies,
// whatever lies beyond that is summed again from the notices themselves: by the next process on SQLite, by any node on PostgreSQL
// (Recover, Adopt).
//
// Each kind of rollup is divided into parts, with one digest per part. They are flushed one after another, so that no flush blocks intake
// for long: an SQLite file has one writer at a time.

// digestKind is a set of rollup tables that are flushed together.
type digestKind struct {
	parts int              // the number of parts that its rows are divided into; to change it, migrate table digests
	part  func(*noted) int // the part that a notice belongs to, before it is taken modulo parts
	most  int              // notices summed in memory, in all parts together, that make a flush due
	Wait  time.Duration    // from the first of them until a flush is due
	fresh func() sum
}

// The kinds of digests. What lists show may lag only a little; what is spread all over its tables may lag more. Tokens lag on SQLite
// only: on PostgreSQL other nodes must see a token at once.
const (
	projectDigest = iota
	faultDigest
	classDigest
	locationDigest
	userNameDigest
	userDigest
	TokenDigest
	digestKinds
)

var kindsOfDigests = [digestKinds]digestKind{
	projectDigest:  {1, byProject, 20_000, time.Second, newProjectCounts},
	faultDigest:    {4, byFault, 32_000, 1800 * time.Millisecond, newFaultSums},
	classDigest:    {2, byProject, 40_000, 5 * time.Second, newClassCounts},
	locationDigest: {1, byProject, 40_000, 5 * time.Second, newLocationCounts},
	userNameDigest: {8, byProject, 120_000, 10 * time.Second, newUserCounts},
	userDigest:     {8, byFault, 120_000, 10 * time.Second, newUsers},
	TokenDigest:    {8, byToken, 120_000, 10 * time.Second, newTokens},
}

// The partition functions keep together what lies together in the tables, so that a flush writes few pages.

func byProject(n *noted) int { return int(n.owner.project) }

func byFault(n *noted) int { return int(n.owner.fault >> 6) }

func byToken(n *noted) int { return int(n.token[0] >> 5) }

// digest holds what stored notices add to some rows and has not been written to them yet.
type digest struct {
	ID   int64 // in table digests
	kind int
	most int
	wait time.Duration

	fresh func() sum

	sum   sum // of the notices since the last flush started
	N     int // how many these are
	since time.Time
	upto  sett.NoticeID // the rows and sums together hold every notice of this node up to this one

	folding     sum // what the last flush is writing, or failed to write; nil once it is written
	foldingN    int // how many notices that are
	foldingUpto sett.NoticeID
}

// busyBatch is the size from which a batch leaves the counts to a later flush when nothing is pending. On PostgreSQL, where nodes wait
// for one another when they flush, busyNode notices are enough.
const (
	busyBatch = 24
	busyNode  = 4
)

// digests holds all digests of this process.
type digests struct {
	Recording sync.Mutex   // held while a batch is recorded, so that notices are stored in the order of their ids
	settling  sync.Mutex   // held while the effects of a committed batch are noted
	folding   sync.Mutex   // held while sums are written
	mu        sync.RWMutex // guards each and ahead
	Each      []*digest
	Kinds     [digestKinds][]*digest // the same, by kind and part
	ahead     int                    // notices since the digests that had nothing to flush last saved their position
	heldAt    atomic.Int64           // when a flush met rows that others hold, in ns since 1970; 0: the last one did not
	Unsure    *batch                 // a batch with an in-doubt commit; guarded by Recording
}

// init divides the kinds into their parts. PostgreSQL needs no division: there a flush blocks nothing else.
func (d *digests) init(sqlite bool) {
	for kind, k := range kindsOfDigests {
		if !sqlite {
			k.parts = 1
		}
		for part := range k.parts {
			one := &digest{kind: kind, ID: int64(100*kind + part), most: k.most / k.parts, wait: k.Wait, fresh: k.fresh}
			one.reset()
			d.Each, d.Kinds[kind] = append(d.Each, one), append(d.Kinds[kind], one)
		}
	}
}

func (d *digest) reset() { d.sum, d.N, d.since = d.fresh(), 0, time.Time{} }

// of returns the digests that a notice belongs to, by their kind.
func (d *digests) of(n *noted) (all [digestKinds]*digest) {
	for kind, parts := range d.Kinds {
		all[kind] = parts[kindsOfDigests[kind].part(n)%len(parts)]
	}
	return all
}

// tooMuch is how many times its threshold a digest may reach before the recorder waits for a flush.
const tooMuch = 4

// due reports whether it is time to flush what is pending.
func (d *digest) due(now time.Time) bool {
	return d.N >= d.most || d.N > 0 && now.Sub(d.since) >= d.wait
}

// defers reports whether the counts of a batch may wait. On PostgreSQL they do: other nodes count in the same rows, and a batch would
// block them until it is on disk. Only near a limit must each node see what all nodes have stored.
func (d *digest) defers(b *batch) bool {
	switch {
	case d.StoredAtOnce(b.S):
		return false
	case !b.S.db.SQLite():
		return d.kind != projectDigest || !b.exact
	case b.limits != (sett.Limits{}):
		return false
	default:
		return d.N > 0 || d.folding != nil || len(b.Live) >= busyBatch
	}
}

// StoredAtOnce reports whether the digest's rows are always written in the transaction that stores the notices.
func (d *digest) StoredAtOnce(s *Store) bool {
	return d.kind == TokenDigest && !s.db.SQLite()
}

// count adds the batch to all tables that are derived from notices, or leaves that to a flush.
func (b *batch) count(ctx context.Context) error {
	refused := endings{} // no notice remains from which these could be counted again
	for i, r := range b.in.Reports {
		if o := b.receipts[i].Outcome; o != sett.Stored {
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
	b.fillDigests()
	for _, d := range b.S.digests.Each {
		if tokens := b.sums[d]; tokens != nil && d.StoredAtOnce(b.S) {
			if err := tokens.write(ctx, b.t); err != nil {
				return err
			}
		}
	}
	return b.t.fold(ctx, b.node, b.sums, b.last())
}

// fillDigests sums up what is written with the batch, and keeps for settle what may wait.
func (b *batch) fillDigests() {
	b.sums = map[*digest]sum{}
	b.S.digests.mu.RLock()
	defer b.S.digests.mu.RUnlock()
	b.notes = make([]noted, len(b.Live))
	b.deferred = make([]deferred, 0, len(b.Live)*digestKinds)
	for at, i := range b.Live {
		r := b.in.Reports[i]
		n := &b.notes[at]
		*n = noted{b.Ids[i], owner{r.AccountID, r.ProjectID, r.Environment, b.partOf(i)}, r.Token, r.Facts}
		for _, d := range b.S.digests.of(n) {
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

// deferred is a notice that a digest still has to add.
type deferred struct {
	digest *digest
	notice *noted
}

// last is the greatest id that the batch assigned, or 0.
func (b *batch) last() sett.NoticeID {
	if len(b.Ids) == 0 {
		return 0
	}
	return b.Ids[len(b.Ids)-1]
}

// pending returns how many stored notices a kind of digest still has to write.
func (d *digests) pending(kind int) (n int) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, part := range d.Kinds[kind] {
		if n += part.N; part.folding != nil {
			n += part.foldingN
		}
	}
	return n
}

// Settled waits until the effects of the last committed batch are noted.
func (d *digests) Settled() {
	d.settling.Lock()
	defer d.settling.Unlock()
}

// overdue reports whether so much is pending that the next batch must wait for a flush. The factor times raises the threshold.
func (d *digests) overdue(times int) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, part := range d.Each {
		if part.N >= times*tooMuch*part.most {
			return true
		}
	}
	return false
}

// settle adds what a committed batch deferred to the digests.
func (d *digests) settle(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, part := range d.Each {
		part.upto = max(part.upto, b.last())
	}
	for _, later := range b.deferred {
		part := later.digest
		if part.N == 0 {
			part.since = b.now
		}
		part.sum.add(later.notice)
		part.N++
	}
	d.ahead += len(b.Live)
}
