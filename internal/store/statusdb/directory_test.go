package statusdb_test

import (
	"fmt"
	"strings"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/status"
	"sett/internal/store"
	"sett/internal/store/statusdb"
	"sett/internal/store/storetest"
)

// slugs lists what a look at the directory has found, such as "all shop other".
func (d *desk) slugs(since *int64) string {
	d.T.Helper()
	found, err := d.Status.StatusDirectory(d.T.Context(), *since)
	if err != nil {
		d.T.Fatal(err)
	}
	var words []string
	if found.Whole {
		words = append(words, "all")
	}
	for _, e := range found.Entries {
		words = append(words, e.Slug)
	}
	*since = found.Revision
	return strings.Join(words, " ")
}

func TestDirectoryListsWhatHasChanged(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var since int64
		if got := d.slugs(&since); got != "all" {
			t.Errorf("of no pages: %s", got)
		}
		site, night := d.Site(d.ProjectID, namedSite("Front")), d.CheckIn(d.ProjectID, storetest.Hourly("night"))
		shop, other := d.StatusPage("Shop", site, night), d.StatusPage("Other")
		for _, step := range []struct {
			name string
			do   func() error
			want string
		}{
			{"two are made", func() error { return nil }, "shop other"},
			{"nothing happens", func() error { return nil }, ""},
			{"one is renamed", func() error {
				return d.changePage(storetest.Noon, other, status.StatusPageChange{Slug: sett.Some("else")})
			}, "else"},
			{"what one shows is renamed", func() error {
				return s.Uptime.UpdateSite(t.Context(), storetest.Noon, d.ProjectID, site.ID, checks.SiteChange{Name: sett.Some("Back")})
			}, "shop"},
			{"a list of check-ins changes nothing", func() error { d.SyncList(storetest.Noon, storetest.Hourly("night")); return nil }, ""},
			{"a list makes a check-in that no page shows", func() error {
				d.SyncList(storetest.Noon, storetest.Hourly("night"), storetest.Hourly("day"))
				return nil
			}, ""},
			{"a list drops what no page shows", func() error { d.SyncList(storetest.Noon, storetest.Hourly("night")); return nil }, ""},
			{"a list drops what one shows", func() error { d.SyncList(storetest.Noon, storetest.Hourly("day")); return nil }, "shop"},
			{"one is deleted", func() error { return s.Status.DeleteStatusPage(t.Context(), d.AccountID, other.ID) }, "all shop"},
			{"the other is deleted", func() error { return s.Status.DeleteStatusPage(t.Context(), d.AccountID, shop.ID) }, "all"},
			{"nothing is left", func() error { return nil }, ""},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got := d.slugs(&since); got != step.want {
				t.Errorf("%s: %q, want %q", step.name, got, step.want)
			}
		}
		if since += 1000; d.slugs(&since) != "all" {
			t.Error("a database that was set back is not looked at as a whole")
		}
	})
}

// While nothing happens, a look takes one statement that reads one row, however many pages there are; a change costs one more,
// which finds what has changed by an index.
func TestIdleDirectoryTakesOneStatement(t *testing.T) {
	t.Parallel()
	s := storetest.CountStatements(t)
	d := newDesk(t, s.Store)
	if err := s.Read.Close(); err != nil {
		t.Fatal(err)
	}
	s.Read = s.Write // where statements are counted
	var since int64
	taken := func() int64 {
		before := s.N.Load()
		d.slugs(&since)
		return s.N.Load() - before
	}
	for _, pages := range []int{1, 50} {
		for n := range pages {
			d.Run(storetest.InsertTestPage, fmt.Sprint("page-", pages, "-", n), d.AccountID, []byte{})
		}
		page := d.StatusPage(fmt.Sprint("Shop", pages))
		taken()
		if n := taken(); n != 1 {
			t.Errorf("with %d pages a look takes %d statements", pages, n)
		}
		if err := d.changePage(storetest.Noon, page, status.StatusPageChange{Name: sett.Some("Store")}); err != nil {
			t.Fatal(err)
		}
		if n := taken(); n != 2 {
			t.Errorf("with %d pages a change takes %d statements", pages, n)
		}
	}
	plan := newDesk(t, storetest.OpenSQLite(t))
	if got := plan.Plan(plan.Text(statusdb.ChangedStatusEntries), 1); !strings.Contains(got, "status_pages_by_revision") {
		t.Errorf("what has changed is found by reading all pages:\n%s", got)
	}
}

// Two nodes that change pages at once take revisions in the order in which they commit: nothing is passed over.
func TestRevisionsAreSeenInOrder(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		pages := make([]status.StatusPage, 8)
		for n := range pages {
			pages[n] = d.StatusPage(fmt.Sprint("Page", n))
		}
		var since int64
		d.slugs(&since)
		changed := make(chan error)
		for n := range pages {
			go func() {
				for range 5 {
					if err := d.changePage(storetest.Noon, pages[n], status.StatusPageChange{Name: sett.Some("New")}); err != nil {
						changed <- err
						return
					}
				}
				changed <- nil
			}()
		}
		known := map[string]int64{}
		look := func() {
			found, err := s.Status.StatusDirectory(t.Context(), since)
			if err != nil {
				t.Fatal(err)
			}
			since = found.Revision
			for _, e := range found.Entries {
				known[e.ID] = e.Revision
			}
		}
		for left := len(pages); left > 0; look() {
			select {
			case err := <-changed:
				if left--; err != nil {
					t.Error(err)
				}
			default:
			}
		}
		for _, page := range pages {
			if now := d.pageNow(page).Revision; known[page.ID] != now {
				t.Errorf("a page has the revision %d, and %d is known of it", now, known[page.ID])
			}
		}
	})
}
