package watch

import (
	"log/slog"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/setttest/fresh"
	"sett/internal/setttest/nameserver"
	"sett/internal/store"
	"sett/internal/store/accountdb"
)

// domainDesk is a store with pages that have domains, and a clock that stands still until it is pushed.
type domainDesk struct {
	*store.Store
	t       *testing.T
	account string
	now     time.Time
}

func newDomainDesk(t *testing.T) *domainDesk {
	t.Helper()
	s, err := store.Open(t.Context(), fresh.SQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	made, err := s.Accounts.SetUp(t.Context(), now, accountdb.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
	if err != nil {
		t.Fatal(err)
	}
	return &domainDesk{s, t, made.AccountID, now}
}

// page makes a page with a domain.
func (d *domainDesk) page(domain string) (id string) {
	d.t.Helper()
	change := status.StatusPageChange{Name: sett.Some(domain), Domain: sett.Some(domain)}
	made, err := d.Status.CreateStatusPage(d.t.Context(), d.now, d.account, status.StatusPageRules{}, change)
	if err != nil {
		d.t.Fatal(err)
	}
	return made.ID
}

func (d *domainDesk) domain(page string) status.StatusDomain {
	d.t.Helper()
	found, err := d.Status.StatusPageByID(d.t.Context(), d.account, page)
	if err != nil {
		d.t.Fatal(err)
	}
	return found.Domain
}

// watched are StatusDomains that ask answer.
func (d *domainDesk) watched(answer func(name string) nameserver.Answer) *StatusDomains {
	return NewStatusDomains(StatusDomainOptions{
		DB: d.Store.DB, Status: d.Store.Status, DNS: nameserver.Resolver(answer), Host: "sett.example.com", Now: func() time.Time { return d.now }, Log: slog.Default(),
	})
}

// pointed answers that a name is another one of the server.
func pointed() nameserver.Answer {
	a := nameserver.Is("192.0.2.1")
	a.CNAME = "sett.example.com"
	return a
}

func TestADomainIsLookedForUntilItIsFound(t *testing.T) {
	t.Parallel()
	d := newDomainDesk(t)
	page := d.page("status.example.org")
	begin := d.now
	w := d.watched(func(name string) nameserver.Answer {
		switch after := d.now.Sub(begin); {
		case after > 10*time.Hour && after < 20*time.Hour:
			return nameserver.Answer{Fails: true}
		case name != "status.example.org" || after < 20*time.Minute || after > 24*time.Hour:
			return nameserver.Answer{}
		}
		return pointed()
	})
	for _, step := range []struct {
		until time.Duration
		want  status.DomainState
		known bool // served
	}{
		{0, status.DomainPending, false},
		{19 * time.Minute, status.DomainPending, false},
		{36 * time.Minute, status.DomainVerified, true},
		{15 * time.Hour, status.DomainVerified, true},
		{31 * time.Hour, status.DomainFailing, true},
		{105 * time.Hour, status.DomainPending, false},
	} {
		for ; d.now.Sub(begin) <= step.until; d.now = d.now.Add(time.Minute) {
			if more, err := w.look(t.Context()); err != nil || more {
				t.Fatal(more, err)
			}
		}
		if got := d.domain(page); got.State != step.want || got.Verified() != step.known || got.CheckedAt.IsZero() || (got.State == status.DomainVerified) != (got.Problem == "") {
			t.Errorf("after %v: %+v", step.until, got)
		}
	}
}

// Each of the two is answered once both are asked for.
func TestDomainsAreLookedForAtOnce(t *testing.T) {
	t.Parallel()
	d := newDomainDesk(t)
	first, second := d.page("first.example.org"), d.page("second.example.org")
	var both sync.WaitGroup
	both.Add(2)
	asked := map[string]func(){"first.example.org": sync.OnceFunc(both.Done), "second.example.org": sync.OnceFunc(both.Done)}
	w := d.watched(func(name string) nameserver.Answer {
		if done := asked[name]; done != nil {
			done()
			both.Wait()
			return pointed()
		}
		return nameserver.Answer{}
	})
	if more, err := w.look(t.Context()); err != nil || more {
		t.Fatal(more, err)
	}
	if a, b := d.domain(first), d.domain(second); !a.Verified() || !b.Verified() {
		t.Errorf("%+v, %+v", a, b)
	}
}

// A round takes a few, and says that there are more.
func TestManyDomainsTakeRounds(t *testing.T) {
	t.Parallel()
	d := newDomainDesk(t)
	pages := []string{d.page("0.example.org")}
	for len(pages) <= domainsAtOnce {
		pages = append(pages, d.page(string(rune('a'+len(pages)))+".example.org"))
	}
	w := d.watched(func(string) nameserver.Answer { return pointed() })
	for _, want := range []bool{true, false} {
		if more, err := w.look(t.Context()); err != nil || more != want {
			t.Fatal(more, err)
		}
	}
	for _, page := range pages {
		if got := d.domain(page); !got.Verified() {
			t.Errorf("%+v", got)
		}
	}
}
