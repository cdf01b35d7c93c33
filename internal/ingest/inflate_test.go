package ingest

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"

	"sett/internal/sett"
)

// compressed returns data in a coding.
func compressed(t testing.TB, c coding, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch c {
	case gzipped:
		w = gzip.NewWriter(&out)
	case zlibbed:
		w = zlib.NewWriter(&out)
	case deflated:
		fw, err := flate.NewWriter(&out, flate.DefaultCompression)
		if err != nil {
			t.Fatal(err)
		}
		w = fw
	default:
		return data
	}
	compress(t, w, data)
	return out.Bytes()
}

// inflate returns the plain form of a body that was sent.
func inflate(f *inflater, body []byte, encoding string) ([]byte, error) {
	var m memory
	m.sent.Write(body)
	return m.plain(f, encoding)
}

func TestInflate(t *testing.T) {
	t.Parallel()
	body := sample(8 << 10)
	zlibBody, gzipBody, flateBody := compressed(t, zlibbed, body), compressed(t, gzipped, body), compressed(t, deflated, body)
	long := compressed(t, gzipped, bytes.Repeat([]byte("0123456789"), 200<<10))
	inflater := new(inflater)
	for _, c := range []struct {
		name, encoding string
		body           []byte
		code           sett.Code // "" when body comes out
	}{
		{"plain", "", body, ""},
		{"identity", "identity", body, ""},
		{"gzip", "gzip", gzipBody, ""},
		{"gzip by its old name", " X-GZip ", gzipBody, ""},
		{"zlib", "deflate", zlibBody, ""},
		{"bare deflate", "Deflate", flateBody, ""},
		{"zlib without a header", "", zlibBody, ""},
		{"gzip without a header", "", gzipBody, ""},

		{"unknown", "br", body, sett.Invalid},
		{"two codings", "gzip, gzip", gzipBody, sett.Invalid},
		{"plain said to be gzip", "gzip", body, sett.Malformed},
		{"plain said to be deflate", "deflate", []byte("plain text, not JSON"), sett.Malformed},
		{"nothing said to be gzip", "gzip", nil, sett.Malformed},
		{"nothing said to be deflate", "deflate", nil, sett.Malformed},
		{"half a gzip header", "gzip", gzipBody[:5], sett.Malformed},
		{"cut off gzip", "gzip", gzipBody[:len(gzipBody)/2], sett.Malformed},
		{"cut off gzip checksum", "gzip", gzipBody[:len(gzipBody)-1], sett.Malformed},
		{"cut off zlib", "deflate", zlibBody[:len(zlibBody)/2], sett.Malformed},
		{"cut off deflate", "deflate", flateBody[:len(flateBody)/2], sett.Malformed},
		{"wrong checksum", "deflate", append(bytes.Clone(zlibBody[:len(zlibBody)-1]), zlibBody[len(zlibBody)-1]^1), sett.Malformed},
		{"past the limit", "gzip", long, sett.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second time with readers that were used before
				got, err := inflate(inflater, c.body, c.encoding)
				if sett.CodeOf(err) != c.code || err != nil && c.code == "" {
					t.Fatalf("error = %v, want code %q", err, c.code)
				}
				if err == nil && !bytes.Equal(got, body) {
					t.Fatalf("%d bytes came out, want the %d that went in", len(got), len(body))
				}
			}
		})
	}
}

// A bomb must be given up long before its end.
func TestInflateGivesUpOnBombs(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 64<<20)
	for _, c := range []coding{gzipped, zlibbed, deflated} {
		bomb := compressed(t, c, zeros)
		z := bytes.NewReader(bomb)
		var pool sync.Pool
		var err error
		switch c {
		case gzipped:
			_, err = inflateGzip(&pool, z, nil)
		case zlibbed:
			_, err = inflateZlib(&pool, z, nil)
		default:
			_, err = inflateFlate(&pool, z, nil)
		}
		if sett.CodeOf(err) != sett.TooLarge {
			t.Errorf("coding %d: error = %v", c, err)
		}
		if read := len(bomb) - z.Len(); read > len(bomb)/16 {
			t.Errorf("coding %d: %d of %d bytes were read", c, read, len(bomb))
		}
	}
}

// A notice that repeats itself compresses far better than most, and is no bomb.
func TestInflateTakesRepetition(t *testing.T) {
	t.Parallel()
	body := []byte(`{"error":{"backtrace":[` + strings.Repeat(`{"file":"a.rb"},`, maxNotice/17) + `{}]}}`)
	packed := compressed(t, zlibbed, body)
	if len(body) > maxNotice || len(body) < maxRatio*len(packed) {
		t.Fatalf("%d bytes compress to %d: that says nothing", len(body), len(packed))
	}
	if got, err := inflate(new(inflater), packed, "deflate"); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes, error = %v", len(got), err)
	}
}

func FuzzInflate(f *testing.F) {
	body := sample(2 << 10)
	for _, c := range []coding{plain, gzipped, zlibbed, deflated} {
		f.Add(compressed(f, c, body), "deflate")
		f.Add(compressed(f, c, body), "gzip")
	}
	f.Add(compressed(f, deflated, make([]byte, 2<<20)), "deflate")
	inflater := new(inflater)
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		out, err := inflate(inflater, body, encoding)
		if len(out) > max(len(body), maxInflated) {
			t.Fatalf("%d bytes came out", len(out))
		}
		if code := sett.CodeOf(err); err != nil && code != sett.Malformed && code != sett.Invalid && code != sett.TooLarge {
			t.Fatalf("error = %v", err)
		}
	})
}
