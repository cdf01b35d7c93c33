package scrub

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// known remembers what the usual rules say of keys and backtraces, of which most occur again and again. Each has one place, so that it is bounded.
// It is safe for concurrent use.
type known struct {
	keys   [4096]atomic.Pointer[knownKey]
	traces [2048]atomic.Uint64 // hashes of backtraces in which nothing is replaced
}

// knownKey is a key with what it says about its value.
type knownKey struct {
	key   string
	level secrecy
}

// longestKnown is how many bytes a key has at most that is remembered.
const longestKnown = 64

// knownSeed is for hashes, so that clients cannot make two that are the same.
var knownSeed = maphash.MakeSeed()

// of returns what decide says about a key.
func (k *known) of(key string, decide func(key string) secrecy) secrecy {
	if k == nil || len(key) > longestKnown {
		return decide(key)
	}
	place := &k.keys[maphash.String(knownSeed, key)%uint64(len(k.keys))]
	if found := place.Load(); found != nil && found.key == key {
		return found.level
	}
	level := decide(key)
	place.Store(&knownKey{strings.Clone(key), level}) // the document changes later
	return level
}

// hashOf returns the hash of a backtrace.
func hashOf(trace string) uint64 { return maphash.String(knownSeed, trace) | 1 } // 0 is an empty place

func (k *known) trace(hash uint64) *atomic.Uint64 { return &k.traces[hash/2%uint64(len(k.traces))] }
