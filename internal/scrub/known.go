package scrub

import (
	"hash/maphash"
	"sync/atomic"
)

// known remembers the hashes of backtraces in which nothing is replaced: most backtraces come again and again. Each has one place, so that they
// are bounded. It is safe for concurrent use.
type known struct{ traces [2048]atomic.Uint64 }

// knownSeed is for hashes, so that clients cannot make two that are the same.
var knownSeed = maphash.MakeSeed()

// hashOf returns the hash of a backtrace.
func hashOf(trace string) uint64 { return maphash.String(knownSeed, trace) | 1 } // 0 is an empty place

func (k *known) trace(hash uint64) *atomic.Uint64 { return &k.traces[hash/2%uint64(len(k.traces))] }
