package load

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"sett/e2e/rig"
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

// StoredNotice is what a proof needs to know of a stored notice.
type StoredNotice struct {
	ID      string
	Message string
	Request struct{ Context struct{ Serial int } }
}

// Prove lets all clients of l have their answers and holds what the server shows against what they know: what was
// accepted is stored, exactly once, under the id that was promised; what is stored was sent; everything that counts
// notices agrees; whatever was not accepted was answered with 503.
func Prove(t testing.TB, s *rig.Server, l *Load) proof {
	t.Helper()
	l.Drain(t, s.Base)
	l.onlyUnavailable(t)
	rig.Await(t, "the server is ready", func() bool { return rig.Get(t, s.Base+"/readyz").StatusCode == http.StatusOK }) // it accepts notices before
	m := s.Manage(t)
	last := -1
	late := time.Now().Add(time.Minute) // counts follow within some seconds
	for ; ; <-time.After(500 * time.Millisecond) {
		wrong, found := compare(s, m, l)
		if len(wrong) == 0 || time.Now().After(late) {
			wrong.Report(t)
			return found
		}
		if found.stored != last { // what is in the spool is still being stored
			last, late = found.stored, time.Now().Add(time.Minute)
		}
	}
}

// compare holds what the server shows now against what the clients of l know.
func compare(s *rig.Server, m rig.Manager, l *Load) (Problems, proof) {
	m.T.Helper()
	wrong := slices.Clone(l.broken)
	ids := map[int][]string{} // by serial number: where it is stored
	stored := 0
	faults := s.Faults(m)
	for _, f := range faults {
		notices := rig.List[StoredNotice](m, s.FaultPath(f.ID)+"/notices")
		for _, n := range notices {
			serial := SerialOf(n.Message)
			ids[serial] = append(ids[serial], n.ID)
			if n.Message != message(serial) || f.Klass != ClassName(serial) {
				wrong.Add("notice %d is stored as %q in a fault of %s", serial, n.Message, f.Klass)
			}
		}
		ProveFault(s, m, &wrong, f, len(notices))
		stored += len(notices)
	}
	if len(faults) > LoadFaults {
		wrong.Add("there are %d faults of %d errors", len(faults), LoadFaults)
	}
	proveCounts(s, m, &wrong, stored, elsewhere(s, m))
	l.check(&wrong, ids)
	return wrong, proof{len(l.Ids), stored, len(faults), l.resent, l.repeated, l.Refused}
}

// ProveFault checks the counts of a fault that has so many notices.
func ProveFault(s *rig.Server, m rig.Manager, wrong *Problems, f rig.Fault, notices int) {
	m.T.Helper()
	if f.NoticesCount != int64(notices) {
		wrong.Add("fault %d counts %d notices, but has %d", f.ID, f.NoticesCount, notices)
	}
	var users []struct{ Count int }
	m.Get(s.FaultPath(f.ID)+"/affected_users", &users)
	affected := 0
	for _, u := range users {
		affected += u.Count
	}
	if affected != notices {
		wrong.Add("the affected users of fault %d have %d notices, but it has %d", f.ID, affected, notices)
	}
}

// elsewhere returns how many notices other projects of the account have.
func elsewhere(s *rig.Server, m rig.Manager) (n int64) {
	m.T.Helper()
	for _, p := range rig.List[struct{ ID int64 }](m, "/v2/projects") {
		if of := *s; p.ID != s.ProjectID {
			of.ProjectID = p.ID
			for _, f := range of.Faults(m) {
				n += f.NoticesCount
			}
		}
	}
	return n
}

// proveCounts checks the counts of the project, and of its account, which has others elsewhere.
func proveCounts(s *rig.Server, m rig.Manager, wrong *Problems, stored int, elsewhere int64) {
	m.T.Helper()
	if st := s.Stats(m); rig.Sum(st.Stored) != int64(stored)+elsewhere || rig.Sum(st.Limited) != 0 || rig.Sum(st.Ignored) != 0 {
		wrong.Add("api_stats are %+v, want %d stored, and neither limited nor ignored", st, int64(stored)+elsewhere)
	}
	var occurrences [][2]int64
	m.Get(s.Project()+"/occurrences?period=day", &occurrences)
	if rig.Sum(occurrences) != int64(stored) {
		wrong.Add("the project's occurrences are %d, but %d notices are stored", rig.Sum(occurrences), stored)
	}
}

// check compares what is stored with what was sent and accepted.
func (l *Load) check(wrong *Problems, stored map[int][]string) {
	for serial, ids := range stored {
		if serial < 0 || serial >= l.next {
			wrong.Add("notice %d was never sent, but is stored", serial)
		}
		if len(ids) > 1 {
			wrong.Add("notice %d is stored %d times: %q", serial, len(ids), ids)
		}
	}
	for serial, id := range l.Ids {
		if ids := stored[serial]; len(ids) == 0 {
			wrong.Add("notice %d was accepted as %s, but is not stored", serial, id)
		} else if id != unknownID && ids[0] != id {
			wrong.Add("notice %d was accepted as %s, but is stored as %s", serial, id, ids[0])
		}
	}
	for serial := range l.next {
		if !l.tokenless[serial] && l.Ids[serial] == "" {
			wrong.Add("notice %d has a token and was sent until it was answered, but was never accepted", serial)
		}
	}
}

// onlyUnavailable fails the test where the server answered a notice with anything but 201 and 503, which is for when its
// database does not answer, or not for long: with 503 clients slow down and some repeat, other statuses make them
// drop the notice or stop for an hour (clients.md).
func (l *Load) onlyUnavailable(t testing.TB) {
	t.Helper()
	for status, n := range l.Refused {
		if status != http.StatusServiceUnavailable {
			t.Errorf("the server answered %d times with status %d, want %d or %d", n, status, http.StatusCreated, http.StatusServiceUnavailable)
		}
	}
}

// Problems is what a proof found wrong.
type Problems []string

// Add notes one more.
func (p *Problems) Add(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

// Report fails the test with the first of them.
func (p Problems) Report(t testing.TB) {
	t.Helper()
	const most = 10
	for _, problem := range p[:min(most, len(p))] {
		t.Error(problem)
	}
	if len(p) > most {
		t.Errorf("and %d more", len(p)-most)
	}
}
