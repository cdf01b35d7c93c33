package intakedb

import (
	"sync"

	"sett/internal/sett/faults"
	"sett/internal/store/db"
)

// knownFaults caches the faults that recently had notices, as they are in the database, so that a batch need not read them. Only SQLite
// uses it, where no other process writes. A transaction that may change faults empties the cache before it commits, while it still has
// the only write connection; one that records notices adds to the cache at the same point. A failed transaction empties it.
type knownFaults struct {
	mu sync.Mutex
	m  map[faultKey]knownFault
}

type knownFault struct {
	id    int64
	part  int64 // as batchFault
	state faults.FaultState
	tags  []string // never changed in place

	revision  string // the last in which its key occurred, as far as revisedAt
	revisedAt int64  // µs
}

// mostknownFaults is the size of the cache; when it is exceeded, the cache is emptied.
const mostknownFaults = 50_000

func (k *knownFaults) find(key faultKey) (knownFault, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f, ok := k.m[key]
	return f, ok
}

func (k *knownFaults) add(b *batch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.m == nil || len(k.m) > mostknownFaults {
		k.m = map[faultKey]knownFault{}
	}
	for key, f := range b.faults {
		if f.id != 0 {
			state := f.state
			if f.reopened {
				state, _ = state.Occur()
			}
			now := b.found[key]
			k.m[key] = knownFault{f.id, b.partOfKey(key, f), state, f.tags, now.revision, now.revisedAt}
		}
	}
}

func (k *knownFaults) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.m = nil
}

// before empties the cache when a transaction that is about to commit may have changed faults.
func (k *knownFaults) before(t *db.Tx) {
	if !t.KeepsCaches {
		k.forget()
	}
}
