package statusdb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

const domainLease = time.Minute

// claimDomains claims what is due, which is to be so many domains.
func (d *desk) claimDomains(now time.Time, want int) []statusdb.ClaimedDomain {
	d.T.Helper()
	claimed, err := d.Status.ClaimDomains(d.T.Context(), now, domainLease, 10)
	if err != nil || len(claimed) != want {
		d.T.Fatalf("%d claimed, want %d: %v", len(claimed), want, err)
	}
	return claimed
}

func (d *desk) looked(now time.Time, claimed statusdb.ClaimedDomain, look status.DomainLook) {
	d.T.Helper()
	if err := d.Status.RecordDomainLook(d.T.Context(), now, claimed, look); err != nil {
		d.T.Fatal(err)
	}
}

// domainPage makes a page with a domain.
func (d *desk) domainPage(name, domain string) status.StatusPage {
	d.T.Helper()
	page := d.StatusPage(name)
	if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Domain: sett.Some(domain)}); err != nil {
		d.T.Fatal(err)
	}
	return page
}

// served lists the domains at which pages are served.
func (d *desk) served() (domains []string) {
	d.T.Helper()
	directory, err := d.Status.StatusDirectory(d.T.Context(), 0)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, e := range directory.Entries {
		if e.Domain != "" {
			domains = append(domains, e.Slug+" "+e.Domain)
		}
	}
	return domains
}

var (
	byCNAME = status.DomainLook{Proof: status.ProvenByCNAME}
	byTXT   = status.DomainLook{Proof: status.ProvenByTXT}
)

func TestADomainIsClaimedAndVerified(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.StatusPage("No domain")
		page := d.domainPage("Shop", "status.example.com")
		d.claimDomains(storetest.Noon.Add(-time.Second), 0)
		if _, err := s.Status.ClaimDomains(t.Context(), storetest.Noon, domainLease, 0); err != nil {
			t.Error(err)
		}
		claim := d.claimDomains(storetest.Noon, 1)[0]
		have := d.pageNow(page).Domain
		if claim.Name != "status.example.com" || claim.Secret != have.Secret || !claim.DueAt.Equal(storetest.Noon.Add(domainLease)) {
			t.Errorf("claimed %+v of %+v", claim, have)
		}
		d.claimDomains(storetest.Noon.Add(domainLease-time.Second), 0)
		again := d.claimDomains(storetest.Noon.Add(domainLease), 1)[0]
		d.looked(storetest.Noon.Add(domainLease), claim, byTXT)
		if got := d.pageNow(page).Domain; got.State != status.DomainPending {
			t.Fatalf("what the lease has run out for was believed: %+v", got)
		}
		at, before := storetest.Noon.Add(2*time.Minute), d.pageNow(page).Revision
		changed, _ := s.Sleep(statusdb.StatusChanged)
		d.looked(at, again, status.DomainLook{Problem: "Nothing there."})
		got := d.pageNow(page)
		if got.Domain.Problem != "Nothing there." || !got.Domain.DueAt.Equal(at.Add(time.Minute)) || !got.Domain.FailingAt.Equal(at) || !got.Domain.CheckedAt.Equal(at) || got.Revision != before {
			t.Errorf("missed: %+v, revision %d after %d", got.Domain, got.Revision, before)
		}
		at = at.Add(time.Minute)
		d.looked(at, d.claimDomains(at, 1)[0], byCNAME)
		got = d.pageNow(page)
		want := status.StatusDomain{Name: have.Name, Secret: have.Secret, State: status.DomainVerified, Proof: status.ProvenByCNAME, VerifiedAt: at, CheckedAt: at, DueAt: at.Add(6 * time.Hour)}
		if got.Domain != want || got.Revision <= before {
			t.Errorf("verified: %+v, want %+v; revision %d after %d", got.Domain, want, got.Revision, before)
		}
		<-changed // or it hangs
		if err := d.changePage(at, page, status.StatusPageChange{Name: sett.Some("Store")}); err != nil || d.pageNow(page).Domain != want {
			t.Errorf("another change of the page left %+v: %v", d.pageNow(page).Domain, err)
		}
		for _, after := range []time.Duration{0, 15 * time.Minute, 72 * time.Hour} {
			now := want.DueAt.Add(after)
			if served := d.served(); len(served) != 1 {
				t.Errorf("%v after the first miss: served %v", after, served)
			}
			d.looked(now, d.claimDomains(now, 1)[0], status.DomainLook{Problem: "Gone."})
		}
		if got := d.pageNow(page).Domain; got.Verified() || got.State != status.DomainPending || len(d.served()) != 0 {
			t.Errorf("withdrawn: %+v, served %v", got, d.served())
		}
	})
}

