package store

import (
	"slices"
	"testing"
	"time"

	"sett/internal/sett"
)

func TestExplainFault(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		on := func(host string) *Packed {
			return d.report("A", func(r *sett.Report) { r.Facets = "\nhostname=" + host + "\n" })
		}
		d.record(noon.Add(-61*time.Minute), sett.Limits{}, slices.Repeat([]*Packed{on("web-1"), d.report("B")}, 30)...)
		d.record(noon.Add(-59*time.Minute), sett.Limits{}, slices.Repeat([]*Packed{on("web-2")}, 25)...)
		e, err := s.ExplainFault(t.Context(), noon, d.ProjectID, d.faultID("A"))
		if err != nil || e.Recent != 25 || e.Before != 30 || len(e.Changes) != 1 || e.Changes[0].Value != "web-2" || len(e.Common) != 1 {
			t.Errorf("%+v, %v", e, err)
		}
		merges{d}.merge(d.faultID("B"), d.faultID("A"))
		if e, err := s.ExplainFault(t.Context(), noon, d.ProjectID, d.faultID("A")); err != nil || e.Recent != 25 || e.Before != 60 {
			t.Errorf("with what was merged: %+v, %v", e, err)
		}
		if _, err := s.ExplainFault(t.Context(), noon, d.project("Other").ID, d.faultID("A")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
