package db

import "sync"

// Topic is something that a transaction may have added to and that somebody may be asleep for. It may name a single row:
// sleepers come and go, and a topic without any costs nothing. It is short: PostgreSQL carries less than 8,000 bytes.
type Topic string

// wakes are the sleepers of this process.
type wakes struct {
	mu       sync.Mutex
	sleepers map[Topic]map[chan struct{}]bool
}

// Sleep returns a new channel that gets a value after each transaction that has added to the topic: of this process on
// SQLite, of all nodes on PostgreSQL. It has room for one value, and no more is sent while that waits; it is never closed
// and fits loop.Loop.Wake. It also gets a value when others could not be heard for a while. Whoever must not miss anything
// still looks now and then: what other processes write to an SQLite file, and what others commit while they cannot be
// heard, wakes nobody. After stop, and once the store is closed, nothing is sent any more; who sleeps for as long as the
// store is open need not stop.
func (d *DB) Sleep(topic Topic) (woken <-chan struct{}, stop func()) {
	c := d.wakes.add(topic)
	d.listener.begin(&d.wakes)
	return c, func() { d.wakes.remove(topic, c) }
}

func (w *wakes) add(topic Topic) chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sleepers == nil {
		w.sleepers = map[Topic]map[chan struct{}]bool{}
	}
	if w.sleepers[topic] == nil {
		w.sleepers[topic] = map[chan struct{}]bool{}
	}
	c := make(chan struct{}, 1)
	w.sleepers[topic][c] = true
	return c
}

func (w *wakes) remove(topic Topic, c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sleepers[topic], c)
	if len(w.sleepers[topic]) == 0 {
		delete(w.sleepers, topic)
	}
}

// wake tells those who sleep for the topics that a transaction has committed.
func (w *wakes) wake(topics ...Topic) {
	if len(topics) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, topic := range topics {
		nudge(w.sleepers[topic])
	}
}

// wakeAll tells everybody who sleeps, as nobody knows what they have missed.
func (w *wakes) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, sleepers := range w.sleepers {
		nudge(sleepers)
	}
}

func nudge(sleepers map[chan struct{}]bool) {
	for c := range sleepers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Wake has those who sleep for the topic told once the transaction has committed.
func (t *Tx) Wake(topic Topic) { t.wakes = append(t.wakes, topic) }

// WakeHere is wake for those of this process alone: for what intake does, where PostgreSQL must not be asked to tell all
// nodes (tellNodes). Others find their work when they look for it.
func (t *Tx) WakeHere(topic Topic) { t.wakesHere = append(t.wakesHere, topic) }
