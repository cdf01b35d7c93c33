package prober

import (
	"context"
	"sync"
	"sync/atomic"

	"sett/internal/sett"
)

// outlook is how the sites look from here, all together. When most of them fail at once, the reason is likelier here
// than there: then canaries are asked before a failure counts.
type outlook struct {
	mu       sync.Mutex
	failing  map[sett.UUID]bool // by site, what the last check of it found
	number   int                // of those that fail
	canaries *canaries
	degraded atomic.Bool
}

// counts notes what a check found and reports whether it says something of the site.
func (o *outlook) counts(ctx context.Context, id sett.UUID, up bool) bool {
	if !o.mostFail(id, !up) {
		o.degraded.Store(false)
		return true
	}
	if up {
		return true
	}
	blind := o.canaries.allFail(ctx)
	o.degraded.Store(blind)
	return !blind
}

// mostFail notes whether a site fails and reports whether more than half of all do.
func (o *outlook) mostFail(id sett.UUID, fails bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failing == nil {
		o.failing = map[sett.UUID]bool{}
	}
	if o.failing[id] {
		o.number--
	}
	o.failing[id] = fails
	if fails {
		o.number++
	}
	return o.number*2 > len(o.failing)
}

// keepOnly drops sites that are not checked from here any more.
func (o *outlook) keepOnly(sites map[sett.UUID]*entry) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, fails := range o.failing {
		if sites[id] != nil {
			continue
		}
		delete(o.failing, id)
		if fails {
			o.number--
		}
	}
}
