package ingest

import (
	"runtime"
	"sync"
	"time"

	"sett/internal/sett"
)

// line is what waits for the next commit. All callers that wait share the cost of that commit: what arrives during one goes with the next.
type line[T any] struct {
	queue chan T

	mu     sync.RWMutex // guards closed, and prevents closing the queue during a send
	closed bool
}

func newLine[T any]() line[T] { return line[T]{queue: make(chan T, mostQueued)} }

// join puts an item at the end, and reports whether there was room.
func (l *line[T]) join(item T) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return false
	}
	select {
	case l.queue <- item:
		return true
	default:
		return false
	}
}

// next returns what else waits, after all other goroutines had a turn.
func (l *line[T]) next() (item T, ok bool) {
	for range 2 {
		select {
		case item, ok = <-l.queue:
			return item, ok
		default:
			runtime.Gosched()
		}
	}
	return item, false
}

// close takes nothing more, and reports whether it is the first to do so.
func (l *line[T]) close() (first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first = !l.closed; first {
		l.closed = true
		close(l.queue)
	}
	return first
}

func errOverloaded() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The server is overloaded. Try again in a moment.", RetryAfter: time.Second}
}

func errSilent() error {
	return &sett.Error{Code: sett.Unavailable, Message: "The database does not respond. Try again in a moment.", RetryAfter: 5 * time.Second}
}
