package faultdb

import (
	"crypto/sha256"
	"hash/maphash"
)

// knownHashes caches the hashes of recent backtraces, found by a much cheaper hash: most notices have a backtrace that came before. The
// seed of the cheap hash is secret and new in each process, so an attacker cannot construct collisions. It is for one goroutine at a
// time; the zero value is ready.
type knownHashes struct {
	seed  maphash.Seed
	known map[uint64][16]byte
}

// mostHashes is the size of the cache; when it is reached, the cache is emptied.
const mostHashes = 16 << 10

// of returns the first 16 bytes of the SHA-256 of a backtrace.
func (h *knownHashes) of(backtrace []byte) [16]byte {
	if len(h.known) == 0 {
		h.seed, h.known = maphash.MakeSeed(), map[uint64][16]byte{}
	}
	cheap := maphash.Bytes(h.seed, backtrace)
	hash, ok := h.known[cheap]
	if ok {
		return hash
	}
	sum := sha256.Sum256(backtrace)
	copy(hash[:], sum[:])
	if len(h.known) >= mostHashes {
		clear(h.known)
	}
	h.known[cheap] = hash
	return hash
}