func TestALookAtADomainThatIsNoMore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.domainPage("Shop", "status.example.com")
		for what, change := range map[string]func() error{
			"another domain": func() error {
				return d.changePage(storetest.Noon, page, status.StatusPageChange{Domain: sett.Some("other.example.com")})
			},
			"asked for anew": func() error { return s.Status.AskDomain(t.Context(), storetest.Noon, d.AccountID, page.ID) },
		} {
			claim := d.claimDomains(storetest.Noon, 1)[0]
			if err := change(); err != nil {
				t.Fatal(err)
			}
			d.looked(storetest.Noon, claim, byTXT)
			if got := d.pageNow(page).Domain; got.State != status.DomainPending || !got.DueAt.Equal(storetest.Noon) {
				t.Errorf("%s: %+v", what, got)
			}
		}
		claim := d.claimDomains(storetest.Noon, 1)[0]
		if err := s.Status.DeleteStatusPage(t.Context(), d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		d.looked(storetest.Noon, claim, byTXT)
	})
}

func TestADomainOfTwoPages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		first, second := d.domainPage("First", "status.example.com"), d.domainPage("Second", "status.example.com")
		claims := map[string]statusdb.ClaimedDomain{}
		claim := func(now time.Time) {
			for _, c := range d.claimDomains(now, 2) {
				claims[c.Secret] = c
			}
		}
		look := func(page status.StatusPage, now time.Time, l status.DomainLook) {
			d.looked(now, claims[d.pageNow(page).Domain.Secret], l)
		}
		claim(storetest.Noon)
		look(second, storetest.Noon, byCNAME)
		look(first, storetest.Noon, byCNAME)
		if got := d.pageNow(first).Domain; got.Verified() || got.Problem != status.TakenDomain || got.State != status.DomainPending {
			t.Errorf("a CNAME of two: the later one is %+v", got)
		}
		third := d.StatusPage("Third")
		asks := status.StatusPageChange{Domain: sett.Some("status.example.com")}
		if err := d.changePage(storetest.Noon, third, asks); err != nil {
			t.Errorf("a third page may not ask for a domain of which another has but a CNAME: %v", err)
		}
		if err := d.changePage(storetest.Noon, third, status.StatusPageChange{Domain: sett.Some("")}); err != nil {
			t.Fatal(err)
		}
		d.Run("UPDATE status_pages SET domain_due_at = 1 WHERE domain <> ''")
		claim(storetest.Noon)
		before := d.pageNow(second).Revision
		look(first, storetest.Noon, byTXT)
		if got := d.served(); len(got) != 1 || got[0] != "first status.example.com" {
			t.Errorf("TXT against CNAME: served %v", got)
		}
		lost := d.pageNow(second)
		if lost.Domain.State != status.DomainPending || lost.Domain.Problem == "" || lost.Revision <= before {
			t.Errorf("the one that has lost is %+v, revision %d after %d", lost.Domain, lost.Revision, before)
		}
		d.Run("UPDATE status_pages SET domain_due_at = 1 WHERE domain <> ''")
		claim(storetest.Noon)
		look(second, storetest.Noon, byTXT)
		if got := d.served(); len(got) != 1 || got[0] != "first status.example.com" {
			t.Errorf("TXT against TXT: served %v", got)
		}
		if err := d.changePage(storetest.Noon, third, asks); err == nil {
			t.Error("a third page may ask for a domain that another page has verified by TXT")
		}
	})
}

// What a clock that was set back has put off is due.
func TestADomainThatIsDueTooLate(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.domainPage("Shop", "status.example.com")
		d.Run("UPDATE status_pages SET domain_due_at = $1", db.Micros(storetest.Noon.Add(1000*time.Hour)))
		d.claimDomains(storetest.Noon, 1)
	})
}

func TestAFailedDomainThatIsAskedForIsPendingAgain(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.domainPage("Shop", "status.example.com")
		d.Run("UPDATE status_pages SET domain_state = 'failed', domain_due_at = 0, domain_failing_at = 1")
		d.claimDomains(storetest.Noon, 0)
		if err := s.Status.AskDomain(t.Context(), storetest.Noon, d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		if got := d.pageNow(page).Domain; got.State != status.DomainPending || !got.FailingAt.IsZero() || !got.DueAt.Equal(storetest.Noon) {
			t.Errorf("asked for: %+v", got)
		}
		d.Run("UPDATE status_pages SET domain_state = 'failing', domain_verified_at = 1, domain_failing_at = 5")
		if err := s.Status.AskDomain(t.Context(), storetest.Noon, d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		if got := d.pageNow(page).Domain; got.State != status.DomainFailing || got.FailingAt.IsZero() {
			t.Errorf("a verified one that was asked for: %+v", got)
		}
	})
}
