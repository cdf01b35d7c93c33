// Package column stores the facets of many notices by key, so that a search reads only the keys that it names. From the facets of the rows
// of a block (see Report) it makes filters, which say what a block certainly does not contain, and parts, which hold the values of some of
// its keys and the rows that have them. It evaluates the terms of a search over both, and over the facets of a single notice. It knows no
// database, and no notice but its row.
package column

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// A block has so many filters and parts. The keys that people search for most share the first ones; all others are spread by their hash.
const (
	Filters = 32
	Parts   = 8

	ownFilters = 4 // of the keys that are searched for most, which are all in part 0
)

// MostRows is how many rows a block may have.
const MostRows = 1 << 12

// errDamaged says that a stored filter or part is not what was written.
var errDamaged = errors.New("a stored block is damaged")

// filterOf returns the number of the filter of a key.
func filterOf(key string) int {
	h := xxhash.Sum64String(key) >> 32
	if isFrequent(key) {
		return int(h % ownFilters)
	}
	return ownFilters + int(h%(Filters-ownFilters))
}

// partOf returns the number of the part that holds a key.
func partOf(key string) int {
	if isFrequent(key) {
		return 0
	}
	return 1 + (filterOf(key)-ownFilters)*(Parts-1)/(Filters-ownFilters)
}

// ByPart groups keys by the number of the part that holds them.
func ByPart(keys []string) map[int][]string {
	parts := map[int][]string{}
	for _, key := range keys {
		parts[partOf(key)] = append(parts[partOf(key)], key)
	}
	return parts
}

// isFrequent reports whether a key is one of those that people search for most.
func isFrequent(key string) bool {
	switch key {
	case "hostname", "revision", "file", "user", "request.url", "request.host", "request.method", "request.user_agent", "level", "browser", "os", "device":
		return true
	}
	return strings.HasPrefix(key, "context.user")
}

// Set is a set of rows, as bits.
type Set []uint64

// NewSet returns an empty set for so many rows.
func NewSet(rows int) Set { return make(Set, (rows+63)/64) }

// All returns the set of all of so many rows.
func All(rows int) Set {
	s := NewSet(rows)
	for i := range rows {
		s.Add(i)
	}
	return s
}

// Add adds a row.
func (s Set) Add(row int) { s[row/64] |= 1 << (row % 64) }

// Remove removes a row.
func (s Set) Remove(row int) { s[row/64] &^= 1 << (row % 64) }

// Has reports whether a row is in the set.
func (s Set) Has(row int) bool { return row/64 < len(s) && s[row/64]>>(row%64)&1 == 1 }

// And removes the rows that another set does not have.
func (s Set) And(other Set) {
	for i := range s {
		s[i] &= other[i]
	}
}

// Without removes the rows that another set has; that may be shorter.
func (s Set) Without(other Set) {
	for i := range min(len(s), len(other)) {
		s[i] &^= other[i]
	}
}

// Or adds the rows of another set.
func (s Set) Or(other Set) {
	for i := range s {
		s[i] |= other[i]
	}
}

// Len returns the number of rows in the set.
func (s Set) Len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// CountIn returns how many rows of the set are in the range [from, to).
func (s Set) CountIn(from, to int) (n int) {
	for i := from / 64; i*64 < to; i++ {
		word := s[i]
		if i*64 < from {
			word &= ^uint64(0) << (from % 64)
		}
		if left := to - i*64; left < 64 {
			word &= 1<<left - 1
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// Bounds returns the first and the last row of the set in the range [from, to), in which it has one.
func (s Set) Bounds(from, to int) (first, last int) {
	for first = from; !s.Has(first); first++ {
	}
	for last = to - 1; !s.Has(last); last-- {
	}
	return first, last
}

// not returns the other ones of so many rows.
func (s Set) not(rows int) Set {
	other := All(rows)
	other.Without(s)
	return other
}

// Bytes returns a set as it is stored.
func (s Set) Bytes() (b []byte) {
	for _, word := range s {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// ReadSet returns a stored set; nothing is the empty set.
func ReadSet(b []byte, rows int) (Set, error) {
	s := NewSet(rows)
	switch len(b) {
	case 0:
		return s, nil
	case 8 * len(s):
	default:
		return nil, errDamaged
	}
	for i := range s {
		s[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	s.And(All(rows))
	return s, nil
}

// lines calls yield with the key, the value and the whole of each facet of a notice.
func lines(facets string, yield func(key, value, line string)) {
	for line := range strings.SplitSeq(facets, "\n") {
		if key, value, ok := strings.Cut(line, "="); ok {
			yield(key, value, line)
		}
	}
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
