package searchdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// tabs reads the tabs of a project's list.
func (d *desk) tabs(project int64, environment string) (faults.FaultTabs, error) {
	list, err := d.Search.ReadList(d.T.Context(), storetest.Noon, searchdb.ListQuery{Projects: []int64{project}, UserID: d.UserID, Environment: environment})
	return list.Tabs, err
}

func TestFaultTabsCountWhatTheirSearchesFind(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.FaultsOfTabs()
		d.Deploy(storetest.Noon.Add(-time.Hour), faults.Deploy{Environment: "production"})
		d.Deploy(storetest.Noon.Add(-3*time.Hour), faults.Deploy{Environment: "staging"})
		deployed := map[string]time.Time{"": storetest.Noon.Add(-time.Hour), "production": storetest.Noon.Add(-time.Hour), "staging": storetest.Noon.Add(-3 * time.Hour)}
		for environment, at := range deployed {
			tabs, err := d.tabs(d.ProjectID, environment)
			if err != nil || tabs.Deployed != at {
				t.Errorf("%q: deployed %v, %v; want %v", environment, tabs.Deployed, err, at)
			}
			for _, tab := range faults.FaultTabOrder {
				q := tab.Query()
				if environment != "" {
					q += " environment:" + environment
				}
				if want := len(d.Find(q)); tabs.Count(tab) != int64(want) || want == 0 && environment != "staging" {
					t.Errorf("%q %s: %d, and %q finds %d", environment, tab, tabs.Count(tab), q, want)
				}
			}
		}
		theirs, err := d.tabs(other.ID, "")
		want := faults.FaultTabs{Unresolved: 12, New: 8}
		if diff := cmp.Diff(want, theirs); err != nil || diff != "" {
			t.Errorf("without a deploy: %v\n%s", err, diff)
		}
		d.Deploy(storetest.Noon.Add(-time.Minute), faults.Deploy{})
		if tabs, err := d.tabs(d.ProjectID, "staging"); err != nil || tabs.Deployed != storetest.Noon.Add(-time.Minute) {
			t.Errorf("a deploy of the whole project is one of staging: %+v, %v", tabs, err)
		}
	})
}
