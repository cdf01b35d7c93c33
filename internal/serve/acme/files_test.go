package acme

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/store"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		ctx, f := t.Context(), newFiles(s.DB, s.Accounts, (&clock{}).now)
		for _, key := range []string{"a/b/c", "a/b/d", "a/e", "ab"} {
			if err := f.Store(ctx, key, []byte("of "+key)); err != nil {
				t.Fatal(err)
			}
		}
		lists := map[string]struct {
			dir       string
			recursive bool
			want      []string
		}{
			"of the root": {"", false, []string{"a", "ab"}},
			"directory":   {"a", false, []string{"a/b", "a/e"}},
			"with slash":  {"a/", false, []string{"a/b", "a/e"}},
			"all below":   {"a", true, []string{"a/b/c", "a/b/d", "a/e"}},
		}
		for name, tt := range lists {
			got, err := f.List(ctx, tt.dir, tt.recursive)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
		got, err := f.Load(ctx, "a/e")
		info, statErr := f.Stat(ctx, "a/e")
		if string(got) != "of a/e" || err != nil || statErr != nil || !info.IsTerminal || info.Size != 6 || info.Modified.IsZero() {
			t.Errorf("%q, %+v: %v, %v", got, info, err, statErr)
		}
		if info, err := f.Stat(ctx, "a/b"); err != nil || info.IsTerminal || !f.Exists(ctx, "a/b") {
			t.Errorf("a directory is %+v: %v", info, err)
		}
		if err := errors.Join(f.Delete(ctx, "a/b"), f.Delete(ctx, "none")); err != nil {
			t.Error(err)
		}
		_, loadErr := f.Load(ctx, "a/b/c")
		_, statErr = f.Stat(ctx, "a/b")
		_, listErr := f.List(ctx, "a/b", true)
		for _, err := range []error{loadErr, statErr, listErr} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what is not there: %v", err)
			}
		}
		if said := fmt.Sprintf("%+v", f); said != "the database" || f.Exists(ctx, "a/b/c") || !f.Exists(ctx, "ab") {
			t.Errorf("%s; deleted too little or too much", said)
		}
	})
}

// A lock has one holder at a time, on all nodes, and a node that was killed does not block others for long.
func TestLocks(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		var c clock
		one, two, killed := newLocks(s.DB, s.Accounts, c.now), newLocks(s.DB, s.Accounts, c.now), newLocks(s.DB, s.Accounts, c.now)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		lock := func(l *locks) {
			t.Helper()
			if err := l.Lock(t.Context(), name); err != nil {
				t.Fatal(err)
			}
		}
		refused := func(l *locks) {
			t.Helper()
			if held, err := l.take(t.Context(), name); held || err != nil {
				t.Errorf("two nodes have the lock: %v", err)
			}
		}
		lock(one)
		refused(two)
		if err := one.Lock(gone, name); !errors.Is(err, context.Canceled) {
			t.Errorf("two have the lock on one node: %v", err)
		}
		if err := two.Lock(gone, name); err == nil {
			t.Error("two nodes have the lock")
		}
		if err := errors.Join(one.Unlock(gone, name), one.Unlock(gone, name)); err != nil {
			t.Error(err)
		}
		lock(two)
		refused(one)
		if err := two.Unlock(t.Context(), name); err != nil {
			t.Error(err)
		}
		if held, err := killed.take(t.Context(), name); !held || err != nil {
			t.Fatal(held, err)
		}
		c.push(leaseLasts - 2*time.Second)
		refused(one)
		c.push(2 * time.Second)
		lock(one)
		lock2, done := make(chan error, 1), one.Unlock
		go func() { lock2 <- one.Lock(t.Context(), name) }()
		if err := done(t.Context(), name); err != nil {
			t.Error(err)
		}
		if err := <-lock2; err != nil {
			t.Error(err)
		}
		if err := one.Unlock(t.Context(), name); err != nil {
			t.Error(err)
		}
	})
}

// Repeated requests for answers to challenges query the store only a few times per second.
func TestHearsay(t *testing.T) {
	t.Parallel()
	now, asked := time.Unix(1000, 0), 0
	h := challengeCache{now: func() time.Time { return now }, last: map[string]cachedChallenge{}}
	for range 100 {
		_, err := h.load("a", func() ([]byte, error) { asked++; return nil, fs.ErrNotExist })
		if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	now = now.Add(challengeCacheFor)
	got, err := h.load("a", func() ([]byte, error) { asked++; return []byte("answer"), nil })
	if string(got) != "answer" || err != nil || asked != 2 {
		t.Errorf("%q after %d questions: %v", got, asked, err)
	}
	now = now.Add(challengeCacheFor)
	if _, _ = h.load("b", func() ([]byte, error) { return nil, nil }); len(h.last) != 1 {
		t.Errorf("%d names are kept", len(h.last))
	}
}
