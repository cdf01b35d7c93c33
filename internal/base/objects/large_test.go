package objects_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/base/objects"
	"sett/internal/setttest/bucket"
)

// large returns a client that waits for nothing, and an object of three parts.
func large(t *testing.T) (c *objects.Client, b *bucket.Bucket, body []byte, write func(io.Writer) error) {
	t.Helper()
	c, b = client(t)
	c.Rest = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	body = bytes.Repeat([]byte("0123456789abcdef"), 20<<20/16)
	return c, b, body, func(w io.Writer) error {
		for from := 0; from < len(body); from += 300_000 {
			if _, err := w.Write(body[from:min(len(body), from+300_000)]); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestLargeObjects(t *testing.T) {
	t.Parallel()
	c, b, body, write := large(t)
	if n, err := c.Upload(t.Context(), "a", int64(len(body)), write); n != int64(len(body)) || err != nil {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if got := b.Keys()["/events/sett/a"]; !bytes.Equal(got, body) || b.Uploads() > 0 {
		t.Errorf("%d bytes are stored, and %d uploads left", len(got), b.Uploads())
	}
	read := func(key string) ([]byte, error) {
		r, err := c.Open(t.Context(), key)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	if got, err := read("a"); !bytes.Equal(got, body) || err != nil {
		t.Errorf("%d bytes are read, %v", len(got), err)
	}
	if _, err := read("none"); !errors.Is(err, objects.ErrMissing) {
		t.Errorf("what is not there: %v", err)
	}
	if n, err := c.Upload(t.Context(), "empty", 0, func(io.Writer) error { return nil }); n != 0 || err != nil {
		t.Errorf("nothing: %d bytes, %v", n, err)
	}
	if got, err := read("empty"); len(got) > 0 || err != nil {
		t.Errorf("nothing: %d bytes, %v", len(got), err)
	}
}

// A part that fails is sent or received again, and only so often.
func TestLargeObjectsWhileStorageIsAway(t *testing.T) {
	t.Parallel()
	c, b, body, write := large(t)
	rests := 0
	c.Rest = func(context.Context, time.Duration) error {
		if rests++; rests%2 == 0 {
			b.Break("")
		}
		return nil
	}
	b.BreakAfter(2, "SlowDown")
	if _, err := c.Upload(t.Context(), "a", 0, write); err != nil || rests != 2 {
		t.Fatalf("%v after %d rests", err, rests)
	}
	r, err := c.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	b.BreakAfter(1, "InternalError")
	if got, err := io.ReadAll(r); !bytes.Equal(got, body) || err != nil || rests != 4 {
		t.Errorf("%d bytes are read, %v, after %d rests", len(got), err, rests)
	}
	c.Rest = func(context.Context, time.Duration) error { rests++; return nil }
	for code, more := range map[string]int{"SlowDown": 3, "AccessDenied": 0, "QuotaExceeded": 0} {
		rests = 0
		b.BreakAfter(2, code)
		if _, err := c.Upload(t.Context(), "b", 0, write); err == nil || !strings.Contains(err.Error(), code) || rests != more {
			t.Errorf("%s: %v after %d rests", code, err, rests)
		}
		b.Break("")
	}
	if _, ok := b.Keys()["/events/sett/b"]; ok {
		t.Error("a part of an object is there")
	}
}

// What fails or is stopped leaves the earlier object, and no parts.
func TestUploadsThatEnd(t *testing.T) {
	t.Parallel()
	c, b, _, write := large(t)
	if err := c.Put(t.Context(), "a", []byte("earlier")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is broken")
	ctx, stop := context.WithCancel(t.Context())
	for what, end := range map[string]func(){"fails": func() {}, "is stopped": stop} {
		_, err := c.Upload(ctx, "a", 0, func(w io.Writer) error {
			if err := write(w); err != nil {
				return err
			}
			if end(); ctx.Err() == nil {
				return broken
			}
			return nil // and is stopped before the end
		})
		if !errors.Is(err, broken) && !errors.Is(err, context.Canceled) || b.Uploads() > 0 || string(b.Keys()["/events/sett/a"]) != "earlier" {
			t.Errorf("an upload that %s: %v, %d uploads are left", what, err, b.Uploads())
		}
	}
}

// An object that is replaced while it is read is no mixture.
func TestReplacedWhileRead(t *testing.T) {
	t.Parallel()
	c, b, _, write := large(t)
	if _, err := c.Upload(t.Context(), "a", 0, write); err != nil {
		t.Fatal(err)
	}
	r, err := c.Open(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	b.Retag("another")
	if _, err := io.ReadAll(r); err == nil {
		t.Error("it was read")
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	c, b := client(t)
	for _, key := range []string{"x-2", "x-1", "x-dir/y", "y", "x-3"} {
		if err := c.Put(t.Context(), key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	var keys []string
	if err := c.Keys(t.Context(), "x-", func(key string) bool { keys = append(keys, key); return len(keys) < 5 }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x-1", "x-2", "x-3"}, keys); diff != "" {
		t.Error(diff)
	}
	for key, want := range map[string]bool{"x-dir": true, "x": false, "x-1": false} {
		if is, err := c.IsPrefix(t.Context(), key); is != want || err != nil {
			t.Errorf("%s is a prefix: %v, %v", key, is, err)
		}
	}
	b.Break("NoSuchBucket")
	if err := c.Keys(t.Context(), "", func(string) bool { return true }); err == nil || !strings.Contains(err.Error(), "create it") {
		t.Error(err)
	}
}

// An upload whose completion was not answered has succeeded if its object is there; one of an earlier upload, as large, does not count.
func TestUploadsWhoseCompletionIsNotAnswered(t *testing.T) {
	t.Parallel()
	c, b, body, write := large(t)
	b.LoseCompletion(true)
	if n, err := c.Upload(t.Context(), "a", 0, write); n != int64(len(body)) || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	if got := b.Keys()["/events/sett/a"]; !bytes.Equal(got, body) {
		t.Errorf("%d bytes are stored", len(got))
	}
	b.LoseCompletion(false)
	if _, err := c.Upload(t.Context(), "a", 0, write); err == nil {
		t.Error("the object of an earlier upload was taken for this one's")
	}
}

// Only uploads of one's own that began long ago are aborted.
func TestAbortUploads(t *testing.T) {
	t.Parallel()
	c, b, _, write := large(t)
	for _, key := range []string{"mine", "other"} {
		b.BreakAfter(2, "AccessDenied") // also for the call that aborts it
		if _, err := c.Upload(t.Context(), key, 0, write); err == nil {
			t.Fatal("it was uploaded")
		}
		b.Break("")
	}
	mine := func(key string) bool { return key == "mine" }
	now := time.Now()
	for _, step := range []struct {
		before     time.Time
		ended, all int
	}{{now.Add(-time.Hour), 0, 2}, {now.Add(time.Hour), 1, 1}, {now.Add(time.Hour), 0, 1}} {
		if n, err := c.AbortUploads(t.Context(), step.before, mine); n != step.ended || err != nil || b.Uploads() != step.all {
			t.Errorf("%d were aborted, %d are left, %v; want %+v", n, b.Uploads(), err, step)
		}
	}
}

func TestAddressesOfObjects(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		"s3://b/a":                             {"s3://b/", "a"},
		"s3://b/a/c/d?region=eu-west-1":        {"s3://b/a/c/", "d"},
		objects.Join("s3://b?path-style", "k"): {"s3://b/", "k"},
		objects.Join("s3://b/a/", "k"):         {"s3://b/a/", "k"},
	} {
		if a, key, err := objects.ParseObject(text); err != nil || a.String() != want[0] || key != want[1] {
			t.Errorf("%s: %s, %q, %v", text, a, key, err)
		}
	}
	for _, text := range []string{"s3://b", "s3://b/", "s3://b/a/", "s3://b/a/?region=x", "s3:///a", "s3://b/a?regin=x"} {
		if a, key, err := objects.ParseObject(text); err == nil {
			t.Errorf("%q is %s, %q", text, a, key)
		}
	}
}
