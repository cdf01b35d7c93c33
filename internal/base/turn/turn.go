// Package turn shares a few places among owners, such as the projects of a server, so that no owner keeps all others waiting. Owners that
// ask for a place take turns, however many places each of them asks for. It starts no goroutine, and knows neither what a place is for nor
// how long one is held: its callers bound that.
package turn

import (
	"context"
	"slices"
	"sync"
)

// Places are shared by owners. They are safe for concurrent use.
type Places struct {
	mu      sync.Mutex
	free    int
	ofOne   int // that an owner has at most
	held    map[int64]int
	waiting map[int64][]chan struct{} // of each owner, oldest first
	next    []int64                   // owners that wait, in turn
}

// New returns so many places, of which one owner has some at most.
func New(places, ofOne int) *Places {
	return &Places{free: places, ofOne: ofOne, held: map[int64]int{}, waiting: map[int64][]chan struct{}{}}
}

// Take waits for a place, which leave gives back. The error is that of ctx; a ctx that is done takes a place that is free.
func (p *Places) Take(ctx context.Context, owner int64) (leave func(), err error) {
	p.mu.Lock()
	turn := make(chan struct{})
	if len(p.waiting[owner]) == 0 {
		p.next = append(p.next, owner)
	}
	p.waiting[owner] = append(p.waiting[owner], turn)
	p.give()
	p.mu.Unlock()
	select {
	case <-turn:
	default:
		select {
		case <-turn:
		case <-ctx.Done():
			if p.giveUp(owner, turn) {
				return nil, ctx.Err()
			}
		}
	}
	return sync.OnceFunc(func() { p.leave(owner) }), nil
}

// TryTake takes a place if one is free for the owner.
func (p *Places) TryTake(owner int64) (leave func(), ok bool) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	leave, err := p.Take(ctx, owner)
	return leave, err == nil
}

// give gives free places to the owners whose turn it is.
func (p *Places) give() {
	for i := 0; i < len(p.next) && p.free > 0; {
		owner := p.next[i]
		if p.held[owner] >= p.ofOne {
			i++
			continue
		}
		p.free--
		p.held[owner]++
		close(p.waiting[owner][0])
		p.next = slices.Delete(p.next, i, i+1)
		if p.waiting[owner] = p.waiting[owner][1:]; len(p.waiting[owner]) > 0 {
			p.next = append(p.next, owner)
		} else {
			delete(p.waiting, owner)
		}
		i = 0
	}
}

func (p *Places) leave(owner int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free++
	if p.held[owner]--; p.held[owner] == 0 {
		delete(p.held, owner)
	}
	p.give()
}

// giveUp takes back a request for a place. It reports false if the place was given meanwhile.
func (p *Places) giveUp(owner int64, turn chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.Index(p.waiting[owner], turn)
	if i < 0 {
		return false
	}
	if p.waiting[owner] = slices.Delete(p.waiting[owner], i, i+1); len(p.waiting[owner]) == 0 {
		delete(p.waiting, owner)
		p.next = slices.DeleteFunc(p.next, func(other int64) bool { return other == owner })
	}
	return true
}
