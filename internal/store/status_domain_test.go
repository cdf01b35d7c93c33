package store

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

const domainLease = time.Minute

// claimDomains claims what is due, which is to be so many domains.
func (d *desk) claimDomains(now time.Time, want int) []ClaimedDomain {
	d.t.Helper()
	claimed, err := d.ClaimDomains(d.t.Context(), now, domainLease, 10)
	if err != nil || len(claimed) != want {
		d.t.Fatalf("%d claimed, want %d: %v", len(claimed), want, err)
	}
	return claimed
}

func (d *desk) looked(now time.Time, claimed ClaimedDomain, look sett.DomainLook) {
	d.t.Helper()
	if err := d.RecordDomainLook(d.t.Context(), now, claimed, look); err != nil {
		d.t.Fatal(err)
	}
}

// domainPage makes a page with a domain.
func (d *desk) domainPage(name, domain string) sett.StatusPage {
	d.t.Helper()
	page := d.statusPage(name)
	if err := d.changePage(noon, page, sett.StatusPageChange{Domain: sett.Some(domain)}); err != nil {
		d.t.Fatal(err)
	}
	return page
}

// served lists the domains at which pages are served.
func (d *desk) served() (domains []string) {
	d.t.Helper()
	directory, err := d.StatusDirectory(d.t.Context(), 0)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range directory.Entries {
		if e.Domain != "" {
			domains = append(domains, e.Slug+" "+e.Domain)
		}
	}
	return domains
}

var (
	byCNAME = sett.DomainLook{Proof: sett.ProvenByCNAME}
	byTXT   = sett.DomainLook{Proof: sett.ProvenByTXT}
)

func TestADomainIsClaimedAndVerified(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.statusPage("No domain")
		page := d.domainPage("Shop", "status.example.com")
		d.claimDomains(noon.Add(-time.Second), 0)
		if _, err := s.ClaimDomains(t.Context(), noon, domainLease, 0); err != nil {
			t.Error(err)
		}
		claim := d.claimDomains(noon, 1)[0]
		have := d.pageNow(page).Domain
		if claim.Name != "status.example.com" || claim.Secret != have.Secret || !claim.DueAt.Equal(noon.Add(domainLease)) {
			t.Errorf("claimed %+v of %+v", claim, have)
		}
		d.claimDomains(noon.Add(domainLease-time.Second), 0)
		again := d.claimDomains(noon.Add(domainLease), 1)[0]
		d.looked(noon.Add(domainLease), claim, byTXT)
		if got := d.pageNow(page).Domain; got.State != sett.DomainPending {
			t.Fatalf("what the lease has run out for was believed: %+v", got)
		}
		at, before := noon.Add(2*time.Minute), d.pageNow(page).Revision
		changed, _ := s.Sleep(StatusChanged)
		d.looked(at, again, sett.DomainLook{Problem: "Nothing there."})
		got := d.pageNow(page)
		if got.Domain.Problem != "Nothing there." || !got.Domain.DueAt.Equal(at.Add(time.Minute)) || !got.Domain.FailingAt.Equal(at) || !got.Domain.CheckedAt.Equal(at) || got.Revision != before {
			t.Errorf("missed: %+v, revision %d after %d", got.Domain, got.Revision, before)
		}
		at = at.Add(time.Minute)
		d.looked(at, d.claimDomains(at, 1)[0], byCNAME)
		got = d.pageNow(page)
		want := sett.StatusDomain{Name: have.Name, Secret: have.Secret, State: sett.DomainVerified, Proof: sett.ProvenByCNAME, VerifiedAt: at, CheckedAt: at, DueAt: at.Add(6 * time.Hour)}
		if got.Domain != want || got.Revision <= before {
			t.Errorf("verified: %+v, want %+v; revision %d after %d", got.Domain, want, got.Revision, before)
		}
		<-changed // or it hangs
		if err := d.changePage(at, page, sett.StatusPageChange{Name: sett.Some("Store")}); err != nil || d.pageNow(page).Domain != want {
			t.Errorf("another change of the page left %+v: %v", d.pageNow(page).Domain, err)
		}
		for _, after := range []time.Duration{0, 15 * time.Minute, 72 * time.Hour} {
			now := want.DueAt.Add(after)
			if served := d.served(); len(served) != 1 {
				t.Errorf("%v after the first miss: served %v", after, served)
			}
			d.looked(now, d.claimDomains(now, 1)[0], sett.DomainLook{Problem: "Gone."})
		}
		if got := d.pageNow(page).Domain; got.Verified() || got.State != sett.DomainPending || len(d.served()) != 0 {
			t.Errorf("withdrawn: %+v, served %v", got, d.served())
		}
	})
}

