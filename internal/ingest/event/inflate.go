package event

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"sett/internal/ingest/repair"
	"sett/internal/sett"
)

// The bounds of a body that is inflated.
const (
	MaxInflated = 1 << 20 // bytes of a notice

	zstdWindow = 8 << 20 // bytes; a client that wants more is refused (RFC 8878 §3.1.1.1.2 recommends to support 8 MB)
)

// Bounds is how much memory a body may take.
type Bounds struct {
	Most int                   // bytes of its plain form
	Hold func(bytes int) error // sets memory aside before it is used; nil if there is always enough
}

// coding is how a body is compressed.
type coding int

const (
	plain    coding = iota
	gzipped         // RFC 1952
	zlibbed         // RFC 1950, what HTTP calls deflate (RFC 9110 §8.4.1.2)
	deflated        // RFC 1951 alone, what some clients send as deflate
	brotlied        // RFC 7932
	zstded          // RFC 8878
)

// Inflater undoes the compression of request bodies and keeps its readers for later ones. The zero value is ready.
type Inflater struct {
	gzip, zlib, flate, brotli, zstd sync.Pool
}

// Plain returns body without its compression, whose Content-Encoding is given. What was compressed is written to *room, whose memory is
// reused. A body that is not compressed as that says is read by what it looks like, and of one that was cut off what came before, with a note.
// Errors: Malformed for a body that is none of this, TooLarge for one that inflates to more than b.Most bytes, Invalid for an
// unknown encoding, and those of b.Hold.
func (f *Inflater) Plain(body []byte, encoding string, b Bounds, room *[]byte, notes *repair.Notes) ([]byte, error) {
	inner, outer, twice := strings.Cut(encoding, ",")
	if !twice {
		inner, outer = "", encoding
	}
	plain, err := f.once(body, outer, b, room, notes)
	if err != nil || !twice && looksLike(plain) != gzipped {
		return plain, err
	}
	return f.once(plain, inner, b, new([]byte), notes) // compressed by a client and by its library
}

// once undoes one compression.
func (f *Inflater) once(body []byte, encoding string, b Bounds, room *[]byte, notes *repair.Notes) ([]byte, error) {
	c, err := codingOf(encoding, body)
	if err == nil && c == plain {
		return body, nil
	}
	if err == nil {
		if *room, err = f.inflate(body, c, b, (*room)[:0]); err == nil {
			return *room, nil
		}
	}
	if code := sett.CodeOf(err); code != sett.Malformed && code != sett.Invalid {
		return nil, err
	}
	if begins(body) {
		notes.Add(repair.NotCompressed)
		return body, nil
	}
	if like := looksLike(body); like != plain && like != c {
		if out, err := f.inflate(body, like, b, nil); err == nil {
			notes.Add(repair.NotCompressed)
			return out, nil
		}
	}
	if begins(*room) {
		notes.Add(repair.CutCompressed)
		return *room, nil
	}
	return nil, err
}

// begins reports whether a body that is not compressed begins like one that can be read.
func begins(body []byte) bool {
	if repair.IsWide(body) {
		return true
	}
	start := bytes.TrimLeft(body, " \t\r\n\uFEFF")
	return len(start) > 0 && (start[0] == '{' || start[0] == '[')
}

// inflate appends the plain form of body to room, which has length 0; with an error, what came out before. Errors: Malformed for a body that is broken or cut
// off, TooLarge as soon as more than b.Most bytes have come out: how well a body compresses says nothing about whether it is honest.
func (f *Inflater) inflate(body []byte, c coding, b Bounds, room []byte) (out []byte, err error) {
	source := bytes.NewReader(body)
	switch c {
	case gzipped:
		out, err = inflateGzip(&f.gzip, source, b, room)
	case zlibbed:
		out, err = inflateZlib(&f.zlib, source, b, room)
	case brotlied:
		out, err = inflateBrotli(&f.brotli, source, b, room)
	case zstded:
		out, err = inflateZstd(&f.zstd, source, b, room)
	default:
		out, err = inflateFlate(&f.flate, source, b, room)
	}
	if err != nil {
		return out, explained(err, c)
	}
	return out, nil
}

// explained says what is wrong with a compressed body that could not be read.
func explained(err error, c coding) error {
	switch {
	case sett.CodeOf(err) != "":
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return sett.Errorf(sett.Malformed, "The compressed body is truncated. Send the complete body.")
	default:
		return sett.Errorf(sett.Malformed, "The body cannot be decompressed: it is not valid %s data. Send it uncompressed, or compress it again.", c)
	}
}

// String returns what errors call a coding.
func (c coding) String() string {
	switch c {
	case brotlied:
		return "br"
	case zstded:
		return "zstd"
	default:
		return "gzip or deflate"
	}
}

