package db

import "sync"

// Topic is something that transactions may add to and that sleepers may wait for. It may name a single row: a topic without sleepers
// costs nothing. It must be short: PostgreSQL carries less than 8,000 bytes.
type Topic string

// wakes holds the sleepers of this process.
type wakes struct {
	mu       sync.Mutex
	sleepers map[Topic]map[chan struct{}]bool
}

// Sleep returns a new channel that gets a value after each transaction that has added to the topic: of this process on SQLite, of all
// nodes on PostgreSQL. It buffers one value, and no more are sent while that is unread; it is never closed and fits loop.Loop.Wake. It
// also gets a value after the connection to other nodes was lost for a while. If you must not miss anything, also poll now and then:
// changes of other processes to an SQLite file, and commits of other nodes while they cannot be heard, wake no sleeper. After stop, and
// once the store is closed, nothing more is sent; a sleeper that lives as long as the store need not call stop.
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

// wake wakes the sleepers of the topics of a committed transaction.
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

// wakeAll wakes all sleepers, because it is unknown what they have missed.
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

// Wake wakes the sleepers of the topic once the transaction has committed.
func (t *Tx) Wake(topic Topic) { t.wakes = append(t.wakes, topic) }

// WakeHere is Wake for sleepers of this process only: for what intake does, where PostgreSQL must not notify all nodes (see notifyNodes).
func (t *Tx) WakeHere(topic Topic) { t.wakesHere = append(t.wakesHere, topic) }
