package block

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"sett/internal/event/column"
)

// A block holds notices of one project, in rows: sorted by fault, and within a fault by id, so that neighbours resemble each other and the
// notices of a fault are read together. It consists of
//
//   - a row of table blocks, with a list of its notices: varints, compressed: the number of faults; for each its id, as the difference to
//     the one before, and its number of notices; then the ids of all notices, as the difference to the one before in the fault, or to that
//     of the block for its first;
//   - the facets of its notices as rows of block_filters and block_parts, see package column;
//   - how many notices of each fault have a frequent facet, as rows of block_tallies, see tally.go;
//   - their payloads as rows of block_payloads, each a frame of framePayloads successive ones, see frame.go.
//
// Everything but the set of deleted rows is immutable; see rewrite.
const blockVersion = 1 // the first byte of the list of notices

var errBlock = errors.New("a stored block is damaged")

// mostUnpacked is how many bytes a frame may have when it is decompressed: more than any that is written, because a payload has at most
// some 1.5 MB.
const mostUnpacked = 512 << 20

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(mostUnpacked), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("block: " + err.Error()) // the options are constants
	}
	return d
})

// Notice is a notice as blocks store it.
type Notice struct {
	ID, Fault int64
	Payload   []byte
	Facets    string
}

// packer packs notices into blocks, and keeps its memory. It is for one goroutine at a time.
type packer struct {
	columns *column.Encoder
	frame   frameBuilder
	known   func(facets string, payload []byte) string // Store.Known
}

// packed is a block as it is stored.
type packed struct {
	id, last int64
	rows     int
	notices  []byte
	marks    string // of all notices, each between blanks
	columns  *column.Encoded
	tallies  [tallies][]byte
	frames   [][]byte
}

// bytes returns how much the block takes.
func (p *packed) bytes() (n int) {
	n = len(p.notices)
	for _, b := range slices.Concat(p.columns.Filters[:], p.columns.Parts[:], p.tallies[:], p.frames) {
		n += len(b)
	}
	return n
}

// pack makes a block of notices, which it sorts. It drops their payloads.
func (k *packer) pack(notices []Notice) (p *packed, err error) {
	slices.SortFunc(notices, func(a, b Notice) int { return cmp.Or(cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.ID, b.ID)) })
	p = &packed{id: notices[0].ID, rows: len(notices)}
	facets := make([]string, len(notices))
	for i, n := range notices {
		p.id, p.last = min(p.id, n.ID), max(p.last, n.ID)
		facets[i] = column.Stored(k.known(n.Facets, n.Payload))
	}
	p.marks = column.MarksOf(facets)
	p.notices = k.packList(notices, p.id)
	for frame := range slices.Chunk(notices, framePayloads) {
		p.frames = append(p.frames, k.frame.pack(frame, k.columns))
		for i := range frame {
			frame[i].Payload = nil
		}
	}
	if p.columns, err = k.columns.Encode(facets); err != nil {
		return nil, fmt.Errorf("encode facets: %w", err)
	}
	p.tallies = packTallies(runsOf(notices), p.columns.Frequent)
	return p, nil
}

func (k *packer) packList(notices []Notice, first int64) []byte {
	var runs, ids []byte
	all, fault := runsOf(notices), int64(0)
	for _, r := range all {
		before := first
		for _, n := range notices[r.from:r.to] {
			ids = binary.AppendUvarint(ids, uint64(n.ID-before))
			before = n.ID
		}
		runs = binary.AppendVarint(runs, r.fault-fault)
		runs = binary.AppendUvarint(runs, uint64(r.to-r.from))
		fault = r.fault
	}
	list := append(binary.AppendUvarint(nil, uint64(len(all))), runs...)
	return k.columns.Compress([]byte{blockVersion}, append(list, ids...))
}

// unpack decompresses a list of notices or a frame.
func unpack(b []byte) ([]byte, error) { return unpackInto(nil, b) }

// unpackInto is unpack that appends to a text.
func unpackInto(text, b []byte) ([]byte, error) {
	if len(b) == 0 || b[0] != blockVersion {
		return text, errBlock
	}
	return decompress(text, b[1:])
}

// decompress appends what was compressed to a text.
func decompress(text, b []byte) ([]byte, error) {
	data, err := decoder().DecodeAll(b, text)
	if err != nil {
		return text, fmt.Errorf("%w: %w", errBlock, err)
	}
	return data, nil
}

// run is the rows of one fault in a block: [from, to).
type run struct {
	fault    int64
	from, to int
}

// runsOf returns the runs of notices that are sorted by fault.
func runsOf(notices []Notice) (runs []run) {
	for row, n := range notices {
		if row == 0 || n.Fault != notices[row-1].Fault {
			runs = append(runs, run{n.Fault, row, row})
		}
		runs[len(runs)-1].to = row + 1
	}
	return runs
}

// list is the notices of a block: those of each fault, in the order of rows.
type list struct {
	runs []run
	rows int
	ids  []int64 // of the notices, by row, if they are read
}

func openList(b []byte, first int64) (l list, err error) {
	_, err = l.open(b, first, nil, true)
	return l, err
}

// open reads a list, with the ids of the notices if they are wanted, in the memory of the one that l was before. It decompresses it into text,
// and returns that for the next one.
func (l *list) open(b []byte, first int64, text []byte, ids bool) ([]byte, error) {
	l.runs, l.rows, l.ids = l.runs[:0], 0, l.ids[:0]
	text, err := unpackInto(text[:0], b)
	if err != nil {
		return text, err
	}
	b = text
	failed := false
	next := func() uint64 {
		n, length := binary.Uvarint(b)
		if length <= 0 {
			failed, b = true, nil
			return 0
		}
		b = b[length:]
		return n
	}
	fault := int64(0)
	for range min(next(), column.MostRows+1) {
		delta := next()
		fault += int64(delta>>1) ^ -int64(delta&1)
		n := int(min(next(), column.MostRows+1))
		if l.rows+n > column.MostRows || failed {
			return text, errBlock
		}
		l.runs = append(l.runs, run{fault, l.rows, l.rows + n})
		l.rows += n
	}
	if !ids && !failed {
		return text, nil
	}
	l.ids = slices.Grow(l.ids, l.rows)
	for _, r := range l.runs {
		id := first
		for range r.to - r.from {
			id += int64(next())
			l.ids = append(l.ids, id)
		}
	}
	if failed || len(b) > 0 {
		return text, errBlock
	}
	return text, nil
}

// row returns the row of a notice.
func (l *list) row(id int64) (row int, ok bool) {
	for _, r := range l.runs {
		if i, ok := slices.BinarySearch(l.ids[r.from:r.to], id); ok {
			return r.from + i, true
		}
	}
	return 0, false
}
