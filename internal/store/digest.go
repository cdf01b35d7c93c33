package store

import (
	"context"
	"sync"
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
// Each digest follows on its own, so that no fold keeps intake waiting for long. That of tokens does so on SQLite only: on
// PostgreSQL other nodes must see a token at once.

// digest is what stored notices add to some of the tables and these do not hold yet.
type digest struct {
	id    int64         // in table digests
	most  int           // notices that are summed in memory before they are due
	wait  time.Duration // from the first of them until they are due
	fresh func() sum

	sum   sum // of the notices since the last fold was begun
	n     int // how many they are
	since time.Time
	upto  sett.NoticeID // the tables and sums together hold every notice of this node up to this one

	folding     sum // what the last fold is writing, or has failed to write; nil when it is done
	foldingUpto sett.NoticeID
}

// The digests, by their index.
const (
	countDigest = iota
	indexDigest
	nameDigest
	userDigest
	tokenDigest
	digestCount
)

const tokenDigestID = 5

// busyBatch is how many notices a batch has at least that leaves the counts to a later fold when nothing is pending.
const busyBatch = 24

// digests are all of them.
type digests struct {
	recording sync.Mutex   // held while a batch is recorded, so that ids are stored in their order
	folding   sync.Mutex   // held while sums are written
	mu        sync.RWMutex // guards each
	each      [digestCount]*digest
	unsure    *batch // whose commit was not answered; guarded by recording
}

// init sets how far each may lag behind: what lists show little, what lies all over its tables more.
func (d *digests) init() {
	d.each = [digestCount]*digest{
		countDigest: {id: 1, most: 20_000, wait: time.Second, fresh: newCounts},
		indexDigest: {id: 2, most: 10_000, wait: time.Second, fresh: newIndex},
		nameDigest:  {id: 3, most: 8_000, wait: 5 * time.Second, fresh: newNames},
		userDigest:  {id: 4, most: 10_000, wait: 5 * time.Second, fresh: newUsers},
		tokenDigest: {id: tokenDigestID, most: 10_000, wait: 10 * time.Second, fresh: newTokens},
	}
	for _, part := range d.each {
		part.reset()
	}
}

func (d *digest) reset() { d.sum, d.n, d.since = d.fresh(), 0, time.Time{} }

// tooMuch is how many times over its due a digest may be before whoever records waits for it to be folded.
const tooMuch = 4

// due reports whether it is time to fold what is pending.
func (d *digest) due(now time.Time) bool {
	return d.n >= d.most || d.n > 0 && now.Sub(d.since) >= d.wait
}

// defers reports whether what a batch adds may wait.
func (d *digest) defers(b *batch) bool {
	switch {
	case b.limits != (sett.Limits{}):
		return false
	case d.id == tokenDigestID && b.s.dialect != sqliteDialect:
		return false
	default:
		return d.n > 0 || d.folding != nil || len(b.live) >= busyBatch
	}
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
	if err := refused.write(ctx, b.t); err != nil {
		return err
	}
	if len(b.live) == 0 {
		return nil
	}
	var now [digestCount]sum
	b.s.digests.mu.RLock()
	for i, d := range b.s.digests.each {
		if b.deferred[i] = d.defers(b); !b.deferred[i] {
			now[i] = d.fresh()
			b.addTo(now[i])
		}
	}
	b.s.digests.mu.RUnlock()
	if tokens := now[tokenDigest]; tokens != nil && b.s.dialect != sqliteDialect {
		now[tokenDigest] = nil
		if err := tokens.write(ctx, b.t); err != nil {
			return err
		}
	}
	return b.t.fold(ctx, b.node, now, b.last())
}

// addTo adds the stored notices of the batch to a sum.
func (b *batch) addTo(to sum) {
	for _, i := range b.live {
		r := b.in.Reports[i]
		to.add(noted{b.ids[i], owner{r.AccountID, r.ProjectID, r.Environment, b.faultOf(i).id}, r.Token, r.facts})
	}
}

// last is the greatest id that the batch gave out, 0 when it gave out none.
func (b *batch) last() sett.NoticeID {
	if len(b.ids) == 0 {
		return 0
	}
	return b.ids[len(b.ids)-1]
}

// overdue reports whether so much is pending that whoever records must wait for it to be folded.
func (d *digests) overdue() bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, part := range d.each {
		if part.n >= tooMuch*part.most {
			return true
		}
	}
	return false
}

// settle notes what a committed batch left to the digests.
func (d *digests) settle(b *batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, part := range d.each {
		part.upto = max(part.upto, b.last())
		if !b.deferred[i] || len(b.live) == 0 {
			continue
		}
		if part.n == 0 {
			part.since = b.now
		}
		b.addTo(part.sum)
		part.n += len(b.live)
	}
}
