package ingest

import (
	"sync"
	"time"

	"sett/internal/store/block"
)

// All items of a batch share the cost of its commit, so a batch waits briefly for clients that are about to send: after a
// response, a client takes a moment to send the next notice.
const (
	minBatchToWait = 8                      // notices in a batch
	enough         = 60                     // with which it waits no longer: others are to be read while it is written
	restless       = 500 * time.Microsecond // without another notice
)

// gather makes batches of what is queued, packed, until the queue is closed and empty. While a batch is written it takes
// what comes for the next.
func (b *Buffer) gather() {
	defer close(b.batches)
	pause := time.NewTimer(restless)
	defer pause.Stop()
	for first := range b.queue {
		batch := &batch{packers: b.packers, next: map[int64]*gathered{}}
		batch.add(first)
		b.gatherUntilReady(batch)
		for len(batch.all) < mostInBatch {
			w := b.nextFor(batch, pause)
			if w == nil {
				break
			}
			batch.add(w)
		}
		b.batches <- batch.packed()
	}
}

// gatherUntilReady adds what comes until the writer is ready.
func (b *Buffer) gatherUntilReady(batch *batch) {
	for len(batch.all) < mostInBatch {
		select {
		case w, ok := <-b.queue:
			if !ok {
				<-b.ready
				return
			}
			batch.add(w)
		case <-b.ready:
			return
		}
	}
	<-b.ready
}

// nextFor returns what else is to come into a batch that the writer is ready for; nil when nothing is.
func (b *Buffer) nextFor(batch *batch, pause *time.Timer) *waiting {
	if w, ok := b.next(); ok {
		return w
	}
	if n := len(batch.all); n < minBatchToWait || n >= enough {
		return nil
	}
	pause.Reset(restless)
	select {
	case w := <-b.queue:
		return w
	case <-pause.C:
		return nil
	}
}

// batch is what is stored together, in the order in which it came.
type batch struct {
	all     []*waiting
	packers *packers
	next    map[int64]*gathered // by project
	packing sync.WaitGroup
}

// gathered are reports of a project that are not handed to the packers yet.
type gathered struct {
	reports []*waiting
	bytes   int64 // of their bodies
}

func (b *batch) add(w *waiting) {
	b.all = append(b.all, w)
	if w.report == nil {
		return
	}
	next := b.next[w.report.ProjectID]
	if next == nil {
		next = &gathered{}
		b.next[w.report.ProjectID] = next
	}
	if next.bytes+w.size() > block.MostBytesInBundle {
		b.hand(next)
	}
	next.reports = append(next.reports, w)
	next.bytes += w.size()
	if len(next.reports) == block.MostInBundle {
		b.hand(next)
	}
}

// hand gives the packers what there is for a bundle.
func (b *batch) hand(g *gathered) {
	if len(g.reports) == 0 {
		return
	}
	b.packing.Add(1)
	b.packers.bundles <- bundle{g.reports, &b.packing}
	*g = gathered{}
}

// packed returns all of the batch once it is packed.
func (b *batch) packed() []*waiting {
	for _, g := range b.next {
		b.hand(g)
	}
	b.packing.Wait()
	return b.all
}
