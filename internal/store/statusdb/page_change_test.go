package statusdb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

const (
	takenSlug   = "slug has already been taken by another status page of this server"
	takenDomain = "domain has already been verified for another status page of this server"
)

func (d *desk) changePage(now time.Time, page status.StatusPage, change status.StatusPageChange) error {
	d.T.Helper()
	return d.Status.UpdateStatusPage(d.T.Context(), now, d.AccountID, page.ID, status.StatusPageRules{}, change)
}

// pageNow returns a page as it is stored.
func (d *desk) pageNow(page status.StatusPage) status.WatchedStatusPage {
	d.T.Helper()
	found, err := d.Status.WatchedStatusPage(d.T.Context(), d.AccountID, page.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

// pageShows lists what a page shows, such as "3 Shop pending".
func (d *desk) pageShows(page status.StatusPage) (lines []string) {
	d.T.Helper()
	for _, c := range d.pageNow(page).Watched {
		lines = append(lines, fmt.Sprintln(c.ID-1, c.Name, c.Found))
	}
	return lines
}

// namedSite changes the name of a site.
func namedSite(name string) func(*checks.SiteChange) {
	return func(c *checks.SiteChange) { c.Name = sett.Some(name) }
}

func TestAStatusPageInTheStore(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site, other := d.Site(d.ProjectID, namedSite("Front")), d.Site(d.Project("Second").ID, namedSite("Back"))
		night := d.CheckIn(d.ProjectID, storetest.Hourly("night"))
		due, _ := s.Sleep(statusdb.StatusDomainDue)
		change := storetest.Showing(site, night)
		change.Name, change.Domain = sett.Some("My Shop"), sett.Some("Status.Example.com")
		on := sett.Some[sett.LenientBool](true)
		change.HideBranding, change.Unlisted, change.AutoIncidents, change.ResponseTimes = on, on, on, on
		change.Features = sett.Some(status.StatusFeaturesChange{UpCaption: sett.Some("Up")})
		change.Password, change.PasswordHash = sett.Some("12345678"), "hash"
		change.Sites.Value[0].DisplayName, change.CheckIns.Value[0].Description = sett.Some("Shop"), sett.Some("At night")
		made, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, change)
		if err != nil {
			t.Fatal(err)
		}
		want := status.StatusPage{
			Number: made.Number, ID: made.ID, AccountID: d.AccountID, StatusPageSettings: status.StatusPageSettings{
				Name: "My Shop", Slug: "my-shop", HideBranding: true, Unlisted: true, AutoIncidents: true, ResponseTimes: true, Features: status.StatusFeatures{UpCaption: "Up"},
				Components: []status.StatusComponent{{ID: 1, SiteID: site.ID, DisplayName: "Shop"}, {ID: 2, CheckInID: night.ID, Description: "At night"}},
			},
			Domain:       status.StatusDomain{Name: "status.example.com", Secret: made.Domain.Secret, State: status.DomainPending, DueAt: storetest.Noon},
			PasswordHash: "hash", PasswordKey: made.PasswordKey, CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon,
		}
		found, err := s.Status.StatusPageByID(t.Context(), d.AccountID, made.ID)
		revision := found.Revision
		found.Revision = 0 // that of what was made is not known before it is stored
		if diff := cmp.Diff([]status.StatusPage{want, want}, []status.StatusPage{made.StatusPage, found}); diff != "" || err != nil || len(made.PasswordKey) != 32 {
			t.Errorf("made and found (-want +got):\n%s\n%v", diff, err)
		}
		if len(due) != 1 {
			t.Fatal("no sleeper was woken to look up the domain")
		}
		<-due

		change = storetest.Showing(other, site)
		change.CheckIns = sett.Optional[[]status.StatusCheckInChange]{}
		change.Name, change.Slug, change.Password = sett.Some("Store"), sett.Some("store"), sett.Optional[string]{Sent: true, Null: true}
		if err := d.changePage(storetest.Noon.Add(time.Hour), made.StatusPage, change); err != nil {
			t.Fatal(err)
		}
		want.Name, want.Slug, want.PasswordHash, want.Revision, want.UpdatedAt = "Store", "store", "", revision+1, storetest.Noon.Add(time.Hour)
		want.Components = []status.StatusComponent{{ID: 3, SiteID: other.ID}, {ID: 1, SiteID: site.ID}, {ID: 2, CheckInID: night.ID, Description: "At night"}}
		after := d.pageNow(made.StatusPage)
		if want.PasswordKey = after.PasswordKey; len(after.PasswordKey) > 0 {
			t.Error("the key has outlived its password")
		}
		if diff := cmp.Diff(want, after.StatusPage); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		watched := []status.WatchedComponent{
			{ComponentView: status.ComponentView{Name: "Back", State: status.ComponentUnknown}, ProjectID: other.ProjectID, Found: "pending"},
			{ComponentView: status.ComponentView{Name: "Front", State: status.ComponentUnknown}, ProjectID: d.ProjectID, Found: "pending"},
			{ComponentView: status.ComponentView{Name: "night", State: status.ComponentUnknown}, ProjectID: d.ProjectID, Found: "pending"},
		}
		for i := range watched {
			watched[i].StatusComponent = want.Components[i]
		}
		if diff := cmp.Diff(watched, after.Watched); diff != "" {
			t.Errorf("watched (-want +got):\n%s", diff)
		}
		if len(due) != 0 {
			t.Error("a domain that stayed is looked for anew")
		}
		if err := d.changePage(storetest.Noon, made.StatusPage, storetest.Showing(site)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.Components[1:2], d.pageNow(made.StatusPage).Components); diff != "" {
			t.Errorf("what is left of it (-want +got):\n%s", diff)
		}
		if err := s.Status.DeleteStatusPage(t.Context(), d.AccountID, made.ID); err != nil {
			t.Fatal(err)
		}
		strangers, _ := d.Stranger()
		kept := d.StatusPage("Kept", site)
		before := d.pageNow(kept).Revision
		for _, gone := range []struct{ account, id string }{{d.AccountID, made.ID}, {strangers, kept.ID}, {d.AccountID, ""}} {
			_, err := s.Status.StatusPageByID(t.Context(), gone.account, gone.id)
			errs := []error{
				err, s.Status.DeleteStatusPage(t.Context(), gone.account, gone.id), s.Status.AskDomain(t.Context(), storetest.Noon, gone.account, gone.id),
				s.Status.UpdateStatusPage(t.Context(), storetest.Noon, gone.account, gone.id, status.StatusPageRules{}, change),
			}
			for i, err := range errs {
				if sett.CodeOf(err) != sett.NotFound {
					t.Errorf("%v %d: %v", gone, i, err)
				}
			}
		}
		if got := d.pageNow(kept).StatusPage; got.Revision != before {
			t.Errorf("strangers changed a page: %+v", got)
		}
		if _, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, "no-account", status.StatusPageRules{}, change); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a page of no account: %v", err)
		}
	})
}

