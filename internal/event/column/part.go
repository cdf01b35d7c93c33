package column

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// mostDecoded is how many bytes one chunk or directory may have when it is decompressed: more than any that Encode makes.
const mostDecoded = 64 << 20

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(mostDecoded), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic("column: " + err.Error()) // the options are constants
	}
	return d
})

// Part is an opened part of a block. It is for one goroutine at a time. The zero value is ready for Open.
type Part struct {
	rows    int
	columns []entry  // in the order of their keys
	chunks  [][]byte // compressed
	opened  [][]byte // those that were read, by number
	free    [][]byte // memory for chunks
	text    []byte   // of the directory
}

// entry is where a column is.
type entry struct {
	key             []byte
	chunk, from, to int
}

// OpenPart reads the directory of a stored part of a block with so many rows, and keeps its memory. The error is that of damaged bytes.
func OpenPart(b []byte, rows int) (*Part, error) {
	p := &Part{}
	return p, p.Open(b, rows)
}

// Open is OpenPart in the memory of the part that p was before.
func (p *Part) Open(b []byte, rows int) (err error) {
	for _, chunk := range p.opened {
		if chunk != nil {
			p.free = append(p.free, chunk[:0])
		}
	}
	p.rows, p.columns, p.chunks, p.opened = rows, p.columns[:0], p.chunks[:0], p.opened[:0]
	if len(b) == 0 || b[0] != partVersion || rows > MostRows {
		return errDamaged
	}
	r := reader{b: b[1:]}
	p.text, err = decoder().DecodeAll(r.bytes(r.number()), p.text[:0])
	if err != nil || r.failed {
		return errDamaged
	}
	d := reader{b: p.text}
	for range d.number() {
		p.chunks, p.opened = append(p.chunks, r.bytes(d.number())), append(p.opened, nil)
		if d.failed || r.failed {
			return errDamaged
		}
	}
	ends := make([]int, len(p.chunks))
	for len(d.b) > 0 && !d.failed {
		key := d.bytes(d.number())
		chunk, length := d.number(), d.number()
		if chunk >= len(p.chunks) {
			return errDamaged
		}
		from := ends[chunk]
		ends[chunk] += length
		p.columns = append(p.columns, entry{key, chunk, from, from + length})
	}
	if d.failed {
		return errDamaged
	}
	return nil
}

// opened is a column as it is read: rows and the numbers of their values follow in the order of the rows.
type opened struct {
	text     []byte // the values, each with a newline behind it
	distinct int
	places   int
	rows     reader
	index    reader
}

// column opens the column of a key; ok is false if no row has the key.
func (p *Part) column(key string) (c opened, ok bool, err error) {
	b, ok, err := p.stored(key)
	if !ok || err != nil {
		return c, ok, err
	}
	c, err = openColumn(b)
	return c, true, err
}

// stored returns the column of a key as it is stored. It is valid until the next Open.
func (p *Part) stored(key string) (b []byte, ok bool, err error) {
	i, ok := slices.BinarySearchFunc(p.columns, key, func(e entry, key string) int { return cmp.Compare(string(e.key), key) })
	if !ok {
		return nil, false, nil
	}
	at := p.columns[i]
	if p.opened[at.chunk] == nil {
		var memory []byte
		if last := len(p.free) - 1; last >= 0 {
			memory, p.free = p.free[last], p.free[:last]
		}
		if p.opened[at.chunk], err = decoder().DecodeAll(p.chunks[at.chunk], memory); err != nil {
			p.opened[at.chunk] = nil
			return nil, false, errDamaged
		}
	}
	if at.from > at.to || at.to > len(p.opened[at.chunk]) {
		return nil, false, errDamaged
	}
	return p.opened[at.chunk][at.from:at.to], true, nil
}

func openColumn(b []byte) (c opened, err error) {
	r := reader{b: b}
	c.distinct = r.number()
	c.places = r.number()
	c.rows.b = r.numbers(c.places)
	c.index.b = r.numbers(c.places)
	c.text = r.b
	if r.failed || c.distinct > len(c.text) || bytes.Count(c.text, newline) < c.distinct {
		return c, errDamaged
	}
	return c, nil
}

