package ingest

import (
	"bytes"
	"sync"

	"sett/internal/ingest/event"
	"sett/internal/ingest/repair"
	"sett/internal/ingest/sentry"
)

// maxKept is how long a body, in bytes, may be for its memory to be kept: nearly all are shorter.
const maxKept = 64 << 10

// memory is what a notice is taken in with. A later one uses it again, so that a stream of notices leaves little to
// collect. Of a report only the Body is in it.
type memory struct {
	sent     bytes.Buffer // the body as it came
	inflated []byte       // the body without its compression
	notice   []byte       // the notice that was made of it, where it came in another protocol
	facets   event.Facets
	sentry   sentry.Reader

	contentType string
	hold        func(bytes int) error // sets memory of the request aside
	notes       repair.Notes          // on what of the request was repaired
}

// memories keeps memory between notices. The zero value is ready.
type memories struct{ pool sync.Pool }

func (k *memories) take() *memory {
	if m, ok := k.pool.Get().(*memory); ok {
		return m
	}
	return new(memory)
}

// giveBack keeps m for a later notice; its body must no longer be used.
func (k *memories) giveBack(m *memory) {
	if m.sent.Cap() > maxKept || cap(m.inflated) > maxKept || cap(m.notice) > maxKept {
		return
	}
	m.contentType, m.hold, m.notes = "", nil, nil
	m.sent.Reset()
	m.facets.Shrink(maxKept)
	m.sentry.Forget()
	k.pool.Put(m)
}
