package faultdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// faultsOfTabs makes faults in every state, of two environments and two projects, with a deploy in their midst.
func (d *desk) faultsOfTabs() (other accounts.Project) {
	other = d.Project("Other")
	d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
	staging := func(r *faults.Report) { r.Environment = "staging" }
	theirs := func(r *faults.Report) { r.ProjectID = other.ID }
	for n, at := range []time.Time{storetest.Noon.Add(-48 * time.Hour), storetest.Noon.Add(-time.Hour), storetest.Noon} {
		for i := range 4 {
			class := fmt.Sprint("F", n, i)
			d.Record(at, accounts.Limits{}, d.Report(class), d.Report(class+"s", staging), d.Report(class+"t", theirs))
		}
	}
	for n := range 3 {
		d.Update(fmt.Sprint("F", n, 1), faults.FaultChange{Resolved: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 2), faults.FaultChange{Ignored: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 2, "s"), faults.FaultChange{Ignored: sett.Some(true), Resolved: sett.Some(true)})
		d.Update(fmt.Sprint("F", n, 3), faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		d.Update(fmt.Sprint("F", n, 1), faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
	}
	return other
}

func TestFaultTabsCountWhatTheirSearchesFind(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.faultsOfTabs()
		d.Deploy(storetest.Noon.Add(-time.Hour), faults.Deploy{Environment: "production"})
		d.Deploy(storetest.Noon.Add(-3*time.Hour), faults.Deploy{Environment: "staging"})
		deployed := map[string]time.Time{"": storetest.Noon.Add(-time.Hour), "production": storetest.Noon.Add(-time.Hour), "staging": storetest.Noon.Add(-3 * time.Hour)}
		for environment, at := range deployed {
			tabs, err := s.Faults.FaultTabs(t.Context(), storetest.Noon, d.ProjectID, d.UserID, environment)
			if err != nil || tabs.Deployed != at {
				t.Errorf("%q: deployed %v, %v; want %v", environment, tabs.Deployed, err, at)
			}
			for _, tab := range faults.FaultTabOrder {
				q := tabs.Query(tab)
				if environment != "" {
					q += " environment:" + environment
				}
				if want := len(d.find(q)); tabs.Count(tab) != int64(want) || want == 0 && environment != "staging" {
					t.Errorf("%q %s: %d, and %q finds %d", environment, tab, tabs.Count(tab), q, want)
				}
			}
		}
		theirs, err := s.Faults.FaultTabs(t.Context(), storetest.Noon, other.ID, d.UserID, "")
		want := faults.FaultTabs{Unresolved: 12, New: 8}
		if diff := cmp.Diff(want, theirs); err != nil || diff != "" {
			t.Errorf("without a deploy: %v\n%s", err, diff)
		}
		d.Deploy(storetest.Noon.Add(-time.Minute), faults.Deploy{})
		if tabs, err := s.Faults.FaultTabs(t.Context(), storetest.Noon, d.ProjectID, d.UserID, "staging"); err != nil || tabs.Deployed != storetest.Noon.Add(-time.Minute) {
			t.Errorf("a deploy of the whole project is one of staging: %+v, %v", tabs, err)
		}
	})
}

func TestFaultSparks(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		now := storetest.Noon.Add(10 * time.Minute)
		other := d.Project("Other")
		d.Record(storetest.Noon.Add(-24*time.Hour), accounts.Limits{}, d.Report("A"), d.Report("quiet"))
		d.Record(storetest.Noon.Add(-23*time.Hour), accounts.Limits{}, d.Report("A"), d.Report("theirs", func(r *faults.Report) { r.ProjectID = other.ID }))
		d.Record(storetest.Noon.Add(-time.Second), accounts.Limits{}, d.Report("A"), d.Report("A"))
		d.Record(now, accounts.Limits{}, d.Report("A"), d.Report("A"), d.Report("A"))
		got, err := s.Faults.FaultSparks(t.Context(), now, d.ProjectID, []int64{d.FaultID("A"), d.FaultID("quiet"), d.FaultID("theirs"), 999})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int64][]int64{d.FaultID("A"): slices.Concat([]int64{1}, make([]int64, 21), []int64{2, 3}), d.FaultID("quiet"): make([]int64, 24)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none, err := s.Faults.FaultSparks(t.Context(), now, d.ProjectID, nil); err != nil || len(none) != 0 {
			t.Errorf("of no fault: %v, %v", none, err)
		}
	})
}
