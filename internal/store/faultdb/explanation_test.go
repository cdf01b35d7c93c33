package faultdb_test

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/block"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestExplainFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		on := func(host string) *faultdb.Packed {
			return d.Report("A", func(r *faults.Report) { r.Facets = "\nhostname=" + host + "\n" })
		}
		d.Record(storetest.Noon.Add(-61*time.Minute), accounts.Limits{}, slices.Repeat([]*faultdb.Packed{on("web-1"), d.Report("B")}, 30)...)
		d.Record(storetest.Noon.Add(-59*time.Minute), accounts.Limits{}, slices.Repeat([]*faultdb.Packed{on("web-2")}, 25)...)
		e, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("A"), nil)
		if err != nil || e.Recent != 25 || e.Before != 30 || len(e.Changes) != 1 || e.Changes[0].Value != "web-2" || len(e.Breakdown) != 1 {
			t.Errorf("%+v, %v", e, err)
		}
		merges{d}.merge(d.FaultID("B"), d.FaultID("A"))
		if e, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.ProjectID, d.FaultID("A"), nil); err != nil || e.Recent != 25 || e.Before != 60 {
			t.Errorf("with what was merged: %+v, %v", e, err)
		}
		if _, err := s.Faults.ExplainFault(t.Context(), storetest.Noon, d.Project("Other").ID, d.FaultID("A"), nil); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}

// However far apart the notices of a fault lie, few bundles and blocks are opened to explain it: each bundle here has one of its notices, and so has
// each block.
func TestExplainFaultOpensLittle(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		bundle := func(minute int, own, others int) {
			var reports []*faults.Report
			for i := range own + others {
				class := "A"
				if i >= own {
					class = "B"
				}
				reports = append(reports, d.Report(class).Report)
			}
			d.Record(storetest.Noon.Add(time.Duration(minute)*time.Minute), accounts.Limits{}, new(faultdb.Packer).Pack(reports)...)
		}
		const perBundle, bundles = block.MostInBundle, 2*block.FacetsInBundles/block.MostInBundle + 1
		want := func(what string, wantRecent, want int) {
			t.Helper()
			now := storetest.Noon.Add(1000 * time.Minute)
			if e, err := s.Faults.ExplainFault(t.Context(), now, d.ProjectID, d.FaultID("A"), nil); err != nil || e.Before != want || e.Recent != wantRecent {
				t.Errorf("%s: %d notices are compared, and %d recent ones, %v; want %d, %d", what, e.Before, e.Recent, err, want, wantRecent)
			}
		}
		for i := range bundles {
			bundle(i, 1, perBundle-1)
		}
		want("one in each bundle", 0, block.FacetsInBundles/perBundle)
		if n := d.Compact(storetest.Noon, block.Sizes{Most: perBundle, Least: perBundle}); n != int64(bundles) {
			t.Fatalf("there are %d blocks, want %d", n, bundles)
		}
		want("one in each block", 0, faultdb.FewBlocks)
		bundle(999, triage.LeastEvidence, 0)
		want("one in each block, compared with recent ones", triage.LeastEvidence, faultdb.ExplainedBlocks)
		for i := range 8 {
			bundle(bundles+i, perBundle, 0)
		}
		want("recent ones in a few bundles", faultdb.MostExplained, faultdb.ExplainedBlocks)
	})
}
