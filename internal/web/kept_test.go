package web

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"
)

// A page never waits for the whole of what takes long: that is read once, in the background.
func TestKept(t *testing.T) {
	t.Parallel()
	k := Kept[int, string]{Log: slog.New(slog.DiscardHandler)}
	now, some := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), 0
	var all atomic.Int32 // written by what reads in the background
	few, release := false, make(chan error)
	parts := Parts[string]{
		Some: func(context.Context) (string, bool, error) { some++; return "some", few, nil },
		All: func(ctx context.Context) (string, error) {
			all.Add(1)
			return "all", errors.Join(<-release, ctx.Err())
		},
	}
	want := func(key int, value string, wantSome int, wantAll int32, when string) {
		t.Helper()
		ctx, left := context.WithCancel(t.Context())
		got, err := k.Read(ctx, now, key, parts)
		if left(); got != value || err != nil || some != wantSome {
			t.Errorf("%s: %q, read in part %d times, %v; want %q, %d", when, got, some, err, value, wantSome)
		}
		if k.mu.Lock(); len(k.reading) > mostReading || len(k.of) > mostKept {
			t.Errorf("%s: %d are read and %d kept", when, len(k.reading), len(k.of))
		}
		k.mu.Unlock()
		if wantAll >= 0 {
			release <- nil
			k.Wait()
			if got := all.Load(); got != wantAll {
				t.Errorf("%s: read as a whole %d times, want %d", when, got, wantAll)
			}
		}
	}
	want(1, "some", 1, -1, "never read")
	want(1, "some", 2, 1, "still being read")
	want(1, "all", 2, -1, "kept")
	now = now.Add(keptFresh)
	want(1, "all", 2, -1, "no longer fresh")
	want(1, "all", 2, 2, "being read again")
	now = now.Add(-time.Hour)
	want(1, "some", 3, 3, "after the clock was set back")
	now = now.Add(keptFor)
	want(1, "some", 4, -1, "long ago")
	release <- errors.New("broken")
	k.Wait()
	want(1, "some", 5, 5, "after a failure")
	few = true
	want(2, "some", 6, -1, "few")
	want(2, "some", 7, -1, "few again")
	few = false
	want(3, "some", 8, -1, "another")
	want(4, "some", 9, -1, "and another")
	want(5, "some", 10, -1, "too many at once")
	release <- nil
	release <- nil
	if k.Wait(); all.Load() != 7 {
		t.Errorf("too many at once: read as a whole %d times, want 7", all.Load())
	}
	close(release)
	for key := range 2 * mostKept {
		want(key+10, "some", key+11, -1, "many")
		k.Wait()
	}
}

// What is read as a whole is read once while it is fresh, unless that fails.
func TestKeptWhole(t *testing.T) {
	t.Parallel()
	k := Kept[int, int]{}
	now, reads := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), 0
	var failure error
	want := func(key, value int, when string) {
		t.Helper()
		got, err := k.ReadWhole(t.Context(), now, key, func(context.Context) (int, error) { reads++; return reads, failure })
		if got != value || !errors.Is(err, failure) {
			t.Errorf("%s: %d, %v; want %d", when, got, err, value)
		}
	}
	want(1, 1, "never read")
	want(1, 1, "kept")
	want(2, 2, "another key")
	now = now.Add(keptFresh)
	want(1, 3, "no longer fresh")
	now = now.Add(-time.Hour)
	want(1, 4, "after the clock was set back")
	failure = errors.New("broken")
	want(3, 5, "a failure")
	want(3, 6, "a failure is not kept")
	failure = nil
	for key := range 2 * mostKept {
		if want(key+10, key+7, "many"); len(k.of) > mostKept {
			t.Fatalf("%d are kept", len(k.of))
		}
	}
}
