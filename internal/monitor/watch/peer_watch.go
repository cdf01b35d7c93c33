package watch

import "time"

// lookFor is how long a starting server watches for heartbeats of others, which come every beatEvery or slightly later.
const lookFor = 2 * beatEvery

// peerWatch detects other running servers. Their clocks may differ from the clock of this one, so only a new heartbeat during
// the watch proves that one is running, not the time of the last one.
type peerWatch struct {
	seen time.Time // the first heartbeat that was seen
	from time.Time // start of the watch
}

// look takes the last heartbeat of any server. It returns what that was at first, and whether further looks can add nothing.
func (w *peerWatch) look(last, now time.Time) (seen time.Time, ready bool) {
	looked := now.Sub(w.from)
	if w.from.IsZero() || looked < 0 || looked > beatLasts { // interrupted meanwhile
		w.seen, w.from = last, now
		return last, last.IsZero()
	}
	return w.seen, !last.Equal(w.seen) || looked >= lookFor
}
