package event

import (
	"bufio"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"sett/internal/ingest/repair"
	"sett/internal/sett"
)

// Stream is a body that is too large to be held whole, without its compression. Close it.
type Stream struct {
	coding  coding
	source  *bodyReader
	plain   io.Reader
	read    int64
	most    int64
	legible bool // what was read begins like a body that is not compressed
	notes   *repair.Notes
	close   func()
}

// bodyReader remembers why a body could not be read, so that this is not taken for damage of what it has.
type bodyReader struct {
	io.Reader
	failed bool
}

func (b *bodyReader) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.failed = b.failed || err != nil && !errors.Is(err, io.EOF)
	return n, err
}

// NewStream returns a body without its compression, whose Content-Encoding is given. It ends with an error of Inflater.Plain, TooLarge after
// most bytes. One that is not compressed as that says is read by what it looks like, and one that was cut off or is damaged ends there, both with a
// note. The error is Invalid for an unknown encoding.
func NewStream(body io.Reader, encoding string, most int64, notes *repair.Notes) (*Stream, error) {
	s := &Stream{most: most, close: func() {}, notes: notes, source: &bodyReader{Reader: body}}
	source := bufio.NewReader(s.source)
	start, _ := source.Peek(4) // an error comes again when the rest is read
	var err error
	s.coding, err = codingOf(encoding, start)
	marked := err != nil || s.coding == gzipped || s.coding == zstded // its first bytes are known
	if like := looksLike(start); marked && (begins(start) || like != plain && like != s.coding) {
		notes.Add(repair.NotCompressed)
		s.coding, err = like, nil
	}
	if err != nil {
		return nil, err
	}
	if err := s.open(source); err != nil {
		return nil, s.explain(endEarly(err))
	}
	return s, nil
}

func (s *Stream) open(source io.Reader) (err error) {
	switch s.coding {
	case plain:
		s.plain = source
	case gzipped:
		s.plain, err = gzip.NewReader(source)
	case zlibbed:
		s.plain, err = zlib.NewReader(source)
	case brotlied:
		s.plain = brotli.NewReader(source)
	case zstded:
		var z *zstd.Decoder
		z, err = zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
		if err == nil {
			s.plain, s.close = z, z.Close
		}
	default:
		s.plain = flate.NewReader(source)
	}
	return err
}

func (s *Stream) Read(p []byte) (int, error) {
	n, err := s.plain.Read(p)
	if s.read == 0 {
		s.legible = begins(p[:n])
	}
	s.read += int64(n)
	if s.read > s.most {
		return 0, sett.Errorf(sett.TooLarge, "The decompressed body is too large: at most %d bytes are accepted. Send less data.", s.most)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.end(s.explain(err))
	}
	return n, err
}

// end returns the end of the stream for an error after which what was read is kept.
func (s *Stream) end(err error) error {
	if s.source.failed || !s.legible || s.coding == plain || sett.CodeOf(err) != sett.Malformed {
		return err
	}
	s.notes.Add(repair.CutCompressed)
	return io.EOF
}

// explain says what is wrong with a body; errors of reading it say so themselves.
func (s *Stream) explain(err error) error {
	if s.coding == plain {
		return err
	}
	return explained(err, s.coding)
}

// Close gives back what the stream used.
func (s *Stream) Close() { s.close() }
