package auth

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"sett/internal/sett"
)

type keyHash [sha256.Size]byte

func hashOf(key string) keyHash { return sha256.Sum256([]byte(key)) }

// BelievedKey is what is known of an API key, for a process that starts while the database does not respond. It does not contain the key.
type BelievedKey struct {
	Hash    []byte
	Project sett.KeyedProject
	Read    time.Time // in full hours, so that it rarely changes
}

// Believed returns what is known of keys that are valid, in the order of their hashes.
func (k *Keys) Believed() (all []BelievedKey) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for hash, known := range k.before {
		all = append(all, BelievedKey{hash[:], known.project, known.read})
	}
	for key, known := range k.known {
		if hash := hashOf(key); known.err == nil {
			all = append(all, BelievedKey{hash[:], known.project, known.read.UTC().Truncate(time.Hour)})
		}
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
