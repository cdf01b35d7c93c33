package ingest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/sett"
)

// shelf is where a committer of these tests stores numbers; it doubles them.
type shelf struct {
	mu      sync.Mutex
	gate    chan struct{} // nil: open
	poison  int
	down    error
	batches [][]int
}

func (s *shelf) commit(_ context.Context, items []int) ([]int, error) {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down != nil {
		return nil, s.down
	}
	if s.poison != 0 && slices.Contains(items, s.poison) {
		return nil, errors.New("cannot be stored")
	}
	s.batches = append(s.batches, slices.Clone(items))
	results := make([]int, len(items))
	for i, n := range items {
		results[i] = 2 * n
	}
	return results, nil
}

// What comes while a commit is under way is the next batch, and everybody gets their own result.
func TestCommitterSharesCommits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{gate: make(chan struct{})}
		k := newCommitter(s.commit)
		var wg sync.WaitGroup
		ask := func(n int) {
			wg.Go(func() {
				if got, err := k.do(n); got != 2*n || err != nil {
					t.Errorf("%d: %d, %v", n, got, err)
				}
			})
			synctest.Wait()
		}
		for n := range 1 + mostInBatch + 1 {
			ask(n + 1)
		}
		close(s.gate)
		wg.Wait()
		k.close()
		sizes := []int{}
		for _, b := range s.batches {
			sizes = append(sizes, len(b))
		}
		if !slices.Equal(sizes, []int{1, mostInBatch, 1}) || !slices.IsSorted(slices.Concat(s.batches...)) {
			t.Errorf("batches of %v", sizes)
		}
	})
}

func TestCommitterIsolatesWhatCannotBeStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{gate: make(chan struct{}), poison: 4}
		k := newCommitter(s.commit)
		defer k.close()
		var wg sync.WaitGroup
		for n := 1; n <= 9; n++ {
			wg.Go(func() {
				if got, err := k.do(n); (err != nil) != (n == 4) || err == nil && got != 2*n {
					t.Errorf("%d: %d, %v", n, got, err)
				}
			})
			synctest.Wait()
		}
		close(s.gate)
		wg.Wait()
	})
}

// An unavailable database is reported to all callers at once, and half of them is not tried again.
func TestCommitterReportsThatTheStoreIsAway(t *testing.T) {
	t.Parallel()
	s := &shelf{down: &sett.Error{Code: sett.Unavailable, Message: "away"}}
	k := newCommitter(s.commit)
	defer k.close()
	if _, err := k.do(1); !errors.Is(err, s.down) {
		t.Errorf("error %v", err)
	}
}

func TestCommitterAnswersWhenTheStoreHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{gate: make(chan struct{})}
		k := newCommitter(s.commit)
		began := time.Now()
		_, err := k.do(1)
		if e, ok := errors.AsType[*sett.Error](err); !ok || e.Code != sett.Unavailable || e.RetryAfter == 0 || time.Since(began) != patience {
			t.Errorf("after %v: %v; want Unavailable after %v", time.Since(began), err, patience)
		}
		close(s.gate)
		k.close()
		if len(s.batches) != 1 {
			t.Errorf("stored %v; what was taken is stored all the same", s.batches)
		}
	})
}

// A full committer refuses at once, and a closed one stores what it had taken.
func TestCommitterRefusesWhenFullOrClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{gate: make(chan struct{})}
		k := newCommitter(s.commit)
		var mu sync.Mutex
		refused := 0
		var wg sync.WaitGroup
		const sent = mostQueued + mostInBatch + 7
		for n := range sent {
			wg.Go(func() {
				_, err := k.do(n)
				if e, ok := errors.AsType[*sett.Error](err); ok && e.Code == sett.Unavailable && e.RetryAfter > 0 {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			})
		}
		synctest.Wait()
		if refused == 0 {
			t.Error("a full queue refuses nothing")
		}
		wg.Go(k.close)
		close(s.gate)
		wg.Wait()
		if stored := len(slices.Concat(s.batches...)); stored+refused != sent {
			t.Errorf("%d stored and %d refused of %d", stored, refused, sent)
		}
		if _, err := k.do(1); sett.CodeOf(err) != sett.Unavailable {
			t.Errorf("after close: %v, want Unavailable", err)
		}
		k.close() // again
	})
}
