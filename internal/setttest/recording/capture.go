package recording

import (
	"bufio"
	"bytes"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"testing"
)

//go:embed captures
var captures embed.FS

// Capture is any request of a client, byte by byte.
type Capture struct {
	Name           string // the client and what it did, such as otlp-python/01
	Method, Target string // of the request line
	Header         http.Header
	Body           []byte // as it was sent: compressed where the client compresses
}

// Captures returns the requests of a client, such as otlp-python, in the order in which they were sent.
func Captures(t testing.TB, client string) (all []Capture) {
	t.Helper()
	err := fs.WalkDir(captures, path.Join("captures", client), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".http" {
			return err
		}
		text, err := captures.ReadFile(name)
		if err != nil {
			return err
		}
		c, err := readCapture(text)
		c.Name = strings.TrimSuffix(strings.TrimPrefix(name, "captures/"), ".http")
		all = append(all, c)
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("read the requests of %s: %d of them, %v", client, len(all), err)
	}
	return all
}

// readCapture reads a request as it was on the wire, chunked or not.
func readCapture(text []byte) (c Capture, err error) {
	r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(text)))
	if err != nil {
		return c, err
	}
	defer r.Body.Close()
	c = Capture{Method: r.Method, Target: r.RequestURI, Header: r.Header}
	c.Body, err = io.ReadAll(r.Body)
	return c, err
}
