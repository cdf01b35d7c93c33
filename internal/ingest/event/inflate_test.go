package event

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest/recording"
)

// inflate returns the plain form of a body that was sent.
func inflate(f *Inflater, body []byte, encoding string) ([]byte, error) {
	return f.Plain(body, encoding, Bounds{Most: MaxInflated}, new([]byte))
}

func TestInflate(t *testing.T) {
	t.Parallel()
	body := sample(8 << 10)
	zlibBody, gzipBody, flateBody := recording.Compressed(t, "deflate", body), recording.Compressed(t, "gzip", body), recording.Compressed(t, "raw deflate", body)
	long := recording.Compressed(t, "gzip", bytes.Repeat([]byte("0123456789"), 200<<10))
	inflater := new(Inflater)
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

		{"br", "br", recording.Compressed(t, "br", body), ""},
		{"zstd", "ZSTD", recording.Compressed(t, "zstd", body), ""},

		{"unknown", "compress", body, sett.Invalid},
		{"two codings", "gzip, gzip", gzipBody, sett.Invalid},
		{"plain said to be gzip", "gzip", body, sett.Malformed},
		{"plain said to be br", "br", []byte("plain text, not JSON"), sett.Malformed},
		{"plain said to be zstd", "zstd", []byte("plain text, not JSON"), sett.Malformed},
		{"nothing said to be br", "br", nil, sett.Malformed},
		{"cut off br", "br", cut(recording.Compressed(t, "br", body)), sett.Malformed},
		{"cut off zstd", "zstd", cut(recording.Compressed(t, "zstd", body)), sett.Malformed},
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

func cut(body []byte) []byte { return body[:len(body)/2] }

// A bomb must be given up long before its end.
func TestInflateGivesUpOnBombs(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 64<<20)
	for encoding, open := range map[string]func(*sync.Pool, *bytes.Reader, Bounds, []byte) ([]byte, error){
		"gzip": inflateGzip, "deflate": inflateZlib, "raw deflate": inflateFlate, "br": inflateBrotli, "zstd": inflateZstd,
	} {
		bomb := recording.Compressed(t, encoding, zeros)
		z := bytes.NewReader(bomb)
		if _, err := open(new(sync.Pool), z, Bounds{Most: MaxInflated}, nil); sett.CodeOf(err) != sett.TooLarge {
			t.Errorf("%s: error = %v", encoding, err)
		}
		if read := len(bomb) - z.Len(); read > len(bomb)/16 && read > 4<<10 { // 64 MiB of zeros are 102 bytes of br
			t.Errorf("%s: %d of %d bytes were read", encoding, read, len(bomb))
		}
	}
}

// What repeats itself, such as the frames of an endless recursion or equal lines of a log, compresses far better than most, and is no bomb.
func TestInflateTakesRepetition(t *testing.T) {
	t.Parallel()
	line := `{"file":"tree.py","number":4,"method":"walk"},`
	body := []byte(strings.Repeat(line, MaxInflated/len(line)))
	for _, encoding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		packed, header := recording.Compressed(t, encoding, body), strings.TrimPrefix(encoding, "raw ")
		if len(body) < 150*len(packed) {
			t.Fatalf("%s: %d bytes compress to %d: that says nothing", encoding, len(body), len(packed))
		}
		if got, err := inflate(new(Inflater), packed, header); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes, error = %v", encoding, len(got), err)
		}
		if got, err := readStream(bytes.NewReader(packed), header, int64(len(body))); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: a stream of %d bytes, error = %v", encoding, len(got), err)
		}
	}
}

func FuzzInflate(f *testing.F) {
	body := sample(2 << 10)
	for _, c := range []string{"", "gzip", "deflate", "raw deflate", "br", "zstd"} {
		f.Add(recording.Compressed(f, c, body), c)
		f.Add(recording.Compressed(f, c, body), "deflate")
		f.Add(recording.Compressed(f, c, body), "gzip")
	}
	f.Add(recording.Compressed(f, "raw deflate", make([]byte, 2<<20)), "deflate")
	inflater := new(Inflater)
	f.Fuzz(func(t *testing.T, body []byte, encoding string) {
		out, err := inflate(inflater, body, encoding)
		if len(out) > max(len(body), MaxInflated) {
			t.Fatalf("%d bytes came out", len(out))
		}
		if code := sett.CodeOf(err); err != nil && code != sett.Malformed && code != sett.Invalid && code != sett.TooLarge {
			t.Fatalf("error = %v", err)
		}
	})
}
