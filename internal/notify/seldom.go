package notify

import "time"

// seldom is when something was last done that need not be done in every round.
type seldom struct{ last time.Time }

// isDue reports whether that was long enough ago, and then takes it for done now.
func (s *seldom) isDue(now time.Time, every time.Duration) bool {
	if now.Before(s.last.Add(every)) {
		return false
	}
	s.last = now
	return true
}
