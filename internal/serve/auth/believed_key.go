package auth

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"sett/internal/sett/accounts"
)

type keyHash [sha256.Size]byte

func hashOf(key string) keyHash { return sha256.Sum256([]byte(key)) }

// BelievedKey is what is known of an API key, for a process that starts while the database does not respond. It does not contain the key.
type BelievedKey struct {
	Hash    []byte
	Project accounts.KeyedProject
	Read    time.Time // in full hours, so that it rarely changes
}

// Believed returns what was known of valid keys within the last day, in the order of their hashes.
func (k *Keys) Believed() (all []BelievedKey) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	add := func(hash keyHash, known knownKey) {
		if known.err == nil && k.now().Sub(known.read) < staleUntil {
			all = append(all, BelievedKey{hash[:], known.project, known.read.UTC().Truncate(time.Hour)})
		}
	}
	for hash, known := range k.before {
		add(hash, known)
	}
	for key, known := range k.known {
		add(hashOf(key), known)
	}
	slices.SortFunc(all, func(a, b BelievedKey) int { return bytes.Compare(a.Hash, b.Hash) })
	return all
}

// Believe makes Keys take these keys for valid while the database does not respond, as if it had read them itself.
func (k *Keys) Believe(all []BelievedKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, b := range all {
		if len(b.Hash) == len(keyHash{}) && len(k.before) < mostKeys {
			k.before[keyHash(b.Hash)] = knownKey{project: b.Project, read: b.Read}
		}
	}
}