// Only sites and check-ins of the account's own projects can be shown.
func TestStatusPagesShowWhatIsTheirs(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		account, user := d.Stranger()
		project, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, user, account, accounts.ProjectChange{Name: sett.Some("Theirs")})
		if err != nil {
			t.Fatal(err)
		}
		site, theirs, job := d.Site(d.ProjectID), d.Site(project.ID), d.CheckIn(project.ID, storetest.Hourly("job"))
		page := d.StatusPage("Shop", site)
		before := d.pageNow(page).Revision
		want := fmt.Sprintf("Please correct: sites[1] site_id must be the id of a site of a project of this account; %q is none; "+
			"check_ins[0] check_in_id must be the id of a check-in of a project of this account; %q is none.", theirs.ID, job.ID)
		change := storetest.Showing(site, theirs, job)
		if err := d.changePage(storetest.Noon, page, change); err == nil || err.Error() != want {
			t.Errorf("changed: %v\nwant %s", err, want)
		}
		change.Name = sett.Some("New")
		if _, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, change); err == nil || err.Error() != want {
			t.Errorf("made: %v\nwant %s", err, want)
		}
		if got := d.pageNow(page); got.Revision != before || len(got.Components) != 1 {
			t.Errorf("what was refused left %+v", got)
		}
	})
}

func TestSlugsAndDomainsAreTakenOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		first, second := d.StatusPage("Shop"), d.StatusPage("Shop")
		if tail, ok := strings.CutPrefix(second.Slug, "shop-"); first.Slug != "shop" || !ok || len(tail) != 6 || tail != strings.ToLower(tail) {
			t.Errorf("two pages of one name are at %s and %s", first.Slug, second.Slug)
		}
		refused := func(what, want string, err error) {
			t.Helper()
			if err == nil || err.Error() != "Please correct: "+want+"." {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
		taken := status.StatusPageChange{Name: sett.Some("x"), Slug: sett.Some("shop")}
		_, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, taken)
		refused("made with a slug that is taken", takenSlug, err)
		refused("changed to one", takenSlug, d.changePage(storetest.Noon, second, taken))
		reset := status.StatusPageChange{Slug: sett.Optional[string]{Sent: true, Null: true}}
		for _, page := range []status.StatusPage{first, second} {
			if err := d.changePage(storetest.Noon, page, reset); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := d.pageNow(first).Slug, d.pageNow(second).Slug; a != "shop" || !strings.HasPrefix(b, "shop-") || b == second.Slug {
			t.Errorf("reset, they are at %s and %s", a, b)
		}

		domain := status.StatusPageChange{Domain: sett.Some("status.example.com")}
		for _, page := range []status.StatusPage{first, second} { // it belongs to the page that is verified first
			if err := d.changePage(storetest.Noon, page, domain); err != nil {
				t.Fatal(err)
			}
		}
		d.Run(`UPDATE status_pages SET domain_verified_at = 1, domain_state = 'verified' WHERE number = $1`, first.Number)
		third := d.StatusPage("Third")
		refused("a domain that is another's", takenDomain, d.changePage(storetest.Noon, third, domain))
		domain.Name = sett.Some("Fourth")
		_, err = s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, domain)
		refused("made with it", takenDomain, err)
		for _, page := range []status.StatusPage{first, second} { // as it is
			if err := d.changePage(storetest.Noon, page, domain); err != nil {
				t.Error(err)
			}
		}
		if got := d.pageNow(first).Domain; got.VerifiedAt.IsZero() || got.State != status.DomainVerified {
			t.Errorf("the same domain again left %+v", got)
		}
		before := d.pageNow(first).Domain.Secret
		if err := d.changePage(storetest.Noon.Add(time.Hour), first, status.StatusPageChange{Domain: sett.Some("other.example.com")}); err != nil {
			t.Fatal(err)
		}
		want := status.StatusDomain{Name: "other.example.com", State: status.DomainPending, DueAt: storetest.Noon.Add(time.Hour)}
		got := d.pageNow(first).Domain
		if want.Secret = got.Secret; got != want || got.Secret == before {
			t.Errorf("another domain is %+v, want %+v with a new secret", got, want)
		}
	})
}

func TestADomainIsAskedForAnew(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		page := d.StatusPage("Shop")
		due, _ := s.Sleep(statusdb.StatusDomainDue)
		alone := s.SQLite() // elsewhere, who begins to hear other nodes is woken as well
		if err := s.Status.AskDomain(t.Context(), storetest.Noon, d.AccountID, page.ID); sett.CodeOf(err) != sett.Invalid || alone && len(due) != 0 {
			t.Errorf("a page without a domain: %v", err)
		}
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Domain: sett.Some("status.example.com")}); err != nil {
			t.Fatalf("a new domain: %v", err)
		}
		<-due
		if err := s.Status.AskDomain(t.Context(), storetest.Noon.Add(time.Hour), d.AccountID, page.ID); err != nil {
			t.Fatal(err)
		}
		<-due
		if got := d.pageNow(page).Domain.DueAt; !got.Equal(storetest.Noon.Add(time.Hour)) {
			t.Errorf("it is due at %v", got)
		}
	})
}

func TestStatusPagesAreListedByPages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var want []string
		for i := range status.MaxStatusPages {
			want = append(want, d.StatusPage(fmt.Sprint("Page ", i)).Name)
		}
		account, _ := d.Stranger()
		if _, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, account, status.StatusPageRules{}, status.StatusPageChange{Name: sett.Some("Theirs")}); err != nil {
			t.Fatal(err)
		}
		_, err := s.Status.CreateStatusPage(t.Context(), storetest.Noon, d.AccountID, status.StatusPageRules{}, status.StatusPageChange{Name: sett.Some("Too many")})
		if err == nil || err.Error() != "This account has 100 status pages, which is the maximum. Delete one that you no longer need." {
			t.Errorf("one too many: %v", err)
		}
		list := func(page sett.Page) (names []string, marks sett.Marks) {
			found, marks, err := s.Status.ListStatusPages(t.Context(), d.AccountID, page)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range found {
				names = append(names, p.Name)
			}
			return names, marks
		}
		forward, marks := list(sett.Page{Size: 30})
		last := forward
		for marks.Next != "" && len(last) > 0 {
			last, marks = list(sett.Page{Size: 30, Mark: marks.Next})
			forward = append(forward, last...)
		}
		back := last
		for marks.Prev != "" && len(last) > 0 {
			last, marks = list(sett.Page{Size: 30, Mark: marks.Prev, Back: true})
			back = slices.Concat(last, back)
		}
		if diff := cmp.Diff([][]string{want, want}, [][]string{forward, back}); diff != "" {
			t.Errorf("forward and back (-want +got):\n%s", diff)
		}
		if _, _, err := s.Status.ListStatusPages(t.Context(), d.AccountID, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}

