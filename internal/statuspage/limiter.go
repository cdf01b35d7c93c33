package statuspage

import (
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limiter lets each key do something at a rate, and more of it at once when it has been quiet. It forgets keys that have
// been quiet for so long that they may do all again; when it still knows too many, it forgets any. The nil limiter lets
// everything through.
type limiter struct {
	rate, burst float64 // a second; at once
	seed        maphash.Seed
	shards      [shardCount]shard
}

const (
	shardCount = 64
	shardKeys  = 1024 // 65,536 in all, some 100 bytes each
)

type shard struct {
	mu    sync.Mutex
	keys  map[limitKey]bucket
	swept time.Time // when keys that may do all again were last looked for
}

// limitKey is who does something, and to what; a page's id, or "" for all pages.
type limitKey struct {
	address netip.Addr
	page    string
}

// bucket is how much of something is left, as of a time.
type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(rate, burst float64) *limiter {
	return &limiter{rate: rate, burst: burst, seed: maphash.MakeSeed()}
}

// allow reports whether a key may do it once more now, and counts it if so.
func (l *limiter) allow(key limitKey, now time.Time) bool {
	if l == nil {
		return true
	}
	s := &l.shards[maphash.Comparable(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	b, known := s.keys[key]
	switch {
	case !known:
		s.makeRoom(l, now)
		b.left = l.burst
	case now.After(b.at):
		b.left = min(l.burst, b.left+l.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
	allowed := b.left >= 1
	if allowed {
		b.left--
	}
	s.keys[key] = b
	return allowed
}

// makeRoom forgets keys when there are too many.
func (s *shard) makeRoom(l *limiter, now time.Time) {
	if s.keys == nil {
		s.keys = map[limitKey]bucket{}
	}
	if len(s.keys) < shardKeys {
		return
	}
	if now.Sub(s.swept) >= time.Second { // not for each of very many new keys
		s.swept = now
		maps.DeleteFunc(s.keys, func(_ limitKey, b bucket) bool { return b.left+l.rate*now.Sub(b.at).Seconds() >= l.burst })
	}
	for key := range s.keys {
		if len(s.keys) < shardKeys {
			return
		}
		delete(s.keys, key)
	}
}

// networkBits is how much of an IPv6 address is that of a network: whoever has one has all of them.
const networkBits = 64

// client returns who asks, as limits count it.
func (p *Pages) client(r *http.Request) limitKey {
	a := p.Proxies.ClientAddress(r)
	if a.Is6() {
		if network, err := a.Prefix(networkBits); err == nil {
			a = network.Addr()
		}
	}
	return limitKey{address: a}
}
