package status

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// looks describes the checks of a domain, in a line for each: its time and its result.
func looks(d StatusDomain, from time.Time, n int, look func(at time.Duration) DomainLook) (after StatusDomain, lines []string) {
	at := time.Duration(0)
	for range n {
		d = d.Looked(look(at), from.Add(at))
		next := "never"
		if !d.DueAt.IsZero() {
			next = d.DueAt.Sub(from.Add(at)).String()
		}
		lines = append(lines, fmt.Sprintf("%v %s, next in %s", at, d.State, next))
		if d.DueAt.IsZero() {
			break
		}
		at = d.DueAt.Sub(from)
	}
	return d, lines
}

var miss = DomainLook{Problem: "Nothing there."}

func always(l DomainLook) func(time.Duration) DomainLook {
	return func(time.Duration) DomainLook { return l }
}

func TestADomainThatIsNotFound(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	d := StatusDomain{Name: "status.example.org", State: DomainPending, DueAt: from}
	for name, look := range map[string]DomainLook{"missed": miss, "unsure": {Unsure: true, Problem: "Nothing there."}} {
		last, lines := looks(d, from, 1000, always(look))
		want := []string{"0s pending, next in 1m0s", "1m0s pending, next in 2m0s", "3m0s pending, next in 5m0s", "8m0s pending, next in 10m0s", "18m0s pending, next in 15m0s", "33m0s pending, next in 15m0s"}
		if got := lines[:len(want)]; strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: first\n%s", name, strings.Join(got, "\n"))
		}
		turn := 0
		for turn < len(lines) && strings.Contains(lines[turn], "pending") {
			turn++
		}
		if lines[turn] != "72h3m0s failed, next in 6h0m0s" || lines[len(lines)-1] != "792h3m0s failed, next in never" {
			t.Errorf("%s: it turns with %q and ends with %q", name, lines[turn], lines[len(lines)-1])
		}
		if last.Verified() || last.Problem != "Nothing there." || !last.CheckedAt.Equal(from.Add(792*time.Hour+3*time.Minute)) {
			t.Errorf("%s: at last %+v", name, last)
		}
	}
}

func TestADomainThatIsFound(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for _, state := range []DomainState{DomainPending, DomainFailed} {
		d := StatusDomain{State: state, Problem: "Nothing there.", FailingAt: from.Add(-time.Hour)}
		got := d.Looked(DomainLook{Proof: ProvenByCNAME}, from)
		want := StatusDomain{State: DomainVerified, Proof: ProvenByCNAME, VerifiedAt: from, CheckedAt: from, DueAt: from.Add(6 * time.Hour)}
		if got != want {
			t.Errorf("from %s: %+v", state, got)
		}
		later := from.Add(time.Hour)
		if got = got.Looked(DomainLook{Proof: ProvenByTXT}, later); !got.VerifiedAt.Equal(from) || got.Proof != ProvenByTXT {
			t.Errorf("found once more: %+v", got)
		}
	}
}

func TestAVerifiedDomainIsMissed(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	verified := StatusDomain{State: DomainVerified, Proof: ProvenByTXT, VerifiedAt: from.Add(-time.Hour)}
	unsure, _ := looks(verified, from, 1000, always(DomainLook{Unsure: true, Problem: "DNS does not answer."}))
	if unsure.State != DomainVerified || unsure.Problem != "" || !unsure.Verified() || unsure.DueAt.Sub(unsure.CheckedAt) != 15*time.Minute {
		t.Errorf("without an answer it is %+v", unsure)
	}
	last, lines := looks(verified, from, 72*4, always(miss))
	if last.State != DomainFailing || !last.Verified() || last.Problem != miss.Problem || lines[len(lines)-1] != "71h45m0s failing, next in 15m0s" {
		t.Errorf("before it is withdrawn: %+v, %s", last, lines[len(lines)-1])
	}
	if got := last.Looked(DomainLook{Unsure: true}, from.Add(100*time.Hour)); !got.Verified() || got.State != DomainFailing || got.Problem != miss.Problem {
		t.Errorf("without an answer a failing one is %+v", got)
	}
	if got := last.Looked(DomainLook{Proof: ProvenByTXT}, from.Add(72*time.Hour)); got.State != DomainVerified || !got.VerifiedAt.Equal(verified.VerifiedAt) || !got.FailingAt.IsZero() {
		t.Errorf("found in time: %+v", got)
	}
	at := from.Add(72 * time.Hour)
	if got := last.Looked(miss, at); got.Verified() || got.State != DomainPending || got.Proof != NoProof || !got.DueAt.Equal(at.Add(time.Minute)) {
		t.Errorf("withdrawn: %+v", got)
	}
}

func TestWhoHasADomain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		have, comes DomainProof
		yields      bool
	}{{ProvenByCNAME, ProvenByTXT, true}, {ProvenByCNAME, ProvenByCNAME, false}, {ProvenByTXT, ProvenByTXT, false}, {ProvenByTXT, ProvenByCNAME, false}} {
		if got := (StatusDomain{Proof: tt.have}).Yields(DomainLook{Proof: tt.comes}); got != tt.yields {
			t.Errorf("%s yields to %s: %v", tt.have, tt.comes, got)
		}
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	lost := StatusDomain{Name: "a.example", State: DomainVerified, Proof: ProvenByCNAME, VerifiedAt: now.Add(-time.Hour)}.Lost(now)
	if lost.Verified() || lost.State != DomainPending || lost.Problem != lostDomain || !lost.DueAt.Equal(now.Add(time.Minute)) {
		t.Errorf("lost: %+v", lost)
	}
}

// A clock that was set back neither rushes nor forgets a domain.
func TestADomainAndAClockSetBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	d := StatusDomain{State: DomainPending, FailingAt: now.Add(1000 * time.Hour)}.Looked(miss, now)
	if !d.DueAt.Equal(now.Add(time.Minute)) || !d.FailingAt.Equal(now) {
		t.Errorf("%+v", d)
	}
}
