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

	"sett/internal/sett"
)

// Stream is a body that is too large to be held whole, without its compression. Close it.
type Stream struct {
	coding coding
	plain  io.Reader
	read   int64
	most   int64
	close  func()
}

// NewStream returns a body without its compression, whose Content-Encoding is given. It ends with an error of Inflater.Plain, TooLarge after
// most bytes. The error is Invalid for an unknown encoding.
func NewStream(body io.Reader, encoding string, most int64) (*Stream, error) {
	s := &Stream{most: most, close: func() {}}
	source := bufio.NewReader(body)
	start, _ := source.Peek(2) // an error comes again when the rest is read
	var err error
	if s.coding, err = codingOf(encoding, start); err != nil {
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
	s.read += int64(n)
	if s.read > s.most {
		return 0, sett.Errorf(sett.TooLarge, "The decompressed body is too large: at most %d bytes are accepted. Send less data.", s.most)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = s.explain(err)
	}
	return n, err
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
