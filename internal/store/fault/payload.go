package fault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"sett/internal/sett"
)

// A payload is a number (varint) that is 0 or one more than the place in the body where the backtrace was cut out, then
// the body without it and, behind a NUL that no JSON has, the facts that the counts are made of. Payloads are stored in
// bundles. A stored backtrace is a version byte and its compressed JSON.

// leastBacktrace is the length in bytes from which a backtrace is kept apart from its payload.
const leastBacktrace = 128

// Packed is a report made ready to be stored: what can be done outside the transaction is done.
type Packed struct {
	*sett.Report
	Facts     Facts
	Bundle    *Bundle // that its payload is in
	Slot      int     // and where there
	Backtrace []byte  // JSON, not compressed; nil when there is none or it stays in the payload
	Hash      [16]byte
}

// Packer packs reports. It keeps room to work in, so that packing allocates only what is stored; it is for one goroutine
// at a time. The zero value is ready.
type Packer struct {
	payloads, packed []byte
	hashes           knownHashes
}

// Pack compresses the bodies of reports together, in a bundle, and sets their backtraces apart. It costs some 5 µs of
// CPU a report and needs no database.
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

// mostKept is how much room, in bytes, a Packer keeps for the next reports.
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

// unpack returns the body of the report that a payload was made of.
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

// OpenPayload returns the body without its backtrace, the facts, and one more than the place where the backtrace was.
func OpenPayload(payload []byte) (body []byte, f Facts, cut int, err error) {
	place, n := binary.Uvarint(payload)
	if n <= 0 {
		return nil, f, 0, errors.New("a stored payload is cut off")
	}
	body, rest, _ := bytes.Cut(payload[n:], []byte{0})
	return body, parseFacts(rest), int(place), nil
}

// Facts are what the counts know of one notice, beside its fault and time.
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

// location names where a notice happened, such as "OrdersController#create".
func location(component, action string) string {
	if component == "" || action == "" {
		return component + action
	}
	return component + "#" + action
}
