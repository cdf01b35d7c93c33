package store

import "sync"

// Topic is something that a transaction may have added to and that a loop may be asleep for.
type Topic string

// The topics that loops can be woken for.
const (
	MailQueued Topic = "mail queued"
)

// wakes are the sleepers of this process. What another process has committed is seen by whoever looks every now and
// then.
type wakes struct {
	mu       sync.Mutex
	sleepers map[Topic][]chan struct{}
}

// Woken returns a new channel that gets a value after each transaction of this process that has added to the topic. It
// has room for one value, and no more is sent while that waits; it is never closed. It fits loop.Loop.Wake.
func (s *Store) Woken(topic Topic) <-chan struct{} {
	s.wakes.mu.Lock()
	defer s.wakes.mu.Unlock()
	if s.wakes.sleepers == nil {
		s.wakes.sleepers = map[Topic][]chan struct{}{}
	}
	c := make(chan struct{}, 1)
	s.wakes.sleepers[topic] = append(s.wakes.sleepers[topic], c)
	return c
}

// wake tells those who sleep for the topics that a transaction has committed.
func (w *wakes) wake(topics []Topic) {
	if len(topics) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, topic := range topics {
		for _, c := range w.sleepers[topic] {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}
