package uptimedb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func TestASiteFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) {
			c.RequestHeaders = sett.Some([]checks.ProbeHeader{{Key: "X-Probe", Value: "1"}})
			c.Locations = sett.Some([]string{"London", "Oregon"})
		})
		want := checks.Site{
			ID: site.ID, ProjectID: d.ProjectID, State: sett.SitePending, Revision: 1, TargetRevision: 1, CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon,
			SiteSettings: checks.SiteSettings{
				Name: "https://shop.example.test/health", Frequency: 1, Locations: []checks.Location{checks.London, checks.Oregon}, SlowChecks: 3, Active: true,
				ProbeRequest: checks.ProbeRequest{
					URL: "https://shop.example.test/health", MatchType: checks.MatchSuccess, Method: "GET", ValidateSSL: true, Timeout: 30 * time.Second,
					Headers: []checks.ProbeHeader{{Key: "X-Probe", Value: "1"}},
				},
			},
		}
		if diff := cmp.Diff(want, site); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		later := storetest.Noon.Add(time.Hour)
		for range 2 { // the second changes nothing
			change := checks.SiteChange{Name: sett.Some("Shop"), Frequency: sett.Some(int64(15))}
			if err := s.Uptime.UpdateSite(t.Context(), later, d.ProjectID, site.ID, change); err != nil {
				t.Fatal(err)
			}
			want.Name, want.Frequency, want.UpdatedAt, want.Revision = "Shop", 15, storetest.Noon.Add(time.Hour), 2
			if diff := cmp.Diff(want, d.FindSite(site)); diff != "" {
				t.Errorf("renamed (-want +got):\n%s", diff)
			}
			later = later.Add(time.Hour)
		}
		change := checks.SiteChange{
			URL: sett.Some("http://x.test"), MatchType: sett.Some("include"), Match: sett.Some("fine"), RequestMethod: sett.Some("POST"),
			RequestBody: sett.Some("{}"), RequestHeaders: sett.Optional[[]checks.ProbeHeader]{Sent: true, Null: true},
			Locations: sett.Some([]string{}), ValidateSSL: sett.Some(false), OutageThreshold: sett.Some(int64(3)), SlowAfter: sett.Some(int64(800)), SlowChecks: sett.Some(int64(4)), Active: sett.Some(false),
			Timeout: sett.Some(int64(60)), FollowRedirects: sett.Some(true),
		}
		if err := s.Uptime.UpdateSite(t.Context(), later, d.ProjectID, site.ID, change); err != nil {
			t.Fatal(err)
		}
		want.SiteSettings = checks.SiteSettings{
			Name: "Shop", Frequency: 15, OutageThreshold: 3, SlowAfter: 800 * time.Millisecond, SlowChecks: 4,
			ProbeRequest: checks.ProbeRequest{
				URL: "http://x.test", MatchType: checks.MatchInclude, Match: "fine", Method: "POST", Body: "{}", FollowRedirects: true, Timeout: time.Minute,
			},
		}
		want.Revision, want.TargetRevision, want.UpdatedAt = 3, 3, later
		if diff := cmp.Diff(want, d.FindSite(site)); diff != "" {
			t.Errorf("changed (-want +got):\n%s", diff)
		}
		p, err := s.Accounts.ProjectByID(t.Context(), d.ProjectID)
		summary := []accounts.SiteSummary{{ID: site.ID, Name: "Shop", URL: "http://x.test", State: sett.SitePending}}
		if diff := cmp.Diff(summary, p.Sites); err != nil || diff != "" {
			t.Errorf("%v, in its project (-want +got):\n%s", err, diff)
		}
		if err := s.Uptime.DeleteSite(t.Context(), d.ProjectID, site.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Uptime.SiteByID(t.Context(), d.ProjectID, site.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleted: %v", err)
		}
	})
}

func TestSitesThatAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		site, idle := d.Site(d.ProjectID), d.Site(d.ProjectID, func(c *checks.SiteChange) { c.Active = sett.Some(false) })
		create := func(project int64, address string) error {
			_, err := s.Uptime.CreateSite(t.Context(), storetest.Noon, project, checks.SiteChange{URL: sett.Some(address)})
			return err
		}
		update := func(project int64, address string) error {
			return s.Uptime.UpdateSite(t.Context(), storetest.Noon, project, site.ID, checks.SiteChange{URL: sett.Some(address)})
		}
		lists := func(project int64) error {
			_, _, err := s.Uptime.ListOutages(t.Context(), project, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 5}})
			return err
		}
		checks := func(project int64) error {
			_, _, err := s.Uptime.ListUptimeChecks(t.Context(), project, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 5}})
			return err
		}
		days := func(project int64) error {
			_, err := s.Uptime.UptimeDays(t.Context(), project, site.ID, storetest.Noon, storetest.Noon)
			return err
		}
		mark := func() error {
			_, _, err := s.Uptime.ListSites(t.Context(), d.ProjectID, sett.Page{Size: 5, Mark: "x"})
			return err
		}
		for name, c := range map[string]struct {
			err  error
			says string
		}{
			"no address":                 {create(d.ProjectID, ""), "Please correct: url can't be blank."},
			"no such project":            {create(999, "http://x.test"), "Project not found"},
			"a bad address":              {update(d.ProjectID, "ftp://x.test"), "Please correct: url must be a URL that starts with http:// or https://."},
			"update of another's":        {update(other, "http://x.test"), "Site not found"},
			"ask another's":              {s.Uptime.AskSite(t.Context(), storetest.Noon, other, site.ID), "Site not found"},
			"ask what is not active":     {s.Uptime.AskSite(t.Context(), storetest.Noon, d.ProjectID, idle.ID), "This site is not active. Make it active to have it checked."},
			"delete another's":           {s.Uptime.DeleteSite(t.Context(), other, site.ID), "Site not found"},
			"outages of another's":       {lists(other), "Site not found"},
			"checks of another's":        {checks(other), "Site not found"},
			"uptime of another's":        {days(other), "Site not found"},
			"a mark that is none":        {mark(), "Please correct: cursor must be from a next or prev link of the same list."},
			"delete what is not there":   {s.Uptime.DeleteSite(t.Context(), d.ProjectID, sett.UUID{1}), "Site not found"},
			"outages of its own project": {lists(d.ProjectID), ""},
		} {
			if says := fmt.Sprint(c.err); c.err != nil && says != c.says || c.err == nil && c.says != "" {
				t.Errorf("%s: %v", name, c.err)
			}
		}
	})
}

func TestSitesPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var want []sett.UUID
		for range 7 {
			want = append(want, d.Site(d.ProjectID).ID)
		}
		d.Site(d.Project("Other").ID)
		page := func(p sett.Page) (ids []sett.UUID, marks sett.Marks) {
			found, marks, err := s.Uptime.ListSites(t.Context(), d.ProjectID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, site := range found {
				ids = append(ids, site.ID)
			}
			return ids, marks
		}
		first, marks := page(sett.Page{Size: 3})
		second, marks := page(sett.Page{Size: 3, Mark: marks.Next})
		third, _ := page(sett.Page{Size: 3, Mark: marks.Next})
		back, _ := page(sett.Page{Size: 3, Mark: marks.Prev, Back: true})
		if diff := cmp.Diff([][]sett.UUID{want[:3], want[3:6], want[6:], want[:3]}, [][]sett.UUID{first, second, third, back}); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
	})
}
