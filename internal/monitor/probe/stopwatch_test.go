package probe

import (
	"testing"

	"sett/internal/sett/checks"
)

// Late calls change nothing.
func TestStopwatchDoesNotGoBack(t *testing.T) {
	t.Parallel()
	w := startStopwatch()
	for _, s := range []step{resolving, connecting, handshaking, requesting} {
		w.enter(s)
	}
	w.reach(readingHeaders)
	w.reach(waiting)
	if s := w.step(); s != readingHeaders {
		t.Errorf("step %d", s)
	}
	w.enter(readingBody)
	w.reach(waiting)
	w.reach(readingHeaders)
	if s := w.step(); s.phase() != checks.PhaseBody {
		t.Errorf("step %d", s)
	}
	all, p := w.read()
	if all != p.DNS+p.Connect+p.TLS+p.FirstByte+p.Body {
		t.Errorf("%s is not the sum of %+v", all, p)
	}
}
