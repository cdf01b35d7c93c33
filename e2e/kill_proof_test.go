package e2e

import (
	"fmt"
	"testing"
)

// account is the result of a proof.
type account struct {
	accepted, stored, faults, resent, repeated int
}

func (a account) String() string {
	return fmt.Sprintf("%d notices accepted, %d stored in %d faults, each once; %d sent again for want of an answer, %d although answered",
		a.accepted, a.stored, a.faults, a.resent, a.repeated)
}

// loadNotice is what a proof needs to know of a stored notice.
type loadNotice struct {
	ID      string
	Message string
	Request struct{ Context struct{ Serial int } }
}

// prove holds what the server shows against what the clients of l know, when all of them have had their answers.
func (s *server) prove(t testing.TB, l *load) account {
	t.Helper()
	m := s.manage(t)
	for _, promise := range l.broken {
		t.Error(promise)
	}
	ids := map[int][]string{} // by serial number: where it is stored
	stored := 0
	faults := s.faults(m)
	for _, f := range faults {
		notices := list[loadNotice](m, s.faultPath(f.ID)+"/notices")
		for _, n := range notices {
			serial := n.Request.Context.Serial
			ids[serial] = append(ids[serial], n.ID)
			if n.Message != message(serial) || f.Klass != className(serial) {
				t.Errorf("notice %d is stored as %q in a fault of %s", serial, n.Message, f.Klass)
			}
		}
		if f.NoticesCount != int64(len(notices)) {
			t.Errorf("fault %d counts %d notices, but has %d", f.ID, f.NoticesCount, len(notices))
		}
		stored += len(notices)
	}
	l.check(t, ids)
	if len(faults) > loadFaults {
		t.Errorf("there are %d faults of %d errors", len(faults), loadFaults)
	}
	if st := s.stats(m); sum(st.Stored) != int64(stored) || sum(st.Limited) != 0 || sum(st.Ignored) != 0 {
		t.Errorf("api_stats are %+v, want %d stored, and neither limited nor ignored", st, stored)
	}
	return account{len(l.ids), stored, len(faults), l.resent, l.repeated}
}

// check compares what is stored with what was sent and accepted.
func (l *load) check(t testing.TB, stored map[int][]string) {
	t.Helper()
	for serial, ids := range stored {
		if serial < 0 || serial >= l.next {
			t.Errorf("notice %d was never sent, but is stored", serial)
		}
		if len(ids) > 1 {
			t.Errorf("notice %d is stored %d times: %q", serial, len(ids), ids)
		}
	}
	for serial, id := range l.ids {
		if ids := stored[serial]; len(ids) == 0 {
			t.Errorf("notice %d was accepted as %s, but is not stored", serial, id)
		} else if ids[0] != id {
			t.Errorf("notice %d was accepted as %s, but is stored as %s", serial, id, ids[0])
		}
	}
	for serial := range l.next {
		if !l.tokenless[serial] && l.ids[serial] == "" {
			t.Errorf("notice %d has a token and was sent until it was answered, but was never accepted", serial)
		}
	}
}
