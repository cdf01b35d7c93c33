package auth

import (
	"context"
	"strings"
	"sync"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
)

// How long Keys believes what it knows and waits for what it does not, and how many keys it keeps.
const (
	keyTTL      = 5 * time.Second
	keyPatience = 10 * time.Second
	mostKeys    = 10_000

	staleAfter = time.Second    // without a response about a key that was known before, what was known holds
	staleUntil = 24 * time.Hour // after it was read
)

// Keys finds projects by their API keys. It remembers answers – also "no such key" – for a few seconds, so that a
// stream of notices costs no query each; a change to a project is seen by intake within that time.
type Keys struct {
	accounts *accountdb.Store
	now      func() time.Time
	mu       sync.RWMutex
	known    map[string]knownKey
	before   map[keyHash]knownKey // of an earlier process; see Believe
	used     map[string]time.Time // keys that were used, and when that was last handed out by Used
	fresh    map[string]bool      // those that are to be handed out
}

type knownKey struct {
	project accounts.KeyedProject
	err     error
	read    time.Time
	until   time.Time // then it is read again
}

// NewKeys returns a Keys that asks the given store.
func NewKeys(accounts *accountdb.Store, now func() time.Time) *Keys {
	return &Keys{accounts: accounts, now: now, known: map[string]knownKey{}, before: map[keyHash]knownKey{}, used: map[string]time.Time{}, fresh: map[string]bool{}}
}

// Project returns the project that key belongs to. A missing or unknown key, and that of a deactivated project or
// account, is a Forbidden error. While the database does not respond, a key that was known within the last day still is, so that reports can
// be kept until it does.
func (k *Keys) Project(ctx context.Context, key string) (accounts.KeyedProject, error) {
	if key == "" {
		return accounts.KeyedProject{}, sett.Errorf(sett.Forbidden, "The API key is missing. Send the key of your project in the X-API-Key header.")
	}
	k.mu.RLock()
	known, ok := k.known[key]
	if !ok {
		known, ok = k.before[hashOf(key)]
	}
	k.mu.RUnlock()
	if ok && k.now().Before(known.until) {
		return known.project, known.err
	}
	patience := keyPatience
	stale := ok && known.err == nil && k.now().Sub(known.read) < staleUntil
	if stale {
		patience = staleAfter
	}
	p, err := k.ask(ctx, key, patience)
	if code := sett.CodeOf(err); err != nil && code != sett.Forbidden { // the database did not answer
		if !stale || ctx.Err() != nil {
			return p, err
		}
		known.until = k.now().Add(keyTTL)
		k.remember(key, known)
		return known.project, nil
	}
	k.remember(key, knownKey{p, err, k.now(), k.now().Add(keyTTL)})
	return p, err
}

func (k *Keys) ask(ctx context.Context, key string, patience time.Duration) (accounts.KeyedProject, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	p, err := k.accounts.ProjectByKey(ctx, key)
	switch {
	case sett.CodeOf(err) == sett.NotFound:
		return p, sett.Errorf(sett.Forbidden, "This API key is unknown. Copy the key from the settings of your project.")
	case err != nil:
		return p, err
	case !p.Active:
		return p, sett.Errorf(sett.Forbidden, "The project or account of this API key is deactivated. Use the key of an active project.")
	}
	return p, nil
}

// remember keeps a copy of the key, which may be a part of a body: that is much longer, and its memory may be used again.
func (k *Keys) remember(key string, v knownKey) {
	key = strings.Clone(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	if v.err == nil {
		k.use(key)
	}
	if len(k.known) >= mostKeys { // someone is guessing keys: clear, and load the real ones again
		clear(k.known)
	}
	k.known[key] = v
	delete(k.before, hashOf(key))
}

// use notes that a key is used, once in a while.
func (k *Keys) use(key string) {
	if now := k.now(); now.Sub(k.used[key]).Abs() >= accounts.KeyUseEvery {
		k.used[key], k.fresh[key] = now, true
	}
}

// Used returns the keys that were used since it was last asked, but each only once an hour.
func (k *Keys) Used() (keys []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for key := range k.fresh {
		keys = append(keys, key)
	}
	clear(k.fresh)
	if len(k.used) >= mostKeys {
		clear(k.used)
	}
	return keys
}

// Forget drops all that Keys remembers, so that a change made in this process counts at once.
func (k *Keys) Forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	clear(k.known)
	clear(k.before)
}
