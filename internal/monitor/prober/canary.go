package prober

import (
	"context"
	"slices"
	"sync"
	"time"

	"sett/internal/sett/checks"
)

const (
	// canaryEvery is the interval at which canaries are checked without a request, to know which of them can be reached from
	// here.
	canaryEvery = 10 * time.Minute
	// canaryFresh is for how long an answer about them holds.
	canaryFresh = 10 * time.Second
	// canaryTimeout is how long one may take to answer.
	canaryTimeout = 10 * time.Second
)

// canaries are addresses that answer whenever anything does. One that never answered here, as in a network without a way
// out, says nothing.
type canaries struct {
	addresses []string
	probe     Probe

	mu       sync.Mutex
	answered []bool // by address: whether it ever did
	asked    time.Time
	fail     bool
}

func newCanaries(addresses []string, probe Probe) *canaries {
	return &canaries{addresses: addresses, probe: probe, answered: make([]bool, len(addresses))}
}

// watch checks them now and regularly until ctx ends.
func (c *canaries) watch(ctx context.Context) {
	for len(c.addresses) > 0 && ctx.Err() == nil {
		c.allFail(ctx)
		pause(ctx, canaryEvery)
	}
}

// allFail reports whether all canaries fail that ever responded. Concurrent callers share one result.
func (c *canaries) allFail(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.answered, true) && !c.asked.IsZero() && time.Since(c.asked) < canaryEvery {
		return false
	}
	if c.asked.IsZero() || time.Since(c.asked) >= canaryFresh {
		c.ask(ctx)
	}
	return c.fail
}

func (c *canaries) ask(ctx context.Context) {
	answers := make([]bool, len(c.addresses))
	var asking sync.WaitGroup
	for i, address := range c.addresses {
		asking.Go(func() {
			r, err := c.probe(ctx, canaryRequest(address))
			answers[i] = err == nil && r.Status != 0
		})
	}
	asking.Wait()
	if ctx.Err() != nil {
		return
	}
	known := slices.Contains(c.answered, true)
	for i, ok := range answers {
		c.answered[i] = c.answered[i] || ok
	}
	c.asked, c.fail = time.Now(), known && !slices.Contains(answers, true)
}

func canaryRequest(address string) checks.ProbeRequest {
	return checks.ProbeRequest{URL: address, MatchType: checks.MatchSuccess, Timeout: canaryTimeout}
}
