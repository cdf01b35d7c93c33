// Package recording is for tests only: it has requests that released clients sent, as they were recorded. It reads the files in notices and
// captures, and returns the requests, each with its body as it was sent. The package never changes a recording, and does not know what sett
// makes of one.
package recording

import (
	"bytes"
	"embed"
	"encoding/json"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

//go:embed notices/*.json
var files embed.FS

// Notice is a request that reports an error.
type Notice struct {
	Name    string            `json:"-"` // of the client and what it sent
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Encode  string            `json:"encode"` // "", "deflate" (zlib) or "gzip"
	Body    json.RawMessage   `json:"body"`   // before compression
}

// Notices returns all of them.
func Notices(t testing.TB) (all []Notice) {
	t.Helper()
	entries, err := files.ReadDir("notices")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		n := Notice{Name: strings.TrimSuffix(entry.Name(), ".json")}
		text, err := files.ReadFile(path.Join("notices", entry.Name()))
		if err == nil {
			err = json.Unmarshal(text, &n)
		}
		if err != nil {
			t.Fatalf("%s: %v", entry.Name(), err)
		}
		all = append(all, n)
	}
	return all
}

// Sent returns the body as the client sent it.
func (n Notice) Sent(t testing.TB) []byte {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, n.Body); err != nil {
		t.Fatal(err)
	}
	return Compressed(t, n.Encode, compact.Bytes())
}

// Compressed returns data in a Content-Encoding: "gzip", "deflate", "br", "zstd", "raw deflate" for a deflate stream without the zlib header, which
// some clients send, or anything else for none.
func Compressed(t testing.TB, encoding string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch encoding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw deflate":
		w, err = flate.NewWriter(&out, flate.DefaultCompression)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out)
	default:
		return data
	}
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
