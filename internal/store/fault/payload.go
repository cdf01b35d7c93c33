package fault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"sett/internal/sett"
)

// A payload is a number (varint) that is 0, or one more than the offset in the body at which the backtrace was cut out; then the body
// without it; then, after a NUL, which JSON cannot contain, the facts from which counts are computed. Payloads are stored in bundles. A
// stored backtrace is a version byte and its compressed JSON.

// leastBacktrace is the length in bytes from which a backtrace is stored apart from its payload.
const leastBacktrace = 128

// Packed is a report that is ready to be stored: all work that needs no transaction is done.
type Packed struct {
	*sett.Report
	Facts     Facts
	Bundle    *Bundle // that contains its payload
	Slot      int     // of its payload in the bundle
	Backtrace []byte  // uncompressed JSON; nil if there is none or it stays in the payload
	Hash      [16]byte
}

// Packer packs reports. It reuses its buffers, so that packing allocates only what is stored. It is for one goroutine at a time. The zero
// value is ready.
type Packer struct {
	payloads, packed []byte
	hashes           knownHashes
}

// Pack compresses the bodies of reports together, in a bundle, and stores their backtraces apart. It takes some 5 µs of CPU per report
// and needs no database.
func (k *Packer) Pack(reports []*sett.Report) []*Packed {
	all := make([]*Packed, len(reports))
	b := &Bundle{}
	payloads, lengths := k.payloads[:0], make([]int, len(reports))
	for i, r := range reports {
		p := &Packed{Report: r, Facts: factsOf(r), Bundle: b, Slot: i}
		if r.BacktraceEnd-r.BacktraceStart >= leastBacktrace {
			p.Backtrace = r.Body[r.BacktraceStart:r.BacktraceEnd]
			p.Hash = k.hashes.of(p.Backtrace)
		}
		before := len(payloads)
		payloads = p.appendPayload(payloads)
		all[i], lengths[i] = p, len(payloads)-before
	}
	payloads = appendLengths(payloads, lengths)
	k.packed = appendBundle(k.packed[:0], payloads, len(reports))
	b.Body = bytes.Clone(k.packed)
	if k.payloads = payloads; cap(payloads) > mostKept {
		k.payloads, k.packed = nil, nil
	}
	return all
}

// mostKept is the size in bytes up to which a Packer keeps its buffers.
const mostKept = 512 << 10

func (p *Packed) appendPayload(b []byte) []byte {
	if p.Backtrace == nil {
		b = append(binary.AppendUvarint(b, 0), p.Body...)
	} else {
		b = append(binary.AppendUvarint(b, uint64(p.BacktraceStart+1)), p.Body[:p.BacktraceStart]...)
		b = append(b, p.Body[p.BacktraceEnd:]...)
	}
	return p.Facts.append(b)
}

// PackBacktrace compresses a backtrace.
func PackBacktrace(json []byte) []byte { return AppendCompressed(nil, json, CompressedAlone) }

// unpack returns the body of the report that a payload was built from.
func unpack(payload, backtrace []byte) ([]byte, error) {
	body, _, cut, err := OpenPayload(payload)
	if err != nil || cut == 0 {
		return body, err
	}
	at := cut - 1
	if len(backtrace) == 0 || at > len(body) {
		return nil, errors.New("a stored payload lacks its backtrace")
	}
	middle, err := Decompress(backtrace)
	if err != nil {
		return nil, fmt.Errorf("read stored backtrace: %w", err)
	}
	whole := make([]byte, 0, len(body)+len(middle))
	return append(append(append(whole, body[:at]...), middle...), body[at:]...), nil
}

// OpenPayload returns the body without its backtrace, the facts, and one more than the offset of the backtrace.
func OpenPayload(payload []byte) (body []byte, f Facts, cut int, err error) {
	place, n := binary.Uvarint(payload)
	if n <= 0 {
		return nil, f, 0, errors.New("a stored payload is cut off")
	}
	body, rest, _ := bytes.Cut(payload[n:], []byte{0})
	return body, parseFacts(rest), int(place), nil
}

// Facts are the values of a notice that counts need, in addition to its fault and time.
type Facts struct{ Class, Location, User string }

func factsOf(r *sett.Report) Facts { return Facts{r.Class, location(r.Component, r.Action), r.User} }

func (f Facts) append(b []byte) []byte {
	for _, text := range []string{f.Class, f.Location, f.User} {
		b = append(append(b, 0), text...)
	}
	return b
}

func parseFacts(b []byte) Facts {
	parts := append(bytes.Split(b, []byte{0}), nil, nil, nil)
	return Facts{string(parts[0]), string(parts[1]), string(parts[2])}
}

// location returns the location of a notice, such as "OrdersController#create".
func location(component, action string) string {
	if component == "" || action == "" {
		return component + action
	}
	return component + "#" + action
}
