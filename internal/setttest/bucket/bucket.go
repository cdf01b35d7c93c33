// Package bucket is object storage for tests. It listens on loopback and keeps objects in memory. It
// can be away, slow or full when a test wants that. It checks no signature, and implements only the
// part of S3 that package objects needs. End-to-end tests use a real server.
package bucket

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Bucket is a bucket of a running server.
type Bucket struct {
	server *httptest.Server

	mu      sync.Mutex
	objects map[string][]byte // by path
	marks   map[string]string // of objects that were uploaded in parts, by path
	loses   bool              // the answer to the next completion of an upload
	drops   bool              // loses the object too
	gets    int
	calls   int
	broken  string            // the code of the error that every call gets; "": none
	tag     string            // of objects
	left    int               // calls until it breaks
	uploads map[string]*parts // by id
	hangs   chan struct{}
}

// New starts a server, which stops when the test ends, and sets the credentials for it.
func New(t testing.TB) *Bucket {
	t.Helper()
	b := &Bucket{objects: map[string][]byte{}, marks: map[string]string{}, uploads: map[string]*parts{}, tag: "etag"}
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} { // the same for all tests of a process
		if err := os.Setenv(name, "of-tests"); err != nil {
			t.Fatal(err)
		}
	}
	b.server = httptest.NewServer(b)
	t.Cleanup(func() { b.Hang(false); b.server.Close() })
	return b
}

// Address returns the address of the bucket, for --blocks.
func (b *Bucket) Address() string {
	return "s3://events/sett?path-style=true&endpoint=" + b.server.URL
}

// Keys returns the paths of all objects.
func (b *Bucket) Keys() map[string][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.objects)
}

// Gets returns how many parts of objects were read.
func (b *Bucket) Gets() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.gets
}

// Calls returns how many requests there were.
func (b *Bucket) Calls() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.calls
}

// Break makes every call fail with a code of S3, such as SlowDown or QuotaExceeded; "" ends that.
func (b *Bucket) Break(code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken, b.left = code, 0
}

// BreakAfter makes every call after so many fail with a code of S3.
func (b *Bucket) BreakAfter(calls int, code string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.broken, b.left = code, calls
}

// Retag gives all objects another tag, as if each had been replaced.
func (b *Bucket) Retag(tag string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tag = tag
}

// LoseCompletion answers to the next completion of an upload that storage is slow, as if the answer had been lost. Without object, the upload ends and
// leaves none.
func (b *Bucket) LoseCompletion(object bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.loses, b.drops = true, !object
}

// Hang makes every call wait until that ends.
func (b *Bucket) Hang(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.hangs != nil {
		close(b.hangs)
		b.hangs = nil
	}
	if on {
		b.hangs = make(chan struct{})
	}
}

func (b *Bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := content(r)
	if err != nil {
		fail(w, "IncompleteBody")
		return
	}
	b.mu.Lock()
	hangs := b.hangs
	b.mu.Unlock()
	if hangs != nil {
		<-hangs
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	have, ok := b.objects[r.URL.Path]
	broken := b.broken != "" && b.left == 0
	b.left = max(0, b.left-1)
	switch {
	case broken:
		fail(w, b.broken)
	case b.upload(w, r, body) || b.list(w, r):
	case r.Method == http.MethodPut:
		b.objects[r.URL.Path], b.marks[r.URL.Path] = body, ""
		w.Header().Set("ETag", `"etag"`)
	case r.Method == http.MethodDelete:
		delete(b.objects, r.URL.Path)
		w.WriteHeader(http.StatusNoContent)
	case !ok:
		fail(w, "NoSuchKey")
	default:
		if r.Method == http.MethodGet {
			b.gets++
		}
		w.Header().Set("ETag", `"`+b.tag+`"`)
		w.Header().Set(markHeader, b.marks[r.URL.Path])
		http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(have))
	}
}

// content reads the body of a request, which may be cut into signed chunks.
func content(r *http.Request) (body []byte, err error) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING") {
		return io.ReadAll(r.Body)
	}
	from := bufio.NewReader(r.Body)
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return nil, err
		}
		size, _, _ := strings.Cut(line, ";")
		n, err := strconv.ParseInt(strings.TrimSpace(size), 16, 32)
		if err != nil || n == 0 {
			return body, err
		}
		chunk := make([]byte, n+2)
		if _, err := io.ReadFull(from, chunk); err != nil {
			return nil, err
		}
		body = append(body, chunk[:n]...)
	}
}

// statuses are the HTTP statuses of codes.
var statuses = map[string]int{"NoSuchKey": 404, "NoSuchBucket": 404, "NoSuchUpload": 404, "InvalidArgument": 400, "AccessDenied": 403, "QuotaExceeded": 403, "SlowDown": 503, "IncompleteBody": 400}

func fail(w http.ResponseWriter, code string) {
	w.Header().Set("Content-Type", "application/xml")
	status := statuses[code]
	if status == 0 {
		status = http.StatusInternalServerError
	}
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}
