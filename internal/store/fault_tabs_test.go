package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// faultsOfTabs makes faults in every state, of two environments and two projects, with a deploy in their midst.
func (d *desk) faultsOfTabs() (other sett.Project) {
	other = d.project("Other")
	d.run(`UPDATE projects SET resolve_errors_on_deploy = false`)
	staging := func(r *sett.Report) { r.Environment = "staging" }
	theirs := func(r *sett.Report) { r.ProjectID = other.ID }
	for n, at := range []time.Time{noon.Add(-48 * time.Hour), noon.Add(-time.Hour), noon} {
		for i := range 4 {
			class := fmt.Sprint("F", n, i)
			d.record(at, sett.Limits{}, d.report(class), d.report(class+"s", staging), d.report(class+"t", theirs))
		}
	}
	for n := range 3 {
		d.update(fmt.Sprint("F", n, 1), sett.FaultChange{Resolved: sett.Some(true)})
		d.update(fmt.Sprint("F", n, 2), sett.FaultChange{Ignored: sett.Some(true)})
		d.update(fmt.Sprint("F", n, 2, "s"), sett.FaultChange{Ignored: sett.Some(true), Resolved: sett.Some(true)})
		d.update(fmt.Sprint("F", n, 3), sett.FaultChange{AssigneeID: sett.Some(d.UserID)})
		d.update(fmt.Sprint("F", n, 1), sett.FaultChange{AssigneeID: sett.Some(d.UserID)})
	}
	return other
}

func TestFaultTabsCountWhatTheirSearchesFind(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		other := d.faultsOfTabs()
		d.deploy(noon.Add(-time.Hour), sett.Deploy{Environment: "production"})
		d.deploy(noon.Add(-3*time.Hour), sett.Deploy{Environment: "staging"})
		deployed := map[string]time.Time{"": noon.Add(-time.Hour), "production": noon.Add(-time.Hour), "staging": noon.Add(-3 * time.Hour)}
		for environment, at := range deployed {
			tabs, err := s.FaultTabs(t.Context(), noon, d.ProjectID, d.UserID, environment)
			if err != nil || tabs.Deployed != at {
				t.Errorf("%q: deployed %v, %v; want %v", environment, tabs.Deployed, err, at)
			}
			for _, tab := range sett.FaultTabOrder {
				q := tabs.Query(tab)
				if environment != "" {
					q += " environment:" + environment
				}
				if want := len(d.find(q)); tabs.Count(tab) != int64(want) || want == 0 && environment != "staging" {
					t.Errorf("%q %s: %d, and %q finds %d", environment, tab, tabs.Count(tab), q, want)
				}
			}
		}
		theirs, err := s.FaultTabs(t.Context(), noon, other.ID, d.UserID, "")
		want := sett.FaultTabs{Unresolved: 12, New: 8}
		if diff := cmp.Diff(want, theirs); err != nil || diff != "" {
			t.Errorf("without a deploy: %v\n%s", err, diff)
		}
		d.deploy(noon.Add(-time.Minute), sett.Deploy{})
		if tabs, err := s.FaultTabs(t.Context(), noon, d.ProjectID, d.UserID, "staging"); err != nil || tabs.Deployed != noon.Add(-time.Minute) {
			t.Errorf("a deploy of the whole project is one of staging: %+v, %v", tabs, err)
		}
	})
}

func TestFaultSparks(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		now := noon.Add(10 * time.Minute)
		other := d.project("Other")
		d.record(noon.Add(-24*time.Hour), sett.Limits{}, d.report("A"), d.report("quiet"))
		d.record(noon.Add(-23*time.Hour), sett.Limits{}, d.report("A"), d.report("theirs", func(r *sett.Report) { r.ProjectID = other.ID }))
		d.record(noon.Add(-time.Second), sett.Limits{}, d.report("A"), d.report("A"))
		d.record(now, sett.Limits{}, d.report("A"), d.report("A"), d.report("A"))
		got, err := s.FaultSparks(t.Context(), now, d.ProjectID, []int64{d.faultID("A"), d.faultID("quiet"), d.faultID("theirs"), 999})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int64][]int64{d.faultID("A"): slices.Concat([]int64{1}, make([]int64, 21), []int64{2, 3}), d.faultID("quiet"): make([]int64, 24)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none, err := s.FaultSparks(t.Context(), now, d.ProjectID, nil); err != nil || len(none) != 0 {
			t.Errorf("of no fault: %v, %v", none, err)
		}
	})
}
