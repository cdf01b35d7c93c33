package watch

import "time"

// lookFor is how long a server that begins looks for the beats of others, which come every beatEvery or a little later.
const lookFor = 2 * beatEvery

// lookout looks for other servers. Their clocks may differ from that of this one, so that only a beat which comes while
// it looks is a sign of life, and not the time of the last.
type lookout struct {
	seen time.Time // the first that was seen
	from time.Time // when
}

// look takes the last heartbeat of any server. It returns what that was at first, and whether further looks can add nothing.
func (l *lookout) look(last, now time.Time) (seen time.Time, ready bool) {
	looked := now.Sub(l.from)
	if l.from.IsZero() || looked < 0 || looked > beatLasts { // it was cut off meanwhile
		l.seen, l.from = last, now
		return last, last.IsZero()
	}
	return l.seen, !last.Equal(l.seen) || looked >= lookFor
}
