package intake

import (
	"sync"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// knownFaults are the faults that lately had notices, as the database has them, so that a batch need not look for them.
// Only SQLite uses it, where nobody else writes: a transaction that may change faults empties it before it commits, while
// it still has the only connection that writes, and one that records notices adds to it at the same point. One that fails
// empties it.
type knownFaults struct {
	mu sync.Mutex
	m  map[faultKey]knownFault
}

type knownFault struct {
	id    int64
	part  int64 // as batchFault
	state sett.FaultState
	tags  []string // never changed in place
}

// mostknownFaults is how many are kept; then all are forgotten.
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
			if f.count > 0 {
				state, _ = state.Occur()
			}
			k.m[key] = knownFault{f.id, b.partOfKey(key, f), state, f.tags}
		}
	}
}

func (k *knownFaults) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.m = nil
}

// Before forgets what a transaction that is about to commit may have changed.
func (k *knownFaults) before(t *db.Tx) {
	if !t.KeepsCaches {
		k.forget()
	}
}
