package block

import (
	"bytes"
	"encoding/binary"
	"iter"

	"sett/internal/event/column"
)

// A frame holds the payloads of framePayloads successive rows. What makes payloads unlike each other is mostly random: numbers, hashes, UUIDs and
// tokens. A digit of a hash has four bits, but among other text each takes more than five. So such words are taken out of the text and
// kept by their alphabet, in streams that are compressed alone. The text that is left says of each where it was, and repeats itself.
//
// A frame is its version, the lengths of its compressed streams, the streams, and a compressed index: the number of payloads and, for each stream in
// turn, how many bytes of it each payload has. In the text, a byte below streams is the number of the stream that has the next word, which ends
// with a newline there; after a 0, the next byte stands for itself. Numbers are varints.
//
// Frames of earlier versions have the number of payloads, their lengths and then the payloads, compressed together.
const (
	framePayloads = 128

	frameVersion = 2
)

// The streams of a frame.
const (
	textStream  = iota
	digitStream // numbers
	hexStream   // hashes and UUIDs
	tokenStream // longer words that have digits
	streams     // their number
)

// The alphabets of words, as bits.
const (
	digit = 1 << iota
	hexLetter
	letter
	dash
	marker // the bytes that have a meaning in the text
)

var alphabets = func() (of [256]byte) {
	for c := range streams {
		of[c] = marker
	}
	for c := '0'; c <= '9'; c++ {
		of[c] = digit
	}
	for c := 'a'; c <= 'z'; c++ {
		of[c], of[c-'a'+'A'] = letter, letter
	}
	for c := 'a'; c <= 'f'; c++ {
		of[c] = hexLetter
	}
	of['-'], of['_'] = dash, letter
	return of
}()

// streamOf returns the stream of a word with the alphabets and the length. Short words stay in the text, in which they are often repeated, and so do dates.
func streamOf(alphabet byte, length int) byte {
	switch {
	case alphabet == digit && length >= 6:
		return digitStream
	case alphabet&^dash == digit|hexLetter && length >= 8:
		return hexStream
	case alphabet&digit != 0 && alphabet&(hexLetter|letter) != 0 && length >= 16:
		return tokenStream
	}
	return textStream
}

// frameBuilder builds frames, and keeps its memory for the next one.
type frameBuilder struct {
	streams [streams][]byte
	lengths [streams][]byte
	packed  []byte
}

// add adds a payload.
func (f *frameBuilder) add(payload []byte) {
	var before [streams]int
	for i, s := range f.streams {
		before[i] = len(s)
	}
	left := f.streams[textStream]
	start := 0 // of what is in no stream yet
	for i := 0; i < len(payload); {
		alphabet := alphabets[payload[i]]
		end := i + 1
		switch alphabet {
		case 0:
			i = end
			continue
		case marker:
			left = append(append(left, payload[start:i]...), textStream, payload[i])
			i, start = end, end
			continue
		}
		for ; end < len(payload); end++ {
			a := alphabets[payload[end]]
			if a == 0 || a == marker {
				break
			}
			alphabet |= a
		}
		if s := streamOf(alphabet, end-i); s != textStream {
			left = append(append(left, payload[start:i]...), s)
			f.streams[s] = append(append(f.streams[s], payload[i:end]...), '\n')
			start = end
		}
		i = end
	}
	f.streams[textStream] = append(left, payload[start:]...)
	for i, s := range f.streams {
		f.lengths[i] = binary.AppendUvarint(f.lengths[i], uint64(len(s)-before[i]))
	}
}

// pack returns the frame of some payloads.
func (f *frameBuilder) pack(notices []Notice, compress *column.Encoder) []byte {
	for i := range streams {
		f.streams[i], f.lengths[i] = f.streams[i][:0], f.lengths[i][:0]
	}
	for _, n := range notices {
		f.add(n.Payload)
	}
	b, index := []byte{frameVersion}, binary.AppendUvarint(nil, uint64(len(notices)))
	f.packed = f.packed[:0]
	for i, s := range f.streams {
		before := len(f.packed)
		f.packed = compress.Compress(f.packed, s)
		b = binary.AppendUvarint(b, uint64(len(f.packed)-before))
		index = append(index, f.lengths[i]...)
	}
	f.packed = compress.Compress(f.packed, index)
	return append(b, f.packed...)
}

