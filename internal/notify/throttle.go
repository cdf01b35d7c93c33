package notify

import "time"

// throttle limits how often work in a loop is done.
type throttle struct{ last time.Time }

// isDue reports whether the interval has passed since the last time, and if so restarts it.
func (s *throttle) isDue(now time.Time, every time.Duration) bool {
	if now.Before(s.last.Add(every)) {
		return false
	}
	s.last = now
	return true
}
