package notify

import (
	"errors"
	"sync"
)

// recent caches the messages of the last alerts, or their payloads, because most are sent to several receivers at once.
type recent[T any] struct {
	mu       sync.Mutex
	messages map[int64]*recentMessage[T]
	order    []int64 // the oldest first
}

// recentMessage is the message of one alert. The first caller composes it, and the others wait.
type recentMessage[T any] struct {
	once    sync.Once
	message T
	err     error
}

// mostRecent bounds what recent holds: a message may have 256 KiB.
const mostRecent = 64

var errNotComposed = errors.New("the message could not be composed")

// of returns the message of an alert, composed once for all concurrent callers. After a failure, the next caller tries again.
func (r *recent[T]) of(alert int64, compose func() (T, error)) (T, error) {
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

func (r *recent[T]) find(alert int64) *recentMessage[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m := r.messages[alert]; m != nil {
		return m
	}
	if r.messages == nil {
		r.messages = map[int64]*recentMessage[T]{}
	}
	if len(r.order) == mostRecent {
		delete(r.messages, r.order[0])
		r.order = r.order[1:]
	}
	m := &recentMessage[T]{}
	r.messages[alert], r.order = m, append(r.order, alert)
	return m
}

func (r *recent[T]) forget(alert int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.messages, alert) // its entry in order is harmless
}
