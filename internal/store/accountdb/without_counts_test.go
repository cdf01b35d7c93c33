package accountdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestWithoutCounts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		ctx := t.Context()
		counted, err := s.Accounts.ProjectByID(ctx, d.ProjectID)
		if err != nil || counted.FaultCount == 0 || counted.UnresolvedCount == 0 {
			t.Fatalf("%+v, %v", counted, err)
		}
		bare := counted
		bare.FaultCount, bare.UnresolvedCount = 0, 0
		got, err := s.Accounts.ProjectWithoutCounts(ctx, d.ProjectID)
		if diff := cmp.Diff(bare, got); err != nil || diff != "" {
			t.Errorf("a project without counts differs in more than the counts (-want +got), %v:\n%s", err, diff)
		}
	})
}