// Whatever changes what a page shows makes its revision grow and wakes those who draw it.
func TestPagesAreRevised(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		second := d.Project("Second")
		kept, front, back := d.Site(d.ProjectID, namedSite("Kept")), d.Site(d.ProjectID, namedSite("Front")), d.Site(second.ID, namedSite("Back"))
		night, day, hour := d.CheckIn(d.ProjectID, storetest.Hourly("night")), d.CheckIn(d.ProjectID, storetest.Hourly("day")), d.CheckIn(second.ID, storetest.Hourly("hour"))
		page, other := d.StatusPage("Shop", kept, front, back, night, day, hour), d.StatusPage("Other", kept)
		woken, _ := s.Sleep(statusdb.StatusChanged)
		revision, others := d.pageNow(page).Revision, d.pageNow(other).Revision
		rename := func(id string, name string) error {
			return s.Uptime.UpdateCheckIn(t.Context(), storetest.Noon, d.ProjectID, id, checks.CheckInChange{Name: sett.Some(name)})
		}
		for _, step := range []struct {
			name string
			do   func() error
			want string
		}{
			{"a site is renamed", func() error {
				return s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, front.ID, checks.SiteChange{Name: sett.Some("Shop")})
			}, "Kept Shop Back night day hour"},
			{"a site is deleted", func() error { return s.Uptime.DeleteSite(t.Context(), d.ProjectID, front.ID) }, "Kept Back night day hour"},
			{"a check-in is renamed", func() error { return rename(night.ID, "Evening") }, "Kept Back Evening day hour"},
			{"check-ins are put in step", func() error {
				c := storetest.Hourly("night")
				c.Name = sett.Some("Midnight")
				d.SyncList(storetest.Noon, c, storetest.Hourly("day"))
				return nil
			}, "Kept Back Midnight day hour"},
			{"one is dropped by a list", func() error { d.SyncList(storetest.Noon, storetest.Hourly("day")); return nil }, "Kept Back day hour"},
			{"a check-in is deleted", func() error { return s.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, day.ID) }, "Kept Back hour"},
			{"a project is deleted", func() error { return s.DeleteProject(t.Context(), second.ID, func() {}) }, "Kept"},
			{"the page itself is", func() error {
				return d.changePage(storetest.Noon, page, status.StatusPageChange{Name: sett.Some("x")})
			}, "Kept"},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			now, names := d.pageNow(page), []string{}
			for _, c := range now.Watched {
				names = append(names, c.Name)
			}
			if got := strings.Join(names, " "); got != step.want {
				t.Errorf("%s: the page shows %s, want %s", step.name, got, step.want)
			}
			if now.Revision <= revision || len(woken) != 1 {
				t.Errorf("%s: revision %d after %d, and %d are awake", step.name, now.Revision, revision, len(woken))
			}
			for revision = now.Revision; len(woken) > 0; {
				<-woken
			}
		}
		if got := d.pageNow(other).Revision; got != others {
			t.Errorf("a page that shows none of it has the revision %d", got)
		}
		if err := s.Status.DeleteStatusPage(t.Context(), d.AccountID, page.ID); err != nil || len(woken) != 1 {
			t.Errorf("a deletion: %v, and %d are awake", err, len(woken))
		}
	})
}

// On PostgreSQL a page can come to show what is deleted at the same time; whichever is first, nothing is left over.
func TestWhatIsShownIsDeletedAtOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	for i := range 10 {
		site, job := d.Site(d.ProjectID, namedSite("Front")), d.CheckIn(d.ProjectID, storetest.Hourly(fmt.Sprint("job", i)))
		page, other := d.StatusPage("Shop", site), d.StatusPage("Other", job)
		revision := d.pageNow(other).Revision + d.pageNow(page).Revision
		done := make(chan error, 4)
		go func() { done <- first.Uptime.DeleteSite(t.Context(), d.ProjectID, site.ID) }()
		go func() { done <- second.Uptime.DeleteCheckIn(t.Context(), d.ProjectID, job.ID) }()
		go func() {
			done <- second.Status.UpdateStatusPage(t.Context(), storetest.Noon, d.AccountID, other.ID, status.StatusPageRules{}, storetest.Showing(job, site))
		}()
		go func() {
			done <- first.Status.UpdateStatusPage(t.Context(), storetest.Noon, d.AccountID, page.ID, status.StatusPageRules{}, storetest.Showing(site, job))
		}()
		for range 4 {
			if err := <-done; err != nil && sett.CodeOf(err) != sett.Invalid {
				t.Error(err)
			}
		}
		if got := slices.Concat(d.pageShows(page), d.pageShows(other)); len(got) > 0 {
			t.Errorf("round %d left %q", i, got)
		}
		if after := d.pageNow(other).Revision + d.pageNow(page).Revision; after < revision+2 {
			t.Errorf("round %d: the pages were revised %d times, want twice at least", i, after-revision)
		}
	}
}
