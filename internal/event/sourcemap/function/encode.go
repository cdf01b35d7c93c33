package function

import (
	"encoding/binary"
	"errors"
	"math"
	"unsafe"
)

// version is the first byte of an encoded table.
const version = 1

var errTable = errors.New("the table of functions is damaged")

// Encode returns the table as bytes, which Decode reads.
func (t *Table) Encode() []byte {
	b := binary.AppendUvarint([]byte{version}, uint64(len(t.names)-1))
	for _, name := range t.names[1:] {
		b = append(binary.AppendUvarint(b, uint64(len(name.Text))), name.Text...)
		b = binary.AppendUvarint(b, uint64(name.Source))
		b = binary.AppendUvarint(b, uint64(name.Line))
	}
	b = binary.AppendUvarint(b, uint64(len(t.marks)))
	var last place
	for _, m := range t.marks {
		if m.line != last.line {
			last.column = 0
		}
		b = binary.AppendUvarint(b, uint64(m.line-last.line))
		b = binary.AppendUvarint(b, uint64(m.column-last.column))
		b = binary.AppendUvarint(b, uint64(m.name))
		last = m.place
	}
	return b
}

// decoder reads numbers and texts until the first error.
type decoder struct {
	rest []byte
	err  error
}

// number reads a number below a bound.
func (d *decoder) number(below int) int {
	n, size := binary.Uvarint(d.rest)
	if size <= 0 || n >= uint64(below) {
		d.err, d.rest = errTable, nil
		return 0
	}
	d.rest = d.rest[size:]
	return int(n)
}

func (d *decoder) text() string {
	n := d.number(math.MaxInt32)
	if n > len(d.rest) {
		d.err = errTable
		return ""
	}
	text := string(d.rest[:n])
	d.rest = d.rest[n:]
	return text
}

// Decode reads a table that Encode wrote.
func Decode(b []byte) (*Table, error) {
	if len(b) == 0 || b[0] != version {
		return nil, errTable
	}
	d := decoder{rest: b[1:]}
	t := &Table{names: []Name{{}}}
	for n := d.number(len(b)); n > 0 && d.err == nil; n-- {
		t.names = append(t.names, Name{d.text(), d.number(math.MaxInt32), d.number(math.MaxInt32)})
	}
	n := d.number(len(b))
	if d.err != nil {
		return nil, d.err
	}
	t.marks = make([]mark, 0, n)
	var at place
	for ; n > 0 && d.err == nil; n-- {
		if lines := d.number(math.MaxInt32 - int(at.line)); lines > 0 {
			at = place{at.line + int32(lines), 0}
		}
		at.column += int32(d.number(math.MaxInt32 - int(at.column)))
		t.marks = append(t.marks, mark{at, int32(d.number(len(t.names)))})
	}
	return t, d.err
}

// Bytes returns how much memory the table takes.
func (t *Table) Bytes() int {
	n := int(unsafe.Sizeof(*t)) + cap(t.marks)*int(unsafe.Sizeof(mark{})) + cap(t.names)*int(unsafe.Sizeof(Name{}))
	for _, name := range t.names {
		n += len(name.Text)
	}
	return n
}
