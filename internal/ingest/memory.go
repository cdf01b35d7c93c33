package ingest

import (
	"bytes"
	"sync"
)

// maxKept is how long a body, in bytes, may be for its memory to be kept: nearly all are shorter.
const maxKept = 64 << 10

// memory is what a notice is taken in with. A later one uses it again, so that a stream of notices leaves little to
// collect. Of a report only the Body is in it.
type memory struct {
	sent     bytes.Buffer // the body as it came
	inflated []byte       // the body without its compression
	facets   facets
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
	if m.sent.Cap() > maxKept || cap(m.inflated) > maxKept {
		return
	}
	m.sent.Reset()
	k.pool.Put(m)
}

// plain returns the body that was sent without its compression, whose Content-Encoding is given. See inflater.
func (m *memory) plain(f *inflater, encoding string) ([]byte, error) {
	body := m.sent.Bytes()
	c, err := codingOf(encoding, body)
	if err != nil || c == plain {
		return body, err
	}
	m.inflated, err = f.inflate(body, c, m.inflated[:0])
	return m.inflated, err
}
