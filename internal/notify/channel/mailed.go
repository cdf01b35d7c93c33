package channel

import "sync"

// mostMailed is how many mails are remembered.
const mostMailed = 10_000

// mailed remembers for a while which addresses received a message, so that a retry for one address does not send it to the
// others again.
type mailed struct {
	mu    sync.Mutex
	known map[string]bool // by the mail's id and the address
	order []string        // the oldest first
}

func (m *mailed) key(one Mail) string { return one.ID + " " + one.To }

// before reports whether the mail was taken before.
func (m *mailed) before(one Mail) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[m.key(one)]
}

// note remembers that the mail was taken.
func (m *mailed) note(one Mail) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]bool{}
	}
	if len(m.order) == mostMailed {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
	m.known[m.key(one)], m.order = true, append(m.order, m.key(one))
}
