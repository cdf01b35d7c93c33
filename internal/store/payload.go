package store

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"

	"sett/internal/sett"
)

// A stored payload is a version byte, then a number (varint) that is 0 or one more than the place in the body where
// the backtrace was cut out, then, compressed as the version says, the body without it and, behind a NUL that no JSON
// has, the facts that the counts are made of. A stored backtrace is a version byte and its compressed JSON.
const payloadS2 = 1 // S2 block with the dictionary payload.dict

// leastBacktrace is the length in bytes from which a backtrace is kept apart from its payload.
const leastBacktrace = 128

// dictText is what payloads of real clients have in common: the captured notices of testdata, one after another. A
// change needs a new version byte, because what is stored can only be read with the dictionary that it was written
// with.
//
//go:embed payload.dict
var dictText []byte

var dict = sync.OnceValue(func() *s2.Dict {
	return s2.MakeDict(dictText, nil)
})

// Packed is a report made ready to be stored: what can be done outside the transaction is done.
type Packed struct {
	*sett.Report
	facts     facts
	payload   []byte
	backtrace []byte // JSON, not compressed; nil when there is none or it stays in the payload
	hash      [16]byte
}

// Packer packs reports. It keeps room to work in, so that packing allocates only what is stored; it is for one goroutine
// at a time. The zero value is ready.
type Packer struct{ body, packed []byte }

// Pack compresses the body of a report and sets its backtrace apart. It costs some 10 µs of CPU and needs no database.
func (k *Packer) Pack(r *sett.Report) *Packed {
	p := &Packed{Report: r, facts: factsOf(r)}
	body, cut := k.body[:0], 0
	if r.BacktraceEnd-r.BacktraceStart >= leastBacktrace {
		p.backtrace = r.Body[r.BacktraceStart:r.BacktraceEnd]
		sum := sha256.Sum256(p.backtrace)
		copy(p.hash[:], sum[:])
		body = append(append(body, r.Body[:r.BacktraceStart]...), r.Body[r.BacktraceEnd:]...)
		cut = r.BacktraceStart + 1
	} else {
		body = append(body, r.Body...)
	}
	body = p.facts.append(body)
	packed := binary.AppendUvarint(append(k.packed[:0], payloadS2), uint64(cut))
	head := len(packed)
	packed = slices.Grow(packed, s2.MaxEncodedLen(len(body)))
	packed = packed[:head+len(dict().Encode(packed[head:cap(packed)], body))]
	p.payload = bytes.Clone(packed)
	if cap(packed) <= mostKept {
		k.body, k.packed = body, packed
	}
	return p
}

// mostKept is how much room, in bytes, a Packer keeps for the next report.
const mostKept = 128 << 10

// Pack packs one report.
func Pack(r *sett.Report) *Packed { return new(Packer).Pack(r) }

// packBacktrace compresses a backtrace.
func packBacktrace(json []byte) []byte {
	packed := make([]byte, 1+s2.MaxEncodedLen(len(json)))
	packed[0] = payloadS2
	return packed[:1+len(dict().Encode(packed[1:], json))]
}

// unpack returns the body that Pack was given.
func unpack(payload, backtrace []byte) ([]byte, error) {
	body, _, cut, err := unpackParts(payload)
	if err != nil || cut == 0 {
		return body, err
	}
	at := cut - 1
	if len(backtrace) == 0 || at > len(body) {
		return nil, errors.New("a stored payload lacks its backtrace")
	}
	middle, err := dict().Decode(nil, backtrace[1:])
	if err != nil {
		return nil, fmt.Errorf("read stored backtrace: %w", err)
	}
	whole := make([]byte, 0, len(body)+len(middle))
	return append(append(append(whole, body[:at]...), middle...), body[at:]...), nil
}

// unpackParts returns the body without its backtrace, the facts, and one more than the place where the backtrace was.
func unpackParts(payload []byte) (body []byte, f facts, cut int, err error) {
	if len(payload) == 0 || payload[0] != payloadS2 {
		return nil, f, 0, errors.New("a stored payload has an unknown version")
	}
	place, n := binary.Uvarint(payload[1:])
	if n <= 0 {
		return nil, f, 0, errors.New("a stored payload is cut off")
	}
	whole, err := dict().Decode(nil, payload[1+n:])
	if err != nil {
		return nil, f, 0, fmt.Errorf("read stored payload: %w", err)
	}
	body, rest, _ := bytes.Cut(whole, []byte{0})
	return body, parseFacts(rest), int(place), nil
}

// facts are what the counts know of one notice, beside its fault and time.
type facts struct{ class, location, user string }

func factsOf(r *sett.Report) facts { return facts{r.Class, location(r.Component, r.Action), r.User} }

func (f facts) append(b []byte) []byte {
	for _, text := range []string{f.class, f.location, f.user} {
		b = append(append(b, 0), text...)
	}
	return b
}

func parseFacts(b []byte) facts {
	parts := append(bytes.Split(b, []byte{0}), nil, nil, nil)
	return facts{string(parts[0]), string(parts[1]), string(parts[2])}
}

// location names where a notice happened, such as "OrdersController#create".
func location(component, action string) string {
	if component == "" || action == "" {
		return component + action
	}
	return component + "#" + action
}
