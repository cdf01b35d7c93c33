package insight

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"sett/internal/event/column"
	"sett/internal/event/payload"
)

// The bounds of a chunk. A new one also begins with an hour, if the last one has enough events.
const (
	mostRows  = column.MostRows
	mostBytes = 8 << 20 // of keys and values
	mostKeys  = 2_000   // which events of their own accord do not have
	leastRows = 256     // so that events with times all over the week make no chunk each
)

// Chunk is events of a project in the order of their times, by column. It is immutable.
type Chunk struct {
	First, Last int64 // times of its first and last event, in microseconds
	Rows        int
	Times       []byte
	Columns     *column.Encoded
}

// Bytes returns how much the chunk takes.
func (c *Chunk) Bytes() (n int) {
	n = len(c.Times)
	for _, b := range slices.Concat(c.Columns.Filters[:], c.Columns.Parts[:]) {
		n += len(b)
	}
	return n
}

// Packer packs events into chunks, and keeps its memory. It is for one goroutine at a time.
type Packer struct{ columns *column.Encoder }

// NewPacker returns a Packer.
func NewPacker() *Packer { return &Packer{column.NewEncoder()} }

// Pack packs events, which it sorts by time.
func (p *Packer) Pack(events []Event) (chunks []*Chunk, err error) {
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	for len(events) > 0 {
		n := chunkLength(events)
		c, err := p.pack(events[:n])
		if err != nil {
			return nil, err
		}
		chunks, events = append(chunks, c), events[n:]
	}
	return chunks, nil
}

// chunkLength returns how many of the events make the next chunk.
func chunkLength(events []Event) int {
	bytes, keys := 0, map[string]bool{}
	for n, e := range events {
		if n == mostRows || n >= leastRows && hourOf(e.At) != hourOf(events[n-1].At) {
			return n
		}
		for _, f := range e.Fields {
			bytes += len(f.Key) + len(f.Value)
			keys[f.Key] = true
		}
		if n > 0 && (bytes > mostBytes || len(keys) > mostKeys) {
			return n
		}
	}
	return len(events)
}

func hourOf(at int64) int64 { return at / time.Hour.Microseconds() }

func (p *Packer) pack(events []Event) (c *Chunk, err error) {
	c = &Chunk{First: events[0].At, Last: events[len(events)-1].At, Rows: len(events)}
	before := c.First
	for _, e := range events {
		c.Times = binary.AppendUvarint(c.Times, uint64(e.At-before))
		before = e.At
	}
	cells := func(add func(row int, key, value string)) {
		for row, e := range events {
			for _, f := range e.Fields {
				add(row, f.Key, f.Value)
			}
		}
	}
	lines := func(key, value string, add func(line string)) {
		ReadValue(value).texts(func(text string) { add(payload.FacetLine(key, text)) })
	}
	if c.Columns, err = p.columns.EncodeCells(len(events), cells, lines); err != nil {
		return nil, fmt.Errorf("encode events: %w", err)
	}
	return c, nil
}

// OpenTimes returns the times of a chunk's events.
func OpenTimes(b []byte, first int64, rows int) ([]int64, error) {
	if rows < 0 || rows > mostRows {
		return nil, errDamaged
	}
	at := make([]int64, rows)
	for row := range at {
		delta, n := binary.Uvarint(b)
		if n <= 0 {
			return nil, errDamaged
		}
		first += int64(delta)
		at[row], b = first, b[n:]
	}
	return at, nil
}