// codingOf returns how a body with that Content-Encoding is compressed. Without an encoding a body that begins like gzip
// or zlib is taken for that all the same, as no JSON begins so: there are proxies that drop the header. The error is
// Invalid, for an unknown encoding.
func codingOf(encoding string, body []byte) (coding, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "identity":
		return looksLike(body), nil
	case "gzip", "x-gzip":
		return gzipped, nil
	case "deflate":
		if looksLike(body) == zlibbed {
			return zlibbed, nil
		}
		return deflated, nil
	case "br":
		return brotlied, nil
	case "zstd":
		return zstded, nil
	default:
		return plain, sett.Errorf(sett.Invalid, "The Content-Encoding %.100q is not supported. Send the body uncompressed, or compressed once with gzip, deflate, br or zstd.", encoding)
	}
}

// looksLike recognizes gzip, zlib and zstd by how they begin.
func looksLike(body []byte) coding {
	if len(body) < 2 {
		return plain
	}
	switch start := binary.BigEndian.Uint16(body); {
	case start == 0x1f8b:
		return gzipped
	case bytes.HasPrefix(body, []byte{0x28, 0xb5, 0x2f, 0xfd}): // RFC 8878 §3.1.1
		return zstded
	case body[0]&0x8f == 8 && start%31 == 0: // deflate, window ≤ 32 KiB, check bits (RFC 1950 §2.2)
		return zlibbed
	default:
		return plain
	}
}

func inflateGzip(pool *sync.Pool, source *bytes.Reader, b Bounds, room []byte) ([]byte, error) {
	z, ok := pool.Get().(*gzip.Reader)
	if !ok {
		z = new(gzip.Reader)
	}
	defer pool.Put(z)
	size := source.Len()
	if err := z.Reset(source); err != nil {
		return nil, endEarly(err)
	}
	return readBounded(z, size, b, room)
}

func inflateZlib(pool *sync.Pool, source *bytes.Reader, b Bounds, room []byte) ([]byte, error) {
	size := source.Len()
	z, ok := pool.Get().(io.Reader)
	if !ok {
		fresh, err := zlib.NewReader(source)
		if err != nil {
			return nil, endEarly(err)
		}
		z = fresh
	} else if err := z.(zlib.Resetter).Reset(source, nil); err != nil {
		return nil, endEarly(err)
	}
	defer pool.Put(z)
	return readBounded(z, size, b, room)
}

func inflateFlate(pool *sync.Pool, source *bytes.Reader, b Bounds, room []byte) ([]byte, error) {
	size := source.Len()
	z, ok := pool.Get().(io.Reader)
	if !ok {
		z = flate.NewReader(source)
	} else if err := z.(flate.Resetter).Reset(source, nil); err != nil {
		return nil, err
	}
	defer pool.Put(z)
	return readBounded(z, size, b, room)
}

func inflateBrotli(pool *sync.Pool, source *bytes.Reader, b Bounds, room []byte) ([]byte, error) {
	z, ok := pool.Get().(*brotli.Reader)
	if !ok {
		z = new(brotli.Reader)
	}
	defer pool.Put(z)
	size := source.Len()
	if err := z.Reset(source); err != nil {
		return nil, err
	}
	return readBounded(z, size, b, room)
}

func inflateZstd(pool *sync.Pool, source *bytes.Reader, b Bounds, room []byte) ([]byte, error) {
	z, ok := pool.Get().(*zstd.Decoder)
	if !ok {
		fresh, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		z = fresh
	}
	defer pool.Put(z)
	size := source.Len()
	if err := z.Reset(source); err != nil {
		return nil, endEarly(err)
	}
	return readBounded(z, size, b, room)
}

// endEarly makes the end of the data inside a header the same error as anywhere else.
func endEarly(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readBounded appends all of z, which inflates so many bytes, to out, which has length 0.
func readBounded(z io.Reader, compressed int, b Bounds, out []byte) ([]byte, error) {
	const usualRatio = 4
	out, err := b.grow(out, usualRatio*compressed+bytes.MinRead)
	for err == nil {
		if len(out) == cap(out) {
			if out, err = b.grow(out, len(out)); err != nil {
				break
			}
		}
		var n int
		n, err = z.Read(out[len(out):min(cap(out), b.Most+1)])
		out = out[:len(out)+n]
		if len(out) > b.Most {
			return nil, sett.Errorf(sett.TooLarge, "The decompressed body is too large: at most %d bytes of JSON are accepted. Send less data.", b.Most)
		}
	}
	if errors.Is(err, io.EOF) {
		return out, nil
	}
	return out, err
}

// grow returns out with room for so many more bytes, but not for many more than are accepted.
func (b Bounds) grow(out []byte, more int) ([]byte, error) {
	if more = min(more, b.Most+1-len(out)); cap(out)-len(out) >= more {
		return out, nil
	}
	if b.Hold != nil {
		if err := b.Hold(len(out) + more); err != nil {
			return out, err
		}
	}
	return slices.Grow(out, more), nil
}