var newline = []byte{'\n'}

// values returns the distinct values with their numbers.
func (c *opened) values() iter.Seq2[int, []byte] {
	return func(yield func(i int, value []byte) bool) {
		text := c.text
		for i := range c.distinct {
			value, rest, _ := bytes.Cut(text, newline)
			if !yield(i, value) {
				return
			}
			text = rest
		}
	}
}

// each returns the places of a column: rows with the numbers of their values. It ends early if they are damaged.
func (c *opened) each(rows int) iter.Seq2[int, int] {
	return func(yield func(row, value int) bool) {
		row, next := 0, 0
		for range c.places {
			row += c.rows.number()
			value := next + c.index.signed()
			if row >= rows || value < 0 || value >= c.distinct || !yield(row, value) {
				return
			}
			next = value + 1
		}
	}
}

// Lines returns, for each row, its facets of some keys, spelled as those of a Report: none is "\n". Of rows that are left out it returns "".
func (p *Part) Lines(keys []string, without Set) ([]string, error) {
	texts := make([]strings.Builder, p.rows)
	for _, key := range keys {
		c, ok, err := p.column(key)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		values := make([][]byte, 0, c.distinct)
		for _, value := range c.values() {
			values = append(values, value)
		}
		for row, v := range c.each(p.rows) {
			if !without.Has(row) {
				texts[row].WriteString("\n" + key + "=")
				texts[row].Write(values[v])
			}
		}
	}
	all := make([]string, p.rows)
	for row := range texts {
		if !without.Has(row) {
			texts[row].WriteByte('\n')
			all[row] = texts[row].String()
		}
	}
	return all, nil
}

// Cells returns the distinct values of a key and, for each row, the number of its last value, or -1. Without the key it returns nothing. The
// values share memory with the part until the next Open.
func (p *Part) Cells(key string) (values [][]byte, index []int32, err error) {
	c, ok, err := p.column(key)
	if !ok || err != nil {
		return nil, nil, err
	}
	for _, value := range c.values() {
		values = append(values, value)
	}
	index = make([]int32, p.rows)
	for row := range index {
		index[row] = -1
	}
	for row, v := range c.each(p.rows) {
		index[row] = int32(v)
	}
	return values, index, nil
}

// Keys returns the keys of the part, in order.
func (p *Part) Keys() []string {
	keys := make([]string, len(p.columns))
	for i, c := range p.columns {
		keys[i] = string(c.key)
	}
	return keys
}

// Rows returns how many rows have a key, of those that are not left out.
func (p *Part) Rows(key string, without Set) (n int, err error) {
	c, ok, err := p.column(key)
	if !ok || err != nil {
		return 0, err
	}
	last := -1
	for row := range c.each(p.rows) {
		if row != last && !without.Has(row) {
			n++
		}
		last = row
	}
	return n, nil
}

// Values calls yield with each value of a key and the number of rows that have it, of those that are not left out.
func (p *Part) Values(key string, without Set, yield func(value string, rows int)) error {
	c, ok, err := p.column(key)
	if !ok || err != nil {
		return err
	}
	counts := make([]int, c.distinct)
	for row, v := range c.each(p.rows) {
		if !without.Has(row) {
			counts[v]++
		}
	}
	for i, value := range c.values() {
		if counts[i] > 0 {
			yield(string(value), counts[i])
		}
	}
	return nil
}

// reader reads varints and bytes. Once something is not there, it has failed.
type reader struct {
	b      []byte
	failed bool
}

// number reads a number that is at most mostDecoded.
func (r *reader) number() int {
	n, length := binary.Uvarint(r.b)
	if length <= 0 || n > mostDecoded {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[length:]
	return int(n)
}

func (r *reader) signed() int {
	n, length := binary.Varint(r.b)
	if length <= 0 {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[length:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	if n > len(r.b) {
		r.failed, r.b = true, nil
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

// numbers returns the bytes of the next n varints.
func (r *reader) numbers(n int) []byte {
	i := 0
	for ; n > 0 && i < len(r.b); i++ {
		if r.b[i] < 0x80 {
			n--
		}
	}
	if n > 0 {
		r.failed = true
	}
	return r.bytes(i)
}
