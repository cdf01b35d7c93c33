package sett

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math/big"
	"slices"
	"sync"
	"time"
)

// UUID is a 128-bit id as of RFC 9562. The zero value means "none".
type UUID [16]byte

// String returns the canonical lower-case form with dashes.
func (u UUID) String() string {
	var b [36]byte
	hex.Encode(b[0:8], u[0:4])
	hex.Encode(b[9:13], u[4:6])
	hex.Encode(b[14:18], u[6:8])
	hex.Encode(b[19:23], u[8:10])
	hex.Encode(b[24:36], u[10:16])
	b[8], b[13], b[18], b[23] = '-', '-', '-', '-'
	return string(b[:])
}

// IsZero reports whether u is the zero value, that is, no id.
func (u UUID) IsZero() bool { return u == UUID{} }

// ParseUUID reads the 36-character form in either case.
func ParseUUID(s string) (UUID, error) {
	var u UUID
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return UUID{}, errors.New("not a UUID of the form 8-4-4-4-12")
	}
	plain := s[0:8] + s[9:13] + s[14:18] + s[19:23] + s[24:36]
	if _, err := hex.Decode(u[:], []byte(plain)); err != nil {
		return UUID{}, errors.New("not a UUID: a character is not a hexadecimal digit")
	}
	return u, nil
}

// CanonicalUUIDs returns ids as they are written here; what is no id stays as it is.
func CanonicalUUIDs(ids []string) []string {
	written := slices.Clone(ids)
	for i, text := range written {
		if id, err := ParseUUID(text); err == nil {
			written[i] = id.String()
		}
	}
	return written
}

// A notice's key in the store is a NoticeID: the microsecond in which the server accepted it, shifted left by
// noticeNodeBits, plus the number of the node that did. It grows with time, so one index on (fault, id) lists notices
// by creation, and a range of times is a range of ids.
type NoticeID int64

const noticeNodeBits = 11

// MaxNodes is how many nodes can give out notice ids side by side.
const MaxNodes = 1 << noticeNodeBits

// ImportNode is the number in the ids of notices that came from another error tracker. No process has it, and no one
// counts these notices: the counts of their faults came with them.
const ImportNode = MaxNodes / 2

// FileNode stands, in the tables, for all processes that ever recorded into an SQLite file: there is only one at a time. The number in their ids is 0.
const FileNode = -1

// NoticeIDAt returns the smallest id of the microsecond of t; ids of notices accepted at or after t are not smaller.
func NoticeIDAt(t time.Time) NoticeID { return NoticeID(t.UnixMicro() << noticeNodeBits) }

// Time returns when the notice was accepted, in UTC, to the microsecond.
func (id NoticeID) Time() time.Time { return time.UnixMicro(int64(id) >> noticeNodeBits).UTC() }

// UUID returns the public id of a notice whose client sent none: a version 7 UUID (RFC 9562 §5.7, microseconds in
// rand_a as of method 3) that carries the id, so that no index is needed to find the notice again.
func (id NoticeID) UUID() UUID {
	micros := int64(id) >> noticeNodeBits
	node := uint64(id) & (MaxNodes - 1)
	var u UUID
	binary.BigEndian.PutUint64(u[0:8], uint64(micros/1000)<<16|7<<12|uint64(micros%1000))
	binary.BigEndian.PutUint64(u[8:16], 2<<62|node<<51|mix(uint64(id))&(1<<51-1))
	return u
}

// NoticeIDFromUUID returns the id that u carries; ok is false when u was not made by NoticeID.UUID.
func NoticeIDFromUUID(u UUID) (id NoticeID, ok bool) {
	hi, lo := binary.BigEndian.Uint64(u[0:8]), binary.BigEndian.Uint64(u[8:16])
	micros := int64(hi>>16)*1000 + int64(hi&0xfff)
	id = NoticeID(micros<<noticeNodeBits | int64(lo>>51&(MaxNodes-1)))
	return id, id.UUID() == u
}

// mix spreads the bits of x (the finalizer of splitmix64, Steele et al. 2014).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// NoticeIDs gives out ids that strictly increase within one process. The zero value is ready for use, concurrent use
// too.
type NoticeIDs struct {
	mu   sync.Mutex
	last int64
}

// Skip makes every id to come greater than id, which some earlier run gave out: the clock may have been set back since.
func (s *NoticeIDs) Skip(id NoticeID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, int64(id)>>noticeNodeBits)
}

// Next returns an id for a notice that the node with the given number (0 ≤ node < MaxNodes) accepted at now, or in the
// next microsecond that is still free.
func (s *NoticeIDs) Next(now time.Time, node int64) NoticeID {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last+1, now.UnixMicro())
	return NoticeID(s.last<<noticeNodeBits | node%MaxNodes)
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// RandomString returns n characters of 0-9A-Za-z from the system's random source (5.95 bits each).
func RandomString(n int) string { return RandomStringFrom(rand.Reader, n) }

// RandomStringFrom returns n characters of 0-9A-Za-z from a random source.
func RandomStringFrom(source io.Reader, n int) string {
	b := make([]byte, n)
	for i := range b {
		k, err := rand.Int(source, big.NewInt(int64(len(alphabet))))
		if err != nil {
			panic(err) // the system has no randomness: nothing safe can be done
		}
		b[i] = alphabet[k.Int64()]
	}
	return string(b)
}

// The lengths of random ids. Account ids are names, project keys and tokens are secrets.
const (
	accountIDLength  = 8
	projectKeyLength = 32
	TokenLength      = 43 // 256 bits
)

// NewAccountID draws a new account id, such as "Me3upk0Z".
func NewAccountID(source io.Reader) string { return RandomStringFrom(source, accountIDLength) }

// NewProjectKey draws a new project API key: "sett_p_" and 32 characters.
func NewProjectKey(source io.Reader) string {
	return "sett_p_" + RandomStringFrom(source, projectKeyLength)
}

// NewUserToken returns a new personal token: "sett_u_" and 43 characters (256 bits). Only its hash is ever stored.
func NewUserToken() string { return "sett_u_" + RandomString(TokenLength) }

// NewUUID draws a new random id: version 4 of RFC 9562.
func NewUUID(source io.Reader) UUID {
	var u UUID
	if _, err := io.ReadFull(source, u[:]); err != nil {
		panic(err) // the system has no randomness: nothing safe can be done
	}
	u[6], u[8] = u[6]&0x0f|0x40, u[8]&0x3f|0x80
	return u
}

// NewWebSecret returns the secret of a session, a half sign-in or a password link: 43 characters, 256 bits. Only its
// hash is ever stored.
func NewWebSecret() string { return RandomString(TokenLength) }
