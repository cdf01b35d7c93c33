package probe

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/net/html/charset"
)

const (
	rawBytes    = 2 << 20 // that may make up a compressed page
	mostCodings = 3       // one after another
	zstdWindow  = 8 << 20 // which RFC 9659 allows
)

// plainBody is a page without its compression.
type plainBody struct {
	io.Reader
	close func()
}

// decode returns the page as its writer meant it. A page in an unknown coding stays as it is, and is unreadable.
func (p *page) decode(body io.Reader) (plain plainBody, err error) {
	codings, known := codingsOf(p.header.Values("Content-Encoding"))
	if !known {
		p.unreadable = problem("Response body has the Content-Encoding " + printable(strings.Join(codings, ", ")) + ", which cannot be read")
		codings = nil
	}
	plain = plainBody{body, func() {}}
	for i := len(codings) - 1; i >= 0; i-- { // the last was applied last
		outer := plain.close
		next, err := open(codings[i], plain.Reader)
		if err != nil {
			outer()
			return plain, err
		}
		plain = plainBody{next.Reader, func() { next.close(); outer() }}
	}
	return plain, nil
}

// codingsOf returns the codings of a body in the order in which they were applied, and whether each is known.
func codingsOf(headers []string) (codings []string, known bool) {
	for _, name := range strings.Split(strings.ToLower(strings.Join(headers, ",")), ",") {
		if name = strings.TrimPrefix(strings.TrimSpace(name), "x-"); !isNoCoding(name) {
			codings = append(codings, name)
		}
	}
	known = len(codings) <= mostCodings
	for _, name := range codings {
		known = known && strings.Contains(" gzip deflate br zstd ", " "+name+" ")
	}
	return codings, known
}

// isNoCoding reports whether a name says that a body is not compressed, be it by mistake, such as the name of a charset.
func isNoCoding(name string) bool {
	e, _ := charset.Lookup(name)
	return e != nil || strings.Contains("  identity none binary 7bit 8bit aws-chunked ", " "+name+" ")
}

// open undoes one coding. An empty body is empty in every coding.
func open(coding string, body io.Reader) (plainBody, error) {
	from := &source{coding: coding, Reader: body, left: rawBytes}
	start := bufio.NewReader(from)
	if _, err := start.Peek(1); err != nil {
		return plainBody{start, func() {}}, unlessEOF(err)
	}
	plain, err := from.open(start)
	return plainBody{&explained{plain, from}, plain.close}, from.explain(err)
}

func (s *source) open(start *bufio.Reader) (plain plainBody, err error) {
	plain.close = func() {}
	switch s.coding {
	case "gzip":
		plain.Reader, err = newMembers(start)
	case "deflate":
		plain.Reader, err = inflate(start)
	case "br":
		plain.Reader = brotli.NewReader(start)
	case "zstd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(start, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow), zstd.WithDecoderLowmem(true))
		if err == nil {
			plain = plainBody{z, z.Close}
		}
	}
	return plain, err
}

// inflate undoes deflate, which means zlib (RFC 9110 §8.4.1.2) and which some send without zlib's header.
func inflate(start *bufio.Reader) (io.Reader, error) {
	header, err := start.Peek(2)
	if err == nil && header[0]&0x0f == 8 && (int(header[0])<<8|int(header[1]))%31 == 0 {
		return zlib.NewReader(start)
	}
	return flate.NewReader(start), nil
}

// members reads gzip members one after another, and ends at what is none: browsers ignore what follows the last.
type members struct {
	from *bufio.Reader
	one  *gzip.Reader
}

func newMembers(from *bufio.Reader) (*members, error) {
	one, err := gzip.NewReader(from)
	if err == nil {
		one.Multistream(false)
	}
	return &members{from, one}, err
}

func (m *members) Read(p []byte) (int, error) {
	n, err := m.one.Read(p)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	err = m.one.Reset(m.from)
	if errors.Is(err, gzip.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	m.one.Multistream(false)
	return n, err
}

// source is the compressed body. It knows how it has ended.
type source struct {
	coding string
	io.Reader
	left int
	err  error // of reading; nil while there is none
}

func (s *source) Read(p []byte) (n int, err error) {
	if s.left <= 0 {
		s.err = problem("Response body is larger than 2 MiB, although it is compressed")
		return 0, s.err
	}
	n, err = s.Reader.Read(p[:min(len(p), s.left)])
	s.left -= n
	if err != nil {
		s.err = err
	}
	return n, err
}

// explain distinguishes a body that broke off from one that is not valid in its coding.
func (s *source) explain(err error) error {
	switch {
	case err == nil:
		return nil
	case s.err != nil && !errors.Is(s.err, io.EOF):
		return s.err
	case errors.Is(err, io.EOF):
		return err
	}
	return problem("Response body is not valid " + s.coding + ", although its Content-Encoding says so")
}

// explained is what is read of a source without its coding.
type explained struct {
	plain io.Reader
	from  *source
}

func (e *explained) Read(p []byte) (int, error) {
	n, err := e.plain.Read(p)
	return n, e.from.explain(err)
}

func unlessEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
