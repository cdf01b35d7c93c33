package faultdb_test

import (
	"slices"
	"testing"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// A fault may be assigned to a team of its project. Its members find it among theirs, until the team is deleted or no longer sees the project.
func TestFaultsOfTeams(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mia := d.User("Mia", accounts.Admin)
		id, err := s.Accounts.CreateTeam(t.Context(), storetest.Noon, d.AccountID, "Night shift", []int64{d.ProjectID}, map[int64]bool{d.UserID: false})
		if err != nil {
			t.Fatal(err)
		}
		stranger, err := s.Accounts.CreateTeam(t.Context(), storetest.Noon, d.AccountID, "Others", nil, map[int64]bool{d.UserID: false})
		if err != nil {
			t.Fatal(err)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"))
		d.Raised()
		assign := func(to int64) error {
			return s.Faults.UpdateFault(t.Context(), storetest.Noon, mia, d.ProjectID, d.FaultID("A"), faults.FaultChange{AssigneeID: sett.Some(to)})
		}
		if err := assign(-stranger); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("to a team of other projects: %v", err)
		}
		if err := assign(-id); err != nil {
			t.Fatal(err)
		}
		raised := d.Raised()
		if len(raised) != 1 || raised[0].Facts.Assignee.Called() != "Night shift" || !slices.Equal(raised[0].Facts.Team, []int64{d.UserID}) {
			t.Errorf("raised %+v", raised)
		}
		many := triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some(-id)}
		if done, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, mia, d.ProjectID, searchdb.Choice{IDs: []int64{d.FaultID("A"), d.FaultID("B")}}, many); err != nil || done.Changed != 1 {
			t.Errorf("many: %+v, %v", done, err)
		}
		if raised := d.Raised(); len(raised) != 1 || !slices.Equal(raised[0].Facts.Team, []int64{d.UserID}) {
			t.Errorf("raised %+v", raised)
		}
		if f := d.Fault("B"); !f.Assignee.IsTeam() || f.Assignee.Called() != "Night shift" {
			t.Errorf("assigned to %+v", f.Assignee)
		}
		if c, err := s.Concerns(t.Context(), storetest.Noon, mia, 10); err != nil || len(c.Assigned) > 0 {
			t.Errorf("who is not in the team has %+v, %v", c, err)
		}
		for text, want := range map[string][]string{
			`assignee:me`: {"A", "B"}, `assignee:"night shift"`: {"A", "B"}, `-is:assigned`: {"C"}, `assignee:anybody`: {"A", "B"}, `-assignee:me`: {"C"},
		} {
			if got := d.Find(text); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
		list, err := s.Search.ReadList(t.Context(), storetest.Noon, searchdb.ListQuery{Projects: []int64{d.ProjectID}, UserID: d.UserID, Page: searchdb.Page{Page: sett.Page{Size: 10}}})
		if err != nil || list.Tabs.Mine != 2 {
			t.Errorf("tabs: %+v, %v", list.Tabs, err)
		}
		if c, err := s.Concerns(t.Context(), storetest.Noon, d.UserID, 10); err != nil || len(c.Assigned) != 2 {
			t.Errorf("concerns: %+v, %v", c, err)
		}
		if reasons, err := s.Faults.FaultReasons(t.Context(), storetest.Noon, d.ProjectID, d.UserID, []int64{d.FaultID("A"), d.FaultID("C")}); err != nil || len(reasons[d.FaultID("A")]) <= len(reasons[d.FaultID("C")]) {
			t.Errorf("reasons: %+v, %v", reasons, err)
		}
		into := d.FaultID("C")
		part := d.FaultID("A")
		merges{d}.merge(part, into)
		if err := s.Faults.SplitFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, part); err != nil {
			t.Fatal(err)
		}
		if f := d.Fault("A"); f.Assignee.Called() != "Night shift" {
			t.Errorf("after a merge and a split: %+v", f.Assignee)
		}
		seenBy := func(teams ...int64) {
			t.Helper()
			if err := s.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{TeamIDs: sett.Some(teams)}); err != nil {
				t.Fatal(err)
			}
		}
		seenBy(id, stranger)
		if err := assign(-stranger); err != nil {
			t.Fatal(err)
		}
		if seenBy(id); d.Fault("A").Assignee != nil || d.Fault("B").Assignee.Called() != "Night shift" {
			t.Errorf("without one of two teams, the errors are of %+v and %+v", d.Fault("A").Assignee, d.Fault("B").Assignee)
		}
		if err := s.Accounts.DeleteTeam(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if n := d.Numbers(`SELECT count(*) FROM faults WHERE assignee_id IS NOT NULL`, 1)[0]; n > 0 {
			t.Errorf("%d faults have a team that is gone", n)
		}
	})
}
