package account_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/store"
	"sett/internal/store/account"
	"sett/internal/store/storetest"
)

func TestWithoutCounts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, sett.Limits{}, d.Report("A"), d.Report("B"))
		counted, err := s.Accounts.ProjectByID(t.Context(), d.ProjectID)
		if err != nil || counted.FaultCount == 0 || counted.UnresolvedCount == 0 {
			t.Fatalf("%+v, %v", counted, err)
		}
		got, err := s.Accounts.ProjectByID(account.WithoutCounts(t.Context()), d.ProjectID)
		counted.FaultCount, counted.UnresolvedCount = 0, 0
		if diff := cmp.Diff(counted, got); err != nil || diff != "" {
			t.Errorf("%v; a project without counts differs in more (-counted +uncounted):\n%s", err, diff)
		}
	})
}