// frame is the payloads of successive rows.
type frame struct {
	whole  [][]byte          // those of an earlier version
	parted [][streams][]byte // what each has of the streams
}

// openFrame reads a frame.
func openFrame(b []byte) (frame, error) {
	if len(b) > 0 && b[0] == blockVersion {
		whole, err := openWhole(b)
		return frame{whole: whole}, err
	}
	if len(b) == 0 || b[0] != frameVersion {
		return frame{}, errBlock
	}
	r := numbers{b: b[1:]}
	var lengths [streams]int
	for i := range lengths {
		lengths[i] = r.next(len(b))
	}
	var all [streams][]byte
	for i, length := range lengths {
		if r.failed || length > len(r.b) {
			return frame{}, errBlock
		}
		var err error
		if all[i], err = decompress(nil, r.b[:length]); err != nil {
			return frame{}, err
		}
		r.b = r.b[length:]
	}
	index, err := decompress(nil, r.b)
	r = numbers{b: index}
	parted := make([][streams][]byte, r.next(framePayloads))
	for i, s := range all {
		for slot := range parted {
			n := r.next(len(s))
			parted[slot][i], s = s[:n], s[n:]
		}
	}
	if r.failed {
		err = errBlock
	}
	return frame{parted: parted}, err
}

// len returns the number of payloads.
func (f *frame) len() int { return max(len(f.whole), len(f.parted)) }

// payload returns the payload in a slot; false if there is none, or it is damaged.
func (f *frame) payload(slot int) ([]byte, bool) {
	switch {
	case slot < len(f.whole):
		return f.whole[slot], true
	case slot >= len(f.parted):
		return nil, false
	}
	from := f.parted[slot]
	length := 0
	for _, s := range from {
		length += len(s)
	}
	p := make([]byte, 0, length)
	for left := from[textStream]; ; {
		i := 0
		for i < len(left) && left[i] >= streams {
			i++
		}
		p = append(p, left[:i]...)
		if left = left[i:]; len(left) == 0 {
			return p, true
		}
		s := left[0]
		if left = left[1:]; s == textStream {
			if len(left) == 0 {
				return nil, false
			}
			p, left = append(p, left[0]), left[1:]
			continue
		}
		word, rest, ok := bytes.Cut(from[s], []byte{'\n'})
		if !ok {
			return nil, false
		}
		p, from[s] = append(p, word...), rest
	}
}

// eachPayload iterates over the payloads of a block with so many rows, by row. What is damaged is left out.
func eachPayload(frames []body, rows int) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for _, b := range frames {
			f, err := openFrame(b.body)
			if err != nil {
				continue
			}
			for slot := range f.len() {
				row := b.number*framePayloads + slot
				if payload, ok := f.payload(slot); ok && row < rows && !yield(row, payload) {
					return
				}
			}
		}
	}
}

// openWhole returns the payloads of a frame of an earlier version.
func openWhole(b []byte) (payloads [][]byte, err error) {
	if b, err = unpack(b); err != nil {
		return nil, err
	}
	r := numbers{b: b}
	lengths := make([]int, r.next(framePayloads))
	for i := range lengths {
		lengths[i] = r.next(mostUnpacked)
	}
	for _, l := range lengths {
		if r.failed || l > len(r.b) {
			return nil, errBlock
		}
		payloads, r.b = append(payloads, r.b[:l:l]), r.b[l:]
	}
	return payloads, nil
}

// numbers reads varints.
type numbers struct {
	b      []byte
	failed bool
}

// next reads a number. One that is greater than most fails.
func (r *numbers) next(most int) int {
	n, length := binary.Uvarint(r.b)
	if length <= 0 || n > uint64(most) {
		r.failed, r.b = true, nil
		return 0
	}
	r.b = r.b[length:]
	return int(n)
}
