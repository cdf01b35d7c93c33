package web

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Kept caches what takes long to read from the database, so that no page waits for all of it. Until it was read once, a page gets a part of it.
// Meanwhile the whole is read in the background, and kept. When that is no longer fresh, a page gets it once more while it is read again.
type Kept[K comparable, V any] struct {
	Log *slog.Logger

	mu      sync.Mutex
	of      map[K]keptValue[V]
	reading map[K]bool
	all     sync.WaitGroup
}

// Parts are how something is read that may take long.
type Parts[V any] struct {
	Some func(context.Context) (v V, whole bool, err error) // a part, in a time that has a bound
	All  func(context.Context) (V, error)
}

type keptValue[V any] struct {
	value V
	at    time.Time
}

const (
	keptFresh    = 30 * time.Second
	keptFor      = time.Minute // what is older is no longer shown
	mostKept     = 100
	mostReading  = 2 // at once
	longestReads = 20 * time.Second
)

// Read returns what is kept under a key, or some of what there is. What is read as a whole at once is not kept, so that it is exact.
func (k *Kept[K, V]) Read(ctx context.Context, now time.Time, key K, parts Parts[V]) (V, error) {
	k.mu.Lock()
	kept, ok := k.of[key]
	k.mu.Unlock()
	if age := now.Sub(kept.at); ok && age >= 0 && age < keptFor {
		if age >= keptFresh {
			k.readAll(ctx, now, key, parts)
		}
		return kept.value, nil
	}
	v, whole, err := parts.Some(ctx)
	if err == nil && !whole {
		k.readAll(ctx, now, key, parts)
	}
	return v, err
}

// ReadWhole returns what is kept under a key while it is fresh, or reads and keeps it. The key must change whenever the value does, except with
// time.
func (k *Kept[K, V]) ReadWhole(ctx context.Context, now time.Time, key K, read func(context.Context) (V, error)) (V, error) {
	k.mu.Lock()
	kept, ok := k.of[key]
	k.mu.Unlock()
	if age := now.Sub(kept.at); ok && age >= 0 && age < keptFresh {
		return kept.value, nil
	}
	v, err := read(ctx)
	if err == nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.put(key, keptValue[V]{v, now})
	}
	return v, err
}

// readAll reads the whole in the background, unless that is being done already or too much is.
func (k *Kept[K, V]) readAll(ctx context.Context, now time.Time, key K, parts Parts[V]) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading[key] || len(k.reading) >= mostReading {
		return
	}
	if k.reading == nil {
		k.reading = map[K]bool{}
	}
	k.reading[key] = true
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestReads) // the page does not wait for it
	k.all.Go(func() {
		defer cancel()
		v, err := parts.All(ctx)
		k.keep(now, key, v, err)
	})
}

// keep ends a reading. A failure leaves what is kept.
func (k *Kept[K, V]) keep(now time.Time, key K, v V, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.reading, key)
	if err != nil {
		k.Log.Warn("figures could not be refreshed, so pages show older ones", "error", err, "hint", "if it repeats, run: sett doctor")
		return
	}
	k.put(key, keptValue[V]{v, now})
}

// put keeps a value in place of any other, if there are too many.
func (k *Kept[K, V]) put(key K, v keptValue[V]) {
	if k.of == nil {
		k.of = map[K]keptValue[V]{}
	}
	for other := range k.of {
		if len(k.of) < mostKept {
			break
		}
		delete(k.of, other)
	}
	k.of[key] = v
}

// Wait returns when nothing is read in the background.
func (k *Kept[K, V]) Wait() { k.all.Wait() }
