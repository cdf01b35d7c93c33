package block

import (
	"context"
	"database/sql"
	"hash/maphash"
	"sync"

	"sett/internal/store/db"
)

// keptHits remembers what searches found in blocks, so that the next page of a list, or the same page again, does not open them once more.
// Nothing in a block changes but the set of its deleted rows, which is a part of the key. It is safe for concurrent use.
type keptHits struct {
	seed maphash.Seed

	mu         sync.Mutex
	young, old map[hitsKey][]keptHit
	bytes      int // of young
}

// hitsKey identifies a search of a block.
type hitsKey struct {
	block, rows int64
	gone, terms uint64 // hashes
}

// keptHit is a hit without ids.
type keptHit struct{ fault, n, first, last int64 }

// Sizes in memory, roughly. What is in use may take twice mostKept.
const (
	mostKept     = 8 << 20
	bytesOfKey   = 96
	bytesOfHit   = 32
	keysAtOnce   = 500
	timesAreKept = 1 // in the hash of terms: first and last are known
)

func newKeptHits() *keptHits {
	return &keptHits{seed: maphash.MakeSeed(), young: map[hitsKey][]keptHit{}}
}

// find returns what was found, and whether that is known.
func (k *keptHits) find(key hitsKey) (hits []keptHit, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if hits, known = k.young[key]; known {
		return hits, true
	}
	if hits, known = k.old[key]; known {
		k.put(key, hits)
	}
	return hits, known
}

func (k *keptHits) keep(key hitsKey, hits []hit) {
	kept := make([]keptHit, len(hits))
	for i, h := range hits {
		kept[i] = keptHit{h.fault, int64(h.n), h.first, h.last}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.put(key, kept)
}

// put keeps hits. Once those that were used of late take mostKept, all others are dropped.
func (k *keptHits) put(key hitsKey, hits []keptHit) {
	if k.bytes > mostKept {
		k.young, k.old, k.bytes = map[hitsKey][]keptHit{}, k.young, 0
	}
	k.young[key] = hits
	k.bytes += bytesOfKey + len(hits)*bytesOfHit
}

// termsHash identifies what the search asks of a block.
func (f *finder) termsHash() uint64 {
	var h maphash.Hash
	h.SetSeed(f.s.kept.seed)
	if f.Times {
		_ = h.WriteByte(timesAreKept) // it never fails
	}
	for i := range f.Terms {
		_, _ = h.Write(f.Terms[i].Append(nil)) // it never fails
	}
	return h.Sum64()
}

const stateOfBlocks = `-- block.stateOfBlocks
SELECT id, count, gone FROM blocks WHERE id IN `

// addKept adds what is known of some blocks to what is found, and returns the other blocks, with the keys under which to keep what they have.
func (f *finder) addKept(ctx context.Context, all []*candidate) ([]*candidate, error) {
	if f.Keep > 0 || len(all) == 0 {
		return all, nil // the ids of notices are not kept
	}
	terms := f.termsHash()
	byID := map[int64]*candidate{}
	var ids []int64
	for _, c := range all {
		if byID[c.id] = c; f.wants(c) {
			ids = append(ids, c.id)
		}
	}
	for len(ids) > 0 {
		n := min(len(ids), keysAtOnce)
		list, args := db.In(f.s.db, 1, ids[:n])
		ids = ids[n:]
		rows, err := f.q.QueryContext(ctx, f.s.db.Text(stateOfBlocks+list), args...)
		err = db.ScanAll(rows, err, func(rows *sql.Rows) error {
			key := hitsKey{terms: terms}
			var gone sql.RawBytes
			if err := rows.Scan(&key.block, &key.rows, &gone); err != nil {
				return err
			}
			key.gone = maphash.Bytes(f.s.kept.seed, gone)
			byID[key.block].key = key
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	for _, c := range all {
		hits, known := f.s.kept.find(c.key)
		if !known {
			continue
		}
		for _, h := range hits {
			if err := f.add(hit{h.fault, int(h.n), h.first, h.last, nil, nil}); err != nil {
				return nil, err
			}
		}
		c.searched = true
	}
	return unsearched(all), nil
}

// keepHits keeps what was found in a block.
func (f *finder) keepHits(c *candidate, hits []hit) {
	if c.key != (hitsKey{}) {
		f.s.kept.keep(c.key, hits)
	}
}
