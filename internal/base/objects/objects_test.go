package objects_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sett/internal/base/objects"
	"sett/internal/setttest/bucket"
)

func client(t *testing.T) (*objects.Client, *bucket.Bucket) {
	t.Helper()
	b := bucket.New(t)
	a, err := objects.ParseAddress(b.Address())
	if err != nil {
		t.Fatal(err)
	}
	c, err := objects.New(a)
	if err != nil {
		t.Fatal(err)
	}
	return c, b
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]objects.Address{
		"s3://b": {Bucket: "b", Endpoint: "s3.amazonaws.com", Region: "us-east-1"},
		"s3://b/a/c/?region=eu-west-1&endpoint=http://127.0.0.1:9000&path-style": {Bucket: "b", Prefix: "a/c/", Endpoint: "127.0.0.1:9000", Region: "eu-west-1", Plain: true, Path: true},
		"s3://b?endpoint=https://minio:9000&path-style=false":                    {Bucket: "b", Endpoint: "minio:9000", Region: "us-east-1"},
	} {
		if a, err := objects.ParseAddress(text); err != nil || a != want {
			t.Errorf("%s: %+v, %v, want %+v", text, a, err, want)
		}
	}
	for _, text := range []string{"", "b", "http://b/a", "s3://", "s3://key:secret@b", "s3://b?regin=x", "s3://b?endpoint=minio:9000", "s3://b?endpoint=http://minio/path", "s3://b#a", "s3://b?%"} {
		if a, err := objects.ParseAddress(text); err == nil {
			t.Errorf("%q is %+v", text, a)
		}
	}
}

// Objects are written, read in parts, and deleted, under the prefix. An object that is missing differs from storage that does not respond.
func TestClient(t *testing.T) {
	t.Parallel()
	c, b := client(t)
	body := bytes.Repeat([]byte("0123456789"), 100_000)
	if err := c.Put(t.Context(), "a/b", body); err != nil {
		t.Fatal(err)
	}
	if got := b.Keys()["/events/sett/a/b"]; !bytes.Equal(got, body) {
		t.Errorf("%d bytes are stored", len(got))
	}
	if got, err := c.Get(t.Context(), "a/b", 15, 7); string(got) != "5678901" || err != nil {
		t.Errorf("a part: %q, %v", got, err)
	}
	if _, err := c.Get(t.Context(), "a/b", 999_995, 10); err == nil || errors.Is(err, objects.ErrMissing) {
		t.Errorf("a part beyond the end: %v", err)
	}
	if _, err := c.Get(t.Context(), "a/none", 0, 1); err == nil {
		t.Error("an object that is not there was read")
	}
	for range 2 {
		if err := c.Delete(t.Context(), "a/b"); err != nil {
			t.Error(err)
		}
	}
	if n := len(b.Keys()); n != 0 {
		t.Errorf("%d objects are left", n)
	}
	for code, want := range map[string]string{"NoSuchBucket": "create it", "AccessDenied": "s3:PutObject", "QuotaExceeded": "full", "SlowDown": "SlowDown"} {
		b.Break(code)
		if err := c.Put(t.Context(), "x", body); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "s3://events/sett/") {
			t.Errorf("%s: %v", code, err)
		}
		if c.Failed() == nil {
			t.Errorf("%s: it counts as working", code)
		}
	}
}

