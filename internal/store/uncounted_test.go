package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestUncounted(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.record(noon, sett.Limits{}, d.report("A"), d.report("B"))
		counted, err := s.ProjectByID(t.Context(), d.ProjectID)
		if err != nil || counted.FaultCount == 0 || counted.UnresolvedCount == 0 {
			t.Fatalf("%+v, %v", counted, err)
		}
		got, err := s.ProjectByID(Uncounted(t.Context()), d.ProjectID)
		counted.FaultCount, counted.UnresolvedCount = 0, 0
		if diff := cmp.Diff(counted, got); err != nil || diff != "" {
			t.Errorf("%v; a project without counts differs in more (-counted +uncounted):\n%s", err, diff)
		}
	})
}
