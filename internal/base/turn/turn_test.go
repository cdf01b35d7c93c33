package turn

import (
	"context"
	"slices"
	"testing"
)

// TestOwnersTakeTurns has one owner that asks for many places at once, and another one that asks for one after that.
func TestOwnersTakeTurns(t *testing.T) {
	t.Parallel()
	p := New(1, 1)
	leave, err := p.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan int64)
	ask := func(owner int64) {
		before := p.count()
		go func() {
			leave, err := p.Take(t.Context(), owner)
			if err == nil {
				got <- owner
				leave()
			}
		}()
		for p.count() == before {
		}
	}
	for _, owner := range []int64{1, 1, 1, 2, 2, 3} {
		ask(owner)
	}
	leave()
	var order []int64
	for range 6 {
		order = append(order, <-got)
	}
	if !slices.Equal(order, []int64{1, 2, 3, 1, 2, 1}) {
		t.Errorf("the turns are those of %v", order)
	}
}

// count returns how many wait.
func (p *Places) count() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, some := range p.waiting {
		n += len(some)
	}
	return n
}

func TestNoOwnerHasAllPlaces(t *testing.T) {
	t.Parallel()
	p := New(3, 2)
	var leaves []func()
	take := func(owner int64, want bool) {
		t.Helper()
		leave, ok := p.TryTake(owner)
		if ok != want {
			t.Fatalf("owner %d gets a place: %v, want %v", owner, ok, want)
		}
		leaves = append(leaves, leave)
	}
	take(1, true)
	take(1, true)
	take(1, false)
	take(2, true)
	take(3, false)
	leaves[0]()
	leaves[0]() // a second time says nothing
	take(3, true)
	take(1, false)
	if len(p.waiting)+len(p.next) != 0 {
		t.Errorf("%v wait, whose turns are %v", p.waiting, p.next)
	}
}

// TestOneThatGivesUpIsPassedOver has the turn of an owner come when it waits no longer.
func TestOneThatGivesUpIsPassedOver(t *testing.T) {
	t.Parallel()
	p := New(1, 1)
	leave, err := p.Take(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := p.Take(gone, 2)
		ended <- err
	}()
	for p.count() == 0 {
	}
	cancel()
	if <-ended == nil {
		t.Fatal("one that gave up has a place")
	}
	leave()
	if _, ok := p.TryTake(3); !ok {
		t.Error("the place is not free")
	}
}
