package scrub

import (
	"hash/maphash"
	"sync/atomic"

	"sett/internal/sett/scan"
)

// known remembers backtraces in which nothing is replaced: most come again and again, and then they need not even be walked. It has four places
// for those that begin alike, so that it is bounded. It is safe for concurrent use.
type known struct {
	traces [512][4]atomic.Pointer[knownTrace]
	next   atomic.Uint32 // counts those that were added
}

// knownTrace is a backtrace. The same bytes at the same depth end at the same place, and have as many keys.
type knownTrace struct {
	hash               uint64
	bytes, keys, depth int
}

// beginning is how many bytes say where a backtrace is remembered. Shorter ones are not.
const beginning = 256

// knownSeed is for hashes, so that clients cannot make two that are the same.
var knownSeed = maphash.MakeSeed()

// skip moves behind the backtrace that comes next if it is known, and reports whether it is.
func (k *known) skip(s *scan.Scanner) bool {
	rest := s.Rest()
	if len(rest) < beginning {
		return false
	}
	places := k.places(rest)
	for i := range places {
		t := places[i].Load()
		if t != nil && t.bytes <= len(rest) && rest[t.bytes-1] == ']' && t.depth == s.Depth() && t.hash == maphash.String(knownSeed, rest[:t.bytes]) {
			return s.Skip(t.bytes, t.keys)
		}
	}
	return false
}

// add remembers the backtrace that was walked from one scanner to another.
func (k *known) add(from, to *scan.Scanner) {
	trace := from.Rest()[:to.Pos()-from.Pos()]
	if len(trace) < beginning {
		return
	}
	places := k.places(trace)
	t := &knownTrace{maphash.String(knownSeed, trace), len(trace), to.Keys() - from.Keys(), from.Depth()}
	places[k.next.Add(1)%uint32(len(places))].Store(t)
}

func (k *known) places(trace string) *[4]atomic.Pointer[knownTrace] {
	return &k.traces[maphash.String(knownSeed, trace[:beginning])%uint64(len(k.traces))]
}
