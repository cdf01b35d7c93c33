package account_test

import (
	"errors"
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
		ctx := t.Context()
		counted, err := s.Accounts.ProjectByID(ctx, d.ProjectID)
		if err != nil || counted.FaultCount == 0 || counted.UnresolvedCount == 0 {
			t.Fatalf("%+v, %v", counted, err)
		}
		team := d.createTeam(d.AccountID, "Crew", []int64{d.ProjectID}, nil)
		counted, err = s.Accounts.ProjectByID(ctx, d.ProjectID) // now with the team
		bare := counted
		bare.FaultCount, bare.UnresolvedCount = 0, 0

		got, errOfProject := s.Accounts.ProjectWithoutCounts(ctx, d.ProjectID)
		one, errOfTeam := s.Accounts.TeamWithoutCounts(ctx, d.UserID, team)
		list, _, errOfList := s.Accounts.ListTeams(ctx, d.UserID, account.TeamFilter{WithoutCounts: true, Page: sett.Page{Size: 25}})
		withCounts, _, errOfCounts := s.Accounts.ListTeams(ctx, d.UserID, account.TeamFilter{Page: sett.Page{Size: 25}})
		if err := errors.Join(err, errOfProject, errOfTeam, errOfList, errOfCounts); err != nil {
			t.Fatal(err)
		}
		want := []sett.Project{bare, bare, bare, counted}
		if diff := cmp.Diff(want, []sett.Project{got, one.Projects[0], list[0].Projects[0], withCounts[0].Projects[0]}); diff != "" {
			t.Errorf("a project without counts differs in more than the counts (-want +got):\n%s", diff)
		}
	})
}
