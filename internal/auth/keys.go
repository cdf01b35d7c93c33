package auth

import (
	"context"
	"sync"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
)

// How long Keys believes what it knows and waits for what it does not, and how many keys it keeps.
const (
	keyTTL      = 5 * time.Second
	keyPatience = 10 * time.Second
	mostKeys    = 10_000
)

// Keys finds projects by their API keys. It remembers answers – also "no such key" – for a few seconds, so that a
// stream of notices costs no query each; a change to a project is seen by intake within that time.
type Keys struct {
	store *store.Store
	now   func() time.Time
	mu    sync.RWMutex
	known map[string]knownKey
}

type knownKey struct {
	project sett.KeyedProject
	err     error
	until   time.Time
}

// NewKeys returns a Keys that asks the given store.
func NewKeys(s *store.Store, now func() time.Time) *Keys {
	return &Keys{store: s, now: now, known: map[string]knownKey{}}
}

// Project returns the project that key belongs to. A missing or unknown key, and that of a deactivated project or
// account, is a Forbidden error.
func (k *Keys) Project(ctx context.Context, key string) (sett.KeyedProject, error) {
	if key == "" {
		return sett.KeyedProject{}, sett.Errorf(sett.Forbidden, "There is no API key. Send your project's key in the X-API-Key header.")
	}
	k.mu.RLock()
	known, ok := k.known[key]
	k.mu.RUnlock()
	if ok && k.now().Before(known.until) {
		return known.project, known.err
	}
	p, err := k.ask(ctx, key)
	if code := sett.CodeOf(err); err != nil && code != sett.Forbidden {
		return p, err // the database did not answer: nothing to remember
	}
	k.remember(key, knownKey{p, err, k.now().Add(keyTTL)})
	return p, err
}

func (k *Keys) ask(ctx context.Context, key string) (sett.KeyedProject, error) {
	ctx, cancel := context.WithTimeout(ctx, keyPatience)
	defer cancel()
	p, err := k.store.ProjectByKey(ctx, key)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return p, sett.Errorf(sett.Forbidden, "This API key is unknown. Copy your project's key from its settings page.")
	case err != nil:
		return p, err
	case !p.Active:
		return p, sett.Errorf(sett.Forbidden, "The project or account of this API key is deactivated. Use the key of an active project.")
	}
	return p, nil
}

func (k *Keys) remember(key string, v knownKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.known) >= mostKeys { // somebody tries keys: forget, and learn the real ones again
		clear(k.known)
	}
	k.known[key] = v
}

// Forget drops all that Keys remembers, so that a change made in this process counts at once.
func (k *Keys) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.known)
}
