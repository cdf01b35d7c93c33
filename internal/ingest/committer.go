package ingest

import (
	"context"
	"time"

	"sett/internal/sett"
)

// commit stores items in one durable transaction, in their order, and returns a result for each.
type commit[T, R any] func(context.Context, []T) ([]R, error)

// committer lets all waiting callers share the cost of a commit: items that arrive during one commit go with the next, so
// the size of a batch follows the load. It answers only after an item is durable, and refuses at once when it is full.
type committer[T, R any] struct {
	line[*pending[T, R]]
	commit commit[T, R]
	pause  time.Duration // for which more items are collected after the first one
	ended  chan struct{}
}

// pending is an item, and the caller that waits for its result.
type pending[T, R any] struct {
	item   T
	result R
	err    error
	done   chan struct{}
}

// newCommitter returns a running committer; close ends it.
func newCommitter[T, R any](c commit[T, R]) *committer[T, R] { return newPausingCommitter(0, c) }

// newPausingCommitter is newCommitter with a pause before each commit, in which more items are collected.
func newPausingCommitter[T, R any](pause time.Duration, c commit[T, R]) *committer[T, R] {
	k := &committer[T, R]{line: newLine[*pending[T, R]](), commit: c, pause: pause, ended: make(chan struct{})}
	go k.run()
	return k
}

// close takes nothing more, commits what is queued and returns when that is done.
func (k *committer[T, R]) close() {
	k.line.close()
	<-k.ended
}

// do commits an item and returns its result. The error is Unavailable if there is no room for it, or if the store does not
// respond in time; a client that disconnects meanwhile changes nothing.
func (k *committer[T, R]) do(item T) (result R, err error) {
	p := &pending[T, R]{item: item, done: make(chan struct{})}
	if !k.join(p) {
		return result, errOverloaded()
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-p.done:
		return p.result, p.err
	case <-limit.C:
		return result, errSilent()
	}
}

// run commits batch after batch until the queue is closed and empty.
func (k *committer[T, R]) run() {
	defer close(k.ended)
	for first := range k.queue {
		batch := []*pending[T, R]{first}
		if k.pause > 0 {
			time.Sleep(k.pause)
		}
		for len(batch) < mostInBatch {
			p, ok := k.next()
			if !ok {
				break
			}
			batch = append(batch, p)
		}
		k.store(batch)
	}
}

// store commits a batch. If that fails for a reason that waiting would not fix, the batch is halved and tried again, so that
// one item that cannot be stored does not affect the others.
func (k *committer[T, R]) store(batch []*pending[T, R]) {
	items := make([]T, len(batch))
	for i, p := range batch {
		items[i] = p.item
	}
	results, err := k.commit(context.Background(), items)
	if err != nil && len(batch) > 1 && sett.CodeOf(err) == "" {
		k.store(batch[:len(batch)/2])
		k.store(batch[len(batch)/2:])
		return
	}
	for i, p := range batch {
		if p.err = err; err == nil {
			p.result = results[i]
		}
		close(p.done)
	}
}
