package faultdb_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"

	"github.com/google/go-cmp/cmp"
)

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
