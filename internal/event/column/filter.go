package column

import (
	"encoding/binary"
	"slices"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"
)

// A filter contains the hashes of the facets of some keys of a block ("key=value"), and those of the keys. It is stored as a version byte and
// either a list of the upper halves of the hashes, or a binary fuse filter (Graf and Lemire, 2022) with 8 bits per hash, which answers
// wrongly that it may contain something once in 256 times.
const (
	listVersion = 1
	fuseVersion = 2

	mostListed = 32 // hashes; a filter of more takes less space than their list
	fuseHeader = 8 + 5*4
)

// hashOf returns the hash of a facet or key.
func hashOf(text string) uint64 { return xxhash.Sum64String(text) }

// encodeFilter returns a filter of hashes. It may reorder them.
func encodeFilter(hashes []uint64) ([]byte, error) {
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	if len(hashes) <= mostListed {
		b := []byte{listVersion}
		for _, h := range hashes {
			b = binary.LittleEndian.AppendUint32(b, uint32(h>>32))
		}
		return b, nil
	}
	f, err := xorfilter.PopulateBinaryFuse8(hashes)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 1, 1+fuseHeader+len(f.Fingerprints))
	b[0] = fuseVersion
	b = binary.LittleEndian.AppendUint64(b, f.Seed)
	for _, n := range []uint32{f.SegmentLength, f.SegmentLengthMask, f.SegmentCount, f.SegmentCountLength, uint32(len(f.Fingerprints))} {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(b, f.Fingerprints...), nil
}

// Filter says what a block, or a bundle, may contain.
type Filter struct {
	listed []byte
	fuse   *xorfilter.BinaryFuse8
	quick  quick
}

// OpenFilter reads a stored filter, and keeps its memory.
func OpenFilter(b []byte) (Filter, error) {
	switch {
	case len(b) > 0 && b[0] == listVersion && len(b)%4 == 1:
		return Filter{listed: b[1:]}, nil
	case len(b) > 1 && b[0] == quickVersion && len(b)%quickBlock == 1:
		return Filter{quick: b[1:]}, nil
	case len(b) <= 1+fuseHeader || b[0] != fuseVersion:
		return Filter{}, errDamaged
	}
	f := &xorfilter.BinaryFuse8{Seed: binary.LittleEndian.Uint64(b[1:])}
	var n uint32
	for i, field := range []*uint32{&f.SegmentLength, &f.SegmentLengthMask, &f.SegmentCount, &f.SegmentCountLength, &n} {
		*field = binary.LittleEndian.Uint32(b[9+4*i:])
	}
	f.Fingerprints = b[1+fuseHeader:]
	// The greatest place that it looks at lies less than three segments behind the last.
	if int(n) != len(f.Fingerprints) || f.SegmentLength == 0 || f.SegmentLengthMask != f.SegmentLength-1 ||
		uint64(f.SegmentCountLength)+2*uint64(f.SegmentLength) > uint64(n) || f.SegmentLength&f.SegmentLengthMask != 0 ||
		f.SegmentCountLength%f.SegmentLength != 0 {
		return Filter{}, errDamaged
	}
	return Filter{fuse: f}, nil
}

// mayHaveKey reports whether the block may contain facets of the key with the hash; false is certain.
func (f Filter) mayHaveKey(hash uint64) bool { return f.quick != nil || f.mayHave(hash) }

// mayHave reports whether the block may contain what has the hash; false is certain.
func (f Filter) mayHave(hash uint64) bool {
	switch {
	case f.fuse != nil:
		return f.fuse.Contains(hash)
	case f.quick != nil:
		return f.quick.mayHave(hash)
	}
	for i := 0; i+4 <= len(f.listed); i += 4 {
		if binary.LittleEndian.Uint32(f.listed[i:]) == uint32(hash>>32) {
			return true
		}
	}
	return false
}
