package fault_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/fault"
	"sett/internal/store/storetest"
)

func TestExplainFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		on := func(host string) *fault.Packed {
			return d.Report("A", func(r *sett.Report) { r.Facets = "\nhostname=" + host + "\n" })
		}
		d.Record(storetest.Noon.Add(-61*time.Minute), sett.Limits{}, slices.Repeat([]*fault.Packed{on("web-1"), d.Report("B")}, 30)...)
		d.Record(storetest.Noon.Add(-59*time.Minute), sett.Limits{}, slices.Repeat([]*fault.Packed{on("web-2")}, 25)...)
		e, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("A"))
		if err != nil || e.Recent != 25 || e.Before != 30 || len(e.Changes) != 1 || e.Changes[0].Value != "web-2" || len(e.Common) != 1 {
			t.Errorf("%+v, %v", e, err)
		}
		merges{d}.merge(d.FaultID("B"), d.FaultID("A"))
		if e, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("A")); err != nil || e.Recent != 25 || e.Before != 60 {
			t.Errorf("with what was merged: %+v, %v", e, err)
		}
		if _, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.Project("Other").ID, d.FaultID("A")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
