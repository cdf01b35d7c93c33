package statuspage

import (
	"hash/maphash"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// limiter is a rate limiter with a token bucket for each key. It forgets keys whose bucket is full again and, if there are
// still too many, any others. The nil limiter allows everything.
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
	swept time.Time // when keys with full buckets were last removed
}

// limitKey is the client, and the ID of a page or "" for all pages.
type limitKey struct {
	address netip.Addr
	page    string
}

// bucket is the remaining tokens at a time.
type bucket struct {
	left float64
	at   time.Time
}

func newLimiter(rate, burst float64) *limiter {
	return &limiter{rate: rate, burst: burst, seed: maphash.MakeSeed()}
}

// allow reports whether a key has a token left, and takes it.
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

// makeRoom removes keys if there are too many.
func (s *shard) makeRoom(l *limiter, now time.Time) {
	if s.keys == nil {
		s.keys = map[limitKey]bucket{}
	}
	if len(s.keys) < shardKeys {
		return
	}
	if now.Sub(s.swept) >= time.Second { // not for every new key
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

// networkBits is the length of the network part of an IPv6 address: a client can use all addresses of its network.
const networkBits = 64

// client returns the limit key of a request's client.
func (p *Pages) client(r *http.Request) limitKey {
	a := p.Proxies.ClientAddress(r)
	if a.Is6() {
		if network, err := a.Prefix(networkBits); err == nil {
			a = network.Addr()
		}
	}
	return limitKey{address: a}
}
