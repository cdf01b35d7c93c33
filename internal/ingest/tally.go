package ingest

import "sync"

// tally counts by key, in memory, until the counts are saved. The zero value is ready. It is safe for concurrent use.
type tally[K comparable] struct {
	mu     sync.Mutex
	counts map[K]int64
}

// add adds to the count of a key.
func (t *tally[K]) add(key K, n int64) {
	if n == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[K]int64{}
	}
	t.counts[key] += n
}

// save calls store with all counts since it was last called, if there are any. What store fails to keep is counted with the next call.
func (t *tally[K]) save(store func(map[K]int64) error) error {
	t.mu.Lock()
	taken := t.counts
	t.counts = nil
	t.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	err := store(taken)
	if err != nil {
		for key, n := range taken {
			t.add(key, n)
		}
	}
	return err
}
