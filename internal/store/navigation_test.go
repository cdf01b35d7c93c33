package store_test

import (
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// Who sees more projects than a navigation names finds themselves in each of them, and the menu of every page stays short.
func TestNavigationAmongManyProjects(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range store.MostNamedProjects {
			d.Run(`INSERT INTO projects (account_id, name, active, language, resolve_errors_on_deploy, disable_public_links, user_url, source_url, purge_days, user_search_field, created_at)
				SELECT account_id, $1, active, language, false, false, '', '', purge_days, '', created_at FROM projects WHERE id = $2`, fmt.Sprintf("A%03d", i), d.ProjectID)
		}
		last := d.Project("Zebra").ID
		n, err := s.Navigation(t.Context(), d.UserID, last, "")
		if err != nil {
			t.Fatal(err)
		}
		if n.Project.Name != "Zebra" || len(n.Projects) != store.MostNamedProjects || n.Projects[0].Name != "A000" || n.Projects[store.MostNamedProjects-1].Name != "Zebra" {
			t.Errorf("in %+v of %d, from %+v to %+v", n.Project, len(n.Projects), n.Projects[0], n.Projects[len(n.Projects)-1])
		}
		if len(n.Menu()) != 50 {
			t.Errorf("the menu has %d projects", len(n.Menu()))
		}
	})
}

// Every page says how many errors are open, and takes no longer where there are many.
func TestNavigationCountsOpenErrors(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		reports := []*faultdb.Packed{}
		for i := range accounts.MostOpenErrors + 2 {
			reports = append(reports, d.Report(fmt.Sprint("E", i)))
		}
		for _, want := range []int64{3, accounts.MostOpenErrors + 1} {
			if want == 3 {
				d.Record(storetest.Noon, accounts.Limits{}, reports[:3]...)
			} else {
				d.Record(storetest.Noon, accounts.Limits{}, reports[3:]...)
			}
			if n, err := s.Navigation(t.Context(), d.UserID, d.ProjectID, ""); err != nil || n.Unresolved != want {
				t.Errorf("%d open errors, want %d; %v", n.Unresolved, want, err)
			}
		}
	})
}

// Every page says whether something of its project is down, by its icon.
func TestNavigationSaysWhatIsDown(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID, func(c *checks.SiteChange) { c.OutageThreshold = sett.Some(int64(1)) })
		other := d.Project("Other").ID
		for m, up := range []bool{true, false, true} {
			d.Turn(m, up, site)
			for project, want := range map[int64]bool{d.ProjectID: !up, other: false} {
				if n, err := s.Navigation(t.Context(), d.UserID, project, ""); err != nil || n.Down != want {
					t.Errorf("minute %d, project %d: down %v, want %v; %v", m, project, n.Down, want, err)
				}
			}
		}
	})
}
