package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// proof is what was found out about the notices of a load, in numbers.
type proof struct {
	accepted, stored, faults, resent, repeated int
	refused                                    map[int]int // by status
}

func (p proof) String() string {
	return fmt.Sprintf("%d notices accepted, %d stored in %d faults; %d sent again for want of a 201, %d in spite of one; other answers, by status: %v",
		p.accepted, p.stored, p.faults, p.resent, p.repeated, p.refused)
}

// storedNotice is what a proof needs to know of a stored notice.
type storedNotice struct {
	ID      string
	Message string
	Request struct{ Context struct{ Serial int } }
}

// prove lets all clients of l have their answers and holds what the server shows against what they know: what was
// accepted is stored, exactly once, under the id that was promised; what is stored was sent; everything that counts
// notices agrees; whatever was not accepted was answered with 503.
func (s *server) prove(t testing.TB, l *load) proof {
	t.Helper()
	l.drain(t, s.base)
	l.onlyUnavailable(t)
	await(t, "the server is ready", func() bool { return get(t, s.base+"/readyz").StatusCode == http.StatusOK }) // it accepts notices before
	m := s.manage(t)
	for late := time.Now().Add(time.Minute); ; <-time.After(500 * time.Millisecond) { // counts follow within some seconds
		wrong, found := s.compare(m, l)
		if len(wrong) == 0 || time.Now().After(late) {
			wrong.report(t)
			return found
		}
	}
}

// compare holds what the server shows now against what the clients of l know.
func (s *server) compare(m manager, l *load) (problems, proof) {
	m.t.Helper()
	wrong := slices.Clone(l.broken)
	ids := map[int][]string{} // by serial number: where it is stored
	stored := 0
	faults := s.faults(m)
	for _, f := range faults {
		notices := list[storedNotice](m, s.faultPath(f.ID)+"/notices")
		for _, n := range notices {
			serial := serialOf(n.Message)
			ids[serial] = append(ids[serial], n.ID)
			if n.Message != message(serial) || f.Klass != className(serial) {
				wrong.add("notice %d is stored as %q in a fault of %s", serial, n.Message, f.Klass)
			}
		}
		s.proveFault(m, &wrong, f, len(notices))
		stored += len(notices)
	}
	if len(faults) > loadFaults {
		wrong.add("there are %d faults of %d errors", len(faults), loadFaults)
	}
	s.proveCounts(m, &wrong, stored, s.elsewhere(m))
	l.check(&wrong, ids)
	return wrong, proof{len(l.ids), stored, len(faults), l.resent, l.repeated, l.refused}
}

// proveFault checks the counts of a fault that has so many notices.
func (s *server) proveFault(m manager, wrong *problems, f fault, notices int) {
	m.t.Helper()
	if f.NoticesCount != int64(notices) {
		wrong.add("fault %d counts %d notices, but has %d", f.ID, f.NoticesCount, notices)
	}
	var users []struct{ Count int }
	m.get(s.faultPath(f.ID)+"/affected_users", &users)
	affected := 0
	for _, u := range users {
		affected += u.Count
	}
	if affected != notices {
		wrong.add("the affected users of fault %d have %d notices, but it has %d", f.ID, affected, notices)
	}
}

// elsewhere returns how many notices other projects of the account have.
func (s *server) elsewhere(m manager) (n int64) {
	m.t.Helper()
	for _, p := range list[struct{ ID int64 }](m, "/v2/projects") {
		if of := *s; p.ID != s.ProjectID {
			of.ProjectID = p.ID
			for _, f := range of.faults(m) {
				n += f.NoticesCount
			}
		}
	}
	return n
}

// proveCounts checks the counts of the project, and of its account, which has others elsewhere.
func (s *server) proveCounts(m manager, wrong *problems, stored int, elsewhere int64) {
	m.t.Helper()
	if st := s.stats(m); sum(st.Stored) != int64(stored)+elsewhere || sum(st.Limited) != 0 || sum(st.Ignored) != 0 {
		wrong.add("api_stats are %+v, want %d stored, and neither limited nor ignored", st, int64(stored)+elsewhere)
	}
	var occurrences [][2]int64
	m.get(s.project()+"/occurrences?period=day", &occurrences)
	if sum(occurrences) != int64(stored) {
		wrong.add("the project's occurrences are %d, but %d notices are stored", sum(occurrences), stored)
	}
}

// check compares what is stored with what was sent and accepted.
func (l *load) check(wrong *problems, stored map[int][]string) {
	for serial, ids := range stored {
		if serial < 0 || serial >= l.next {
			wrong.add("notice %d was never sent, but is stored", serial)
		}
		if len(ids) > 1 {
			wrong.add("notice %d is stored %d times: %q", serial, len(ids), ids)
		}
	}
	for serial, id := range l.ids {
		if ids := stored[serial]; len(ids) == 0 {
			wrong.add("notice %d was accepted as %s, but is not stored", serial, id)
		} else if id != unknownID && ids[0] != id {
			wrong.add("notice %d was accepted as %s, but is stored as %s", serial, id, ids[0])
		}
	}
	for serial := range l.next {
		if !l.tokenless[serial] && l.ids[serial] == "" {
			wrong.add("notice %d has a token and was sent until it was answered, but was never accepted", serial)
		}
	}
}

// onlyUnavailable fails the test where the server answered a notice with anything but 201 and 503, which is for when its
// database does not answer, or not for long: with 503 clients slow down and some repeat, other statuses make them
// drop the notice or stop for an hour (clients.md).
func (l *load) onlyUnavailable(t testing.TB) {
	t.Helper()
	for status, n := range l.refused {
		if status != http.StatusServiceUnavailable {
			t.Errorf("the server answered %d times with status %d, want %d or %d", n, status, http.StatusCreated, http.StatusServiceUnavailable)
		}
	}
}

// problems is what a proof found wrong.
type problems []string

func (p *problems) add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// report fails the test with the first of them.
func (p problems) report(t testing.TB) {
	t.Helper()
	const most = 10
	for _, problem := range p[:min(most, len(p))] {
		t.Error(problem)
	}
	if len(p) > most {
		t.Errorf("and %d more", len(p)-most)
	}
}
