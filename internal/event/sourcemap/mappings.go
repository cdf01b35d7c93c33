package sourcemap

import "math"

// digits has the value of each character of base 64; 255 for all others.
var digits = func() (d [256]byte) {
	for i := range d {
		d[i] = 255
	}
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		d[c] = byte(i)
	}
	return d
}()

var errMappings = errorf("The mappings of the source map are damaged. Send the .map file that your bundler writes, unchanged")

// vlq reads a number: digits of base 64 with five bits each, the lowest first; the lowest bit of all is the sign.
func vlq(b []byte) (n int32, rest []byte, ok bool) {
	var bits uint64
	for i := 0; i < len(b) && i < 7; i++ {
		digit := digits[b[i]]
		if digit == 255 {
			return 0, nil, false
		}
		bits |= uint64(digit&31) << (5 * i)
		if digit&32 == 0 {
			if bits>>1 > math.MaxInt32 {
				return 0, nil, false
			}
			if n = int32(bits >> 1); bits&1 != 0 {
				n = -n
			}
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// countSegments returns how many segments mappings have.
func countSegments(mappings []byte) (n int) {
	before := byte(';')
	for _, c := range mappings {
		if c != ',' && c != ';' && (before == ',' || before == ';') {
			n++
		}
		before = c
	}
	return n
}

// part is what mappings refer to: a map has one, and an index map one for each section.
type part struct {
	line, column           int32 // of its first character in minified code, from 0
	firstSource, firstName int   // indexes in those of the whole map
	sources, names         int   // how many it has
}

// cursor is the position that the next segment is relative to.
type cursor struct{ line, column, source, sourceLine, sourceCol, name int32 }

// appendSegments appends the segments of mappings: groups for lines, separated by semicolons, of segments separated by commas.
func appendSegments(all []segment, mappings []byte, p part) ([]segment, error) {
	c := cursor{line: p.line, column: p.column}
	for len(mappings) > 0 {
		switch mappings[0] {
		case ';':
			if c.line == math.MaxInt32 {
				return nil, errMappings
			}
			c.line, c.column, mappings = c.line+1, 0, mappings[1:]
			continue
		case ',':
			mappings = mappings[1:]
			continue
		}
		end := 1
		for end < len(mappings) && mappings[end] != ',' && mappings[end] != ';' {
			end++
		}
		s, err := c.segment(mappings[:end], p)
		if err != nil {
			return nil, err
		}
		all, mappings = append(all, s), mappings[end:]
	}
	return all, nil
}

// segment reads one, of one, four or five numbers, each relative to that of the segment before.
func (c *cursor) segment(b []byte, p part) (s segment, err error) {
	fields := [...]*int32{&c.column, &c.source, &c.sourceLine, &c.sourceCol, &c.name}
	n := 0
	for ; len(b) > 0 && n < len(fields); n++ {
		delta, rest, ok := vlq(b)
		sum := int64(*fields[n]) + int64(delta)
		if !ok || sum < 0 || sum > math.MaxInt32 {
			return s, errMappings
		}
		*fields[n], b = int32(sum), rest
	}
	s = segment{c.line, c.column, -1, 0, 0, -1}
	switch {
	case len(b) > 0 || n == 2 || n == 3 || n > 1 && int(c.source) >= p.sources || n == 5 && int(c.name) >= p.names:
		return s, errMappings
	case n >= 4:
		s.source, s.sourceLine, s.sourceCol = int32(p.firstSource)+c.source, c.sourceLine, c.sourceCol
	}
	if n == 5 {
		s.name = int32(p.firstName) + c.name
	}
	return s, nil
}
