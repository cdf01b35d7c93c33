package block

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Compressed data starts with a version byte, followed by an S2 block of that version.
const (
	CompressedAlone    = 1 // with the dictionary payload.dict, which holds what most notices share
	CompressedTogether = 2 // without: several notices share enough with each other, and S2 is twice as fast
)

// dictText is what payloads of real clients have in common: the captured notices of testdata, one after another. A change needs a new
// version byte, because data can only be read with the dictionary that it was written with.
//
//go:embed payload.dict
var dictText []byte

var dict = sync.OnceValue(func() *s2.Dict {
	return s2.MakeDict(dictText, nil)
})

// AppendCompressed compresses data as the version says and appends it to b.
func AppendCompressed(b, data []byte, version byte) []byte {
	b = append(b, version)
	head := len(b)
	b = slices.Grow(b, s2.MaxEncodedLen(len(data)))
	if version == CompressedAlone {
		return b[:head+len(dict().Encode(b[head:cap(b)], data))]
	}
	return b[:head+len(s2.Encode(b[head:cap(b)], data))]
}

// Decompress is the inverse of AppendCompressed.
func Decompress(b []byte) (data []byte, err error) {
	switch {
	case len(b) > 0 && b[0] == CompressedAlone:
		data, err = dict().Decode(nil, b[1:])
	case len(b) > 0 && b[0] == CompressedTogether:
		data, err = s2.Decode(nil, b[1:])
	default:
		return nil, errors.New("what is stored has an unknown version")
	}
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return data, nil
}