// While object storage does not respond, only the first reader waits.
func TestReadersDoNotWaitForWhatIsAway(t *testing.T) {
	t.Parallel()
	c, b := client(t)
	if err := c.Put(t.Context(), "a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	b.Break("QuotaExceeded")
	if err := c.Put(t.Context(), "b", []byte("b")); err == nil {
		t.Error("a full storage took an object")
	}
	b.Break("")
	if _, err := c.Get(t.Context(), "a", 0, 1); err != nil {
		t.Errorf("once it is full, it is not read: %v", err)
	}
	b.Break("SlowDown")
	for range 2 {
		calls := b.Calls()
		if _, err := c.Get(t.Context(), "a", 0, 1); err == nil {
			t.Error("it was read")
		}
		if asked := b.Calls() - calls; asked > 1 {
			t.Errorf("it was asked %d times", asked)
		}
	}
	calls := b.Calls()
	if _, err := c.Get(t.Context(), "a", 0, 1); err == nil || b.Calls() != calls {
		t.Errorf("it was asked again at once: %v", err)
	}
}

// A caller that stops waiting says nothing about object storage.
func TestStoppedCallers(t *testing.T) {
	t.Parallel()
	c, b := client(t)
	b.Hang(true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Get(ctx, "a", 0, 1); !errors.Is(err, context.Canceled) || c.Failed() != nil {
		t.Errorf("%v, and it counts as %v", err, c.Failed())
	}
}

// counted counts what a cache reads, and can be held up.
type counted struct {
	objects.Storage
	mu   sync.Mutex
	gets int
	hold chan struct{}
}

func (s *counted) Get(_ context.Context, key string, from, length int64) ([]byte, error) {
	<-s.hold
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets++
	if key == "missing" {
		return nil, objects.ErrMissing
	}
	return bytes.Repeat([]byte(key[:1]), int(length)), nil
}

func newCounted() *counted {
	s := &counted{hold: make(chan struct{})}
	close(s.hold)
	return s
}

// A cache returns what it has, also that of an earlier process, throws out what was read longest ago, and never returns a damaged file.
func TestCache(t *testing.T) {
	t.Parallel()
	s, dir := newCounted(), filepath.Join(t.TempDir(), "cache")
	c := objects.NewCache(s, dir, 1000)
	get := func(key string, gets int) {
		t.Helper()
		body, err := c.Get(t.Context(), key, 3, 300)
		if err != nil || string(body) != strings.Repeat(key[:1], 300) || s.gets != gets {
			t.Errorf("%s: %d bytes, %v, %d reads, want %d", key, len(body), err, s.gets, gets)
		}
	}
	for i, key := range []string{"a", "b", "c"} {
		get(key, i+1)
	}
	get("a", 3)
	get("d", 4) // throws out b
	get("a", 4)
	get("b", 5) // throws out c
	if st := c.State(); st.Bytes > 1000 || st.Files != 3 || st.Hits != 2 || st.Misses != 5 {
		t.Errorf("%+v", st)
	}
	foreign, half := filepath.Join(dir, "mine.txt"), filepath.Join(dir, "x.part.new")
	for _, name := range []string{foreign, half} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c = objects.NewCache(s, dir, 1000)
	get("a", 5)
	get("d", 5)
	if _, err := os.Stat(foreign); err != nil {
		t.Errorf("a file of another program: %v", err)
	}
	if _, err := os.Stat(half); err == nil {
		t.Error("a file that was not completed is left")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.part"))
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			text = text[:len(text)/2]
		} else {
			text[7]++
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	get("a", 6)
	get("d", 7)
	c = objects.NewCache(s, dir, 300) // there is less room now
	if st := c.State(); st.Bytes > 300 {
		t.Errorf("%+v", st)
	}
	if _, err := c.Get(t.Context(), "missing", 0, 1); !errors.Is(err, objects.ErrMissing) {
		t.Error(err)
	}
}

// Without a directory that can be written, or without room, everything is read.
func TestCacheWithoutRoom(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*objects.Cache{
		"no directory": objects.NewCache(newCounted(), filepath.Join(file, "cache"), 1000),
		"no room":      objects.NewCache(newCounted(), t.TempDir(), 0),
	} {
		for range 2 {
			if body, err := c.Get(t.Context(), "a", 0, 3); string(body) != "aaa" || err != nil {
				t.Errorf("%s: %q, %v", name, body, err)
			}
		}
		if st := c.State(); st.Bytes != 0 || st.Misses != 2 {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

// Readers of the same part share one call.
func TestReadersShareACall(t *testing.T) {
	t.Parallel()
	s := &counted{hold: make(chan struct{})}
	c := objects.NewCache(s, t.TempDir(), 0)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 { // each begins the call, or waits for it
		if _, err := c.Get(stopped, "a", 0, 3); !errors.Is(err, context.Canceled) {
			t.Errorf("a reader that stops: %v", err)
		}
	}
	if st := c.State(); st.Misses != 1 {
		t.Errorf("three readers began %d calls", st.Misses)
	}
	var group sync.WaitGroup
	group.Go(func() {
		if body, err := c.Get(t.Context(), "a", 0, 3); string(body) != "aaa" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	})
	close(s.hold)
	group.Wait()
}
