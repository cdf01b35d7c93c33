package column

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// A part is a version byte, a compressed directory with its length before it, and compressed chunks, each of one or more columns. A
// directory has, for each chunk, its length as it is stored; then, for each column in the order of keys, its key, the number of its chunk
// and its length.
//
// A column is the number of its distinct values and the number of its places, where a place is a row and one of its values; then the rows
// of the places, each as the difference to the one before; then their values, by their number, each as the difference to one more than
// the one before: 0 for values that occur once; then the values, each with a newline behind it. Numbers are varints.
const partVersion = 1

// chunkBytes is the size from which a chunk is complete. Columns are compressed together up to it, because many are short; but only those whose
// values have the same alphabet: a hash takes four bits for each digit, but more where words or tokens are among them.
const chunkBytes = 32 << 10

// An alphabet is the kinds of characters that values have, as bits.
const (
	digit = 1 << iota
	hexLetter
	letter // and all other bytes
	slash
	dash
	dot
	space
	alphabets // how many there are
)

var kinds = func() (of [256]byte) {
	for c := range of {
		of[c] = letter
	}
	for c := '0'; c <= '9'; c++ {
		of[c] = digit
	}
	for c := 'a'; c <= 'f'; c++ {
		of[c] = hexLetter
	}
	of['/'], of['-'], of['_'], of['.'], of['@'], of[':'], of[' '], of['\n'] = slash, dash, dash, dot, dot, dot, space, 0
	return of
}()

// alphabetOf returns the kinds of characters that make up more than a sixteenth of a text.
func alphabetOf(text []byte) (alphabet int) {
	var counts [alphabets]int
	for _, c := range text {
		counts[kinds[c]]++
	}
	for kind := digit; kind < alphabets; kind <<= 1 {
		if counts[kind]*16 > len(text) {
			alphabet |= kind
		}
	}
	return alphabet
}

// Encoder encodes blocks. It keeps its memory for the next one. It is for one goroutine at a time.
type Encoder struct{ zstd *zstd.Encoder }

// NewEncoder returns an Encoder.
func NewEncoder() *Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10), zstd.WithEncoderCRC(true))
	if err != nil {
		panic("column: " + err.Error()) // the options are constants
	}
	return &Encoder{e}
}

// Compress appends a text to b, compressed as columns are: it serves other parts of a block too, because its memory is large.
func (e *Encoder) Compress(b, text []byte) []byte { return e.zstd.EncodeAll(text, b) }

// Encoded are the filters and parts of a block, each nil if there is nothing in it.
type Encoded struct {
	Filters  [Filters][]byte
	Parts    [Parts][]byte
	Frequent []Frequent // of Encode only
}

// Frequent is a facet that many rows of a block have.
type Frequent struct {
	Filter int    // the number of the filter that knows of its key
	Facet  uint64 // as Term.Facet returns it
	Rows   Set
}

// builder collects one column.
type builder struct {
	values map[string]int
	text   []byte // the values
	rows   []byte
	index  []byte
	counts []int // of rows, by value
	places int
	row    int // the last one
	value  int // the number after the last one
}

func (c *builder) add(row int, value string) {
	i, known := c.values[value]
	if !known {
		i = len(c.values)
		c.values[value] = i
		c.text = append(append(c.text, value...), '\n')
		c.counts = append(c.counts, 0)
	}
	c.counts[i]++
	c.rows = binary.AppendUvarint(c.rows, uint64(row-c.row))
	c.index = binary.AppendVarint(c.index, int64(i-c.value))
	c.row, c.value, c.places = row, i+1, c.places+1
}

// append appends the column as it is stored.
func (c *builder) append(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.values)))
	b = binary.AppendUvarint(b, uint64(c.places))
	return append(append(append(b, c.rows...), c.index...), c.text...)
}

// Encode encodes the facets of the rows of a block.
func (e *Encoder) Encode(facets []string) (*Encoded, error) {
	c := newCollector()
	for row, text := range facets {
		lines(text, func(key, value, line string) { c.add(row, key, value, func(add func(line string)) { add(line) }) })
	}
	encoded, err := e.encode(len(facets), c)
	if err == nil {
		encoded.Frequent = c.frequent(len(facets))
	}
	return encoded, err
}

