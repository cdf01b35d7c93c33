package intake

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"sett/internal/sett"
)

// What is only derived from notices – every count, which notices a fault has – may follow them: while notices come
// thick it is summed in memory and folded into the tables every now and then, so that a row or page which many notices
// move is written once for all of them. Where the load is light every batch writes it at once, and no reader can tell.
//
// Nothing can be lost or doubled by it. A fold writes, in its own transaction, how far it came (table digests), and
// whatever lies beyond when a process dies is summed again from the notices themselves, by the next process on SQLite
// and by any node on PostgreSQL (Recover, Adopt).
//
// There is a digest for each part of each kind of table. They follow one by one, so that no fold keeps intake waiting for
// long: an SQLite file has one writer at a time.

// digestKind is tables that follow together.
type digestKind struct {
	parts int              // into which its rows are divided; another number needs a migration of table digests
	part  func(*noted) int // the part that a notice belongs to, before it is taken modulo parts
	most  int              // notices that are summed in memory, in all parts together, before they are due
	Wait  time.Duration    // from the first of them until they are due
	fresh func() sum
}

// The kinds of digests. What lists show may lag behind little, what lies all over its tables more. That of tokens follows
// on SQLite only: on PostgreSQL other nodes must see a token at once.
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

// The divisions keep together what lies together in the tables, so that a fold writes few pages.

func byProject(n *noted) int { return int(n.owner.project) }

func byFault(n *noted) int { return int(n.owner.fault >> 6) }

func byToken(n *noted) int { return int(n.token[0] >> 5) }

// digest is what stored notices add to some rows and these do not hold yet.
type digest struct {
	ID   int64 // in table digests
	kind int
	most int
	wait time.Duration

	fresh func() sum

	sum   sum // of the notices since the last fold was begun
	N     int // how many they are
	since time.Time
	upto  sett.NoticeID // the rows and sums together hold every notice of this node up to this one

	folding     sum // what the last fold is writing, or has failed to write; nil when it is done
	foldingN    int // how many notices that are
	foldingUpto sett.NoticeID
}

// busyBatch is how many notices a batch has at least that leaves the counts to a later fold when nothing is pending. On
// PostgreSQL, where nodes wait for one another when they fold, busyNode notices are enough.
const (
	busyBatch = 24
	busyNode  = 4
)

// digests are all of them.
type digests struct {
	Recording sync.Mutex   // held while a batch is recorded, so that ids are stored in their order
	settling  sync.Mutex   // held while what a committed batch did is noted
	folding   sync.Mutex   // held while sums are written
	mu        sync.RWMutex // guards each and ahead
	Each      []*digest
	Kinds     [digestKinds][]*digest // the same, by kind and part
	ahead     int                    // notices since the digests that had nothing to fold were told how far they are
	heldAt    atomic.Int64           // when a fold met rows that others hold, in ns since 1970; 0: the last did not
	Unsure    *batch                 // whose commit was not answered; guarded by recording
}

// Init divides the kinds into their parts. On PostgreSQL there is nothing to divide for: a fold is in nobody's way.
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

// tooMuch is how many times over its due a digest may be before whoever records waits for it to be folded.
const tooMuch = 4

// due reports whether it is time to fold what is pending.
func (d *digest) due(now time.Time) bool {
	return d.N >= d.most || d.N > 0 && now.Sub(d.since) >= d.wait
}

// defers reports whether what a batch adds may wait. On PostgreSQL it does: other nodes count in the same rows, and a batch
// would keep them waiting until it is on the disk. Only where a limit is near must every node see what all have stored.
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

// StoredAtOnce reports whether what the digest holds is always stored together with the notices.
func (d *digest) StoredAtOnce(s *Store) bool {
	return d.kind == TokenDigest && !s.db.SQLite()
}

// count adds the batch to every table that follows notices, or leaves that to a fold.
func (b *batch) count(ctx context.Context) error {
	refused := endings{} // these leave no notice behind to be counted again from
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

// fillDigests sums up what is to be written with the batch, and keeps for settle what may wait.
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

// deferred is a notice that a digest has yet to take in.
type deferred struct {
	digest *digest
	notice *noted
}

// last is the greatest id that the batch gave out, 0 when it gave out none.
func (b *batch) last() sett.NoticeID {
	if len(b.Ids) == 0 {
		return 0
	}
	return b.Ids[len(b.Ids)-1]
}

// pending returns how many notices are stored that a kind of digest has yet to write.
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

// Settled waits until what the last committed batch did is noted.
func (d *digests) Settled() {
	d.settling.Lock()
	defer d.settling.Unlock()
}

// overdue reports whether so many times too much is pending that the next batch must wait for a fold.
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

// settle notes what a committed batch left to the digests.
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
