package notify

import "testing"

// drain sends and records all that is due, and returns the number of attempts.
func (s *sender[K, C, R]) drain(t testing.TB) (attempts int) {
	t.Helper()
	for {
		more, err := s.claim(t.Context())
		if err != nil {
			t.Error(err)
			return attempts
		}
		if !more {
			return attempts
		}
		s.inFlight.senders.Wait()
		attempts += s.inFlight.all()
		if _, err := s.record(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