// EncodeCells is Encode for rows whose values are not spelled as facets: no value may have a newline. cells calls add with the cells of the
// rows, in the order of rows. lines calls add with each facet, as payload.FacetLine spells it, by which the filters are to find a cell.
func (e *Encoder) EncodeCells(rows int, cells func(add func(row int, key, value string)), lines func(key, value string, add func(line string))) (*Encoded, error) {
	c := newCollector()
	cells(func(row int, key, value string) {
		c.add(row, key, value, func(add func(line string)) { lines(key, value, add) })
	})
	return e.encode(rows, c)
}

// collector collects the columns of a block, and what its filters find.
type collector struct {
	columns map[string]*builder
	hashes  [Filters][]uint64
}

func newCollector() *collector { return &collector{columns: map[string]*builder{}} }

// add adds a cell. It calls lines only for a value that is new in its column.
func (k *collector) add(row int, key, value string, lines func(add func(line string))) {
	c := k.columns[key]
	if c == nil {
		c = &builder{values: map[string]int{}}
		k.columns[key] = c
		k.hashes[filterOf(key)] = append(k.hashes[filterOf(key)], hashOf(key))
	}
	distinct := len(c.values)
	if c.add(row, value); len(c.values) > distinct {
		lines(func(line string) { k.hashes[filterOf(key)] = append(k.hashes[filterOf(key)], hashOf(line)) })
	}
}

// A facet is frequent that more than one in so many rows of a block have.
const frequentIn = 8

// frequent returns the frequent facets of so many rows.
func (k *collector) frequent(rows int) (all []Frequent) {
	for _, key := range sortedKeys(k.columns) {
		c := k.columns[key]
		wanted := map[int]Set{}
		for i, n := range c.counts {
			if n*frequentIn > rows {
				wanted[i] = NewSet(rows)
			}
		}
		if len(wanted) == 0 {
			continue
		}
		places := opened{distinct: len(c.values), places: c.places, rows: reader{b: c.rows}, index: reader{b: c.index}}
		for row, value := range places.each(rows) {
			if set := wanted[value]; set != nil {
				set.Add(row)
			}
		}
		for value, i := range c.values {
			if set := wanted[i]; set != nil {
				all = append(all, Frequent{filterOf(key), hashOf(key + "=" + value), set})
			}
		}
	}
	slices.SortFunc(all, func(a, b Frequent) int { return cmp.Or(cmp.Compare(a.Filter, b.Filter), cmp.Compare(a.Facet, b.Facet)) })
	return all
}

func (e *Encoder) encode(rows int, c *collector) (*Encoded, error) {
	if rows > MostRows {
		return nil, fmt.Errorf("a block of %d rows is too long", rows)
	}
	var keys [Parts][]string
	for _, key := range sortedKeys(c.columns) {
		part := partOf(key)
		keys[part] = append(keys[part], key)
	}
	encoded := &Encoded{}
	for part, keys := range keys {
		if len(keys) > 0 {
			encoded.Parts[part] = e.encodePart(keys, c.columns)
		}
	}
	for i, h := range c.hashes {
		if len(h) == 0 {
			continue
		}
		var err error
		if encoded.Filters[i], err = encodeFilter(h); err != nil {
			return nil, fmt.Errorf("build a filter: %w", err)
		}
	}
	return encoded, nil
}

func (e *Encoder) encodePart(keys []string, columns map[string]*builder) []byte {
	var entries []byte
	var texts [][]byte      // of the chunks
	var open [alphabets]int // one more than the number of the chunk of each alphabet; 0: none
	for _, key := range keys {
		c := columns[key]
		number := &open[alphabetOf(c.text)]
		if *number == 0 {
			texts = append(texts, nil)
			*number = len(texts)
		}
		text := &texts[*number-1]
		before := len(*text)
		*text = c.append(*text)
		entries = append(binary.AppendUvarint(entries, uint64(len(key))), key...)
		entries = binary.AppendUvarint(binary.AppendUvarint(entries, uint64(*number-1)), uint64(len(*text)-before))
		if len(*text) >= chunkBytes {
			*number = 0
		}
	}
	directory, chunks := binary.AppendUvarint(nil, uint64(len(texts))), []byte(nil)
	for _, text := range texts {
		before := len(chunks)
		chunks = e.Compress(chunks, text)
		directory = binary.AppendUvarint(directory, uint64(len(chunks)-before))
	}
	packed := e.Compress(nil, append(directory, entries...))
	b := binary.AppendUvarint([]byte{partVersion}, uint64(len(packed)))
	return append(append(b, packed...), chunks...)
}
