package notify

import (
	"errors"
	"sync"

	"sett/internal/notify/channel"
)

// recent caches the messages of the last alerts, because most are sent to several receivers at once.
type recent struct {
	mu       sync.Mutex
	messages map[int64]*recentMessage
	order    []int64 // the oldest first
}

// recentMessage is the message of one alert. The first caller composes it, and the others wait.
type recentMessage struct {
	once    sync.Once
	message channel.Message
	err     error
}

// mostRecent bounds what recent holds: a message may have 256 KiB.
const mostRecent = 64

var errNotComposed = errors.New("the message could not be composed")

// of returns the message of an alert, composed once for all concurrent callers. After a failure, the next caller tries again.
func (r *recent) of(alert int64, compose func() (channel.Message, error)) (channel.Message, error) {
	m := r.find(alert)
	m.once.Do(func() {
		m.err = errNotComposed // seen by the others if compose panics
		m.message, m.err = compose()
	})
	if m.err != nil {
		r.forget(alert)
	}
	return m.message, m.err
}

func (r *recent) find(alert int64) *recentMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.messages[alert]; m != nil {
		return m
	}
	if r.messages == nil {
		r.messages = map[int64]*recentMessage{}
	}
	if len(r.order) == mostRecent {
		delete(r.messages, r.order[0])
		r.order = r.order[1:]
	}
	m := &recentMessage{}
	r.messages[alert], r.order = m, append(r.order, alert)
	return m
}

func (r *recent) forget(alert int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.messages, alert) // its entry in order is harmless
}