func TestALookAtADomainThatIsNoMore(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page := d.domainPage("Shop", "status.example.com")
		for what, change := range map[string]func() error{
			"another domain": func() error {
				return d.changePage(noon, page, sett.StatusPageChange{Domain: sett.Some("other.example.com")})
			},
			"asked for anew": func() error { return s.AskDomain(t.Context(), noon, d.AccountID, page.ID) },
		} {
			claim := d.claimDomains(noon, 1)[0]
			if err := change(); err != nil {
				t.Fatal(err)
			}
			d.looked(noon, claim, byTXT)
			if got := d.pageNow(page).Domain; got.State != sett.DomainPending || !got.DueAt.Equal(noon) {
				t.Errorf("%s: %+v", what, got)
			}
		}
		claim := d.claimDomains(noon, 1)[0]
		if err := s.DeleteStatusPage(t.Context(), d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		d.looked(noon, claim, byTXT)
	})
}

func TestADomainOfTwoPages(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		first, second := d.domainPage("First", "status.example.com"), d.domainPage("Second", "status.example.com")
		claims := map[string]ClaimedDomain{}
		claim := func(now time.Time) {
			for _, c := range d.claimDomains(now, 2) {
				claims[c.Secret] = c
			}
		}
		look := func(page sett.StatusPage, now time.Time, l sett.DomainLook) {
			d.looked(now, claims[d.pageNow(page).Domain.Secret], l)
		}
		claim(noon)
		look(second, noon, byCNAME)
		look(first, noon, byCNAME)
		if got := d.pageNow(first).Domain; got.Verified() || got.Problem != sett.TakenDomain || got.State != sett.DomainPending {
			t.Errorf("a CNAME of two: the later one is %+v", got)
		}
		third := d.statusPage("Third")
		asks := sett.StatusPageChange{Domain: sett.Some("status.example.com")}
		if err := d.changePage(noon, third, asks); err != nil {
			t.Errorf("a third page may not ask for a domain of which another has but a CNAME: %v", err)
		}
		if err := d.changePage(noon, third, sett.StatusPageChange{Domain: sett.Some("")}); err != nil {
			t.Fatal(err)
		}
		d.run("UPDATE status_pages SET domain_due_at = 1 WHERE domain <> ''")
		claim(noon)
		before := d.pageNow(second).Revision
		look(first, noon, byTXT)
		if got := d.served(); len(got) != 1 || got[0] != "first status.example.com" {
			t.Errorf("TXT against CNAME: served %v", got)
		}
		lost := d.pageNow(second)
		if lost.Domain.State != sett.DomainPending || lost.Domain.Problem == "" || lost.Revision <= before {
			t.Errorf("the one that has lost is %+v, revision %d after %d", lost.Domain, lost.Revision, before)
		}
		d.run("UPDATE status_pages SET domain_due_at = 1 WHERE domain <> ''")
		claim(noon)
		look(second, noon, byTXT)
		if got := d.served(); len(got) != 1 || got[0] != "first status.example.com" {
			t.Errorf("TXT against TXT: served %v", got)
		}
		if err := d.changePage(noon, third, asks); err == nil {
			t.Error("a third page may ask for a domain of which nobody else can have the secret")
		}
	})
}

// What a clock that was set back has put off is due.
func TestADomainThatIsDueTooLate(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.domainPage("Shop", "status.example.com")
		d.run("UPDATE status_pages SET domain_due_at = $1", db.Micros(noon.Add(1000*time.Hour)))
		d.claimDomains(noon, 1)
	})
}

func TestAFailedDomainThatIsAskedForIsPendingAgain(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		page := d.domainPage("Shop", "status.example.com")
		d.run("UPDATE status_pages SET domain_state = 'failed', domain_due_at = 0, domain_failing_at = 1")
		d.claimDomains(noon, 0)
		if err := s.AskDomain(t.Context(), noon, d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		if got := d.pageNow(page).Domain; got.State != sett.DomainPending || !got.FailingAt.IsZero() || !got.DueAt.Equal(noon) {
			t.Errorf("asked for: %+v", got)
		}
		d.run("UPDATE status_pages SET domain_state = 'failing', domain_verified_at = 1, domain_failing_at = 5")
		if err := s.AskDomain(t.Context(), noon, d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		if got := d.pageNow(page).Domain; got.State != sett.DomainFailing || got.FailingAt.IsZero() {
			t.Errorf("a verified one that was asked for: %+v", got)
		}
	})
}
