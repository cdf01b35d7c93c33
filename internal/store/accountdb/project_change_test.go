package accountdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestCreateProjectDefaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		p := d.Project("  Billing ")
		want := accounts.ProjectSettings{Name: "Billing", ResolveErrorsOnDeploy: true, PurgeDays: 90}
		if diff := cmp.Diff(want, p.ProjectSettings); diff != "" {
			t.Errorf("settings (-want +got):\n%s", diff)
		}
		keyed, err := s.Accounts.ProjectByKey(t.Context(), p.Token)
		if err != nil || keyed != (accounts.KeyedProject{ProjectID: p.ID, AccountID: d.AccountID, Active: true, Scope: accounts.ScopeAll}) {
			t.Errorf("the new key belongs to %+v, %v", keyed, err)
		}
		if p.Token == d.APIKey {
			t.Error("two projects share a key")
		}
	})
}

func TestCreateProjectChoosesTheAccount(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		member, billing := d.User("mia", accounts.Member), d.User("bill", accounts.Billing)
		both := d.User("bo", accounts.Member) // a member here, and since later an admin there
		d.Run(`INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, 'Admin', $3)`, other, both, db.Micros(storetest.Noon)+1)

		for _, c := range []struct {
			name    string
			user    int64
			account string
			want    string
			code    sett.Code
		}{
			{"named", d.UserID, d.AccountID, d.AccountID, ""},
			{"first", d.UserID, "", d.AccountID, ""},
			{"first in which the user may", both, "", other, ""},
			{"a role that may not", member, d.AccountID, "", sett.Forbidden},
			{"another role that may not", billing, "", "", sett.Forbidden},
			{"named, but the role does not allow it there", both, d.AccountID, "", sett.Forbidden},
			{"foreign", stranger, d.AccountID, "", sett.NotFound},
			{"unknown", d.UserID, "nowhere", "", sett.NotFound},
			{"no account at all", 99999, "", "", sett.Forbidden},
		} {
			p, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, c.user, c.account, accounts.ProjectChange{Name: sett.Some("New")})
			if p.AccountID != c.want || sett.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
				t.Errorf("%s: in account %q, %v; want %q, %q", c.name, p.AccountID, err, c.want, c.code)
			}
		}
		if n := d.Numbers(`SELECT count(*) FROM projects`, 1)[0]; n != 4 {
			t.Errorf("%d projects, want the first and those that were made", n)
		}
	})
}

func TestCreateProjectRefusesBeforeItWrites(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		_, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, d.UserID, "", accounts.ProjectChange{PurgeDays: sett.Some[int64](0)})
		if sett.CodeOf(err) != sett.Invalid || err.Error() != "Please correct: name can't be blank; purge_days must be from 1 to 3650." {
			t.Errorf("a project without a name: %v", err)
		}
		if n := d.Numbers(`SELECT count(*) FROM projects`, 1)[0]; n != 1 {
			t.Errorf("%d projects, want only the first", n)
		}
	})
}

func TestUpdateProjectChangesOnlyWhatWasSent(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		update := func(c accounts.ProjectChange) error { return s.Accounts.UpdateProject(t.Context(), d.ProjectID, c) }
		full := accounts.ProjectSettings{
			Name: "Store", Language: "golang", DisablePublicLinks: true, UserURL: "https://x.test/[user_id]",
			SourceURL: "https://x.test/[sha]/[file]#[line]", PurgeDays: 30, UserSearchField: "context.customer",
		}
		if err := update(accounts.ProjectChange{
			Name: sett.Some(full.Name), Language: sett.Some(full.Language), DisablePublicLinks: sett.Some(true),
			ResolveErrorsOnDeploy: sett.Some(false), UserURL: sett.Some(full.UserURL), SourceURL: sett.Some(full.SourceURL),
			PurgeDays: sett.Some(full.PurgeDays), UserSearchField: sett.Some(full.UserSearchField),
		}); err != nil {
			t.Fatal(err)
		}
		wantSettings(t, s, d.ProjectID, full)

		if err := update(accounts.ProjectChange{PurgeDays: sett.Some[int64](7)}); err != nil {
			t.Fatal(err)
		}
		full.PurgeDays = 7
		wantSettings(t, s, d.ProjectID, full)

		if err := update(accounts.ProjectChange{
			PurgeDays: sett.Optional[int64]{Sent: true, Null: true}, ResolveErrorsOnDeploy: sett.Optional[bool]{Sent: true, Null: true},
			Language: sett.Optional[string]{Sent: true, Null: true}, UserSearchField: sett.Optional[string]{Sent: true, Null: true},
		}); err != nil {
			t.Fatal(err)
		}
		full.PurgeDays, full.ResolveErrorsOnDeploy, full.Language, full.UserSearchField = 90, true, "", ""
		wantSettings(t, s, d.ProjectID, full)

		if err := update(accounts.ProjectChange{Name: sett.Some(" "), Language: sett.Some("golang")}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a blank name: %v", err)
		}
		wantSettings(t, s, d.ProjectID, full)
		wantSettings(t, s, other.ID, other.ProjectSettings)
		if err := s.Accounts.UpdateProject(t.Context(), 99999, accounts.ProjectChange{}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a project that is not there: %v", err)
		}
	})
}

func wantSettings(t *testing.T, s *store.Store, project int64, want accounts.ProjectSettings) {
	t.Helper()
	p, err := s.Accounts.ProjectByID(t.Context(), project)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, p.ProjectSettings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestTeamsOfAProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, _ := d.Stranger()
		member := d.User("mia", accounts.Member)
		first, second := d.Team(d.ProjectID, member), d.Team(d.Project("Other").ID)
		theirs := d.createTeam(other, "Theirs", nil, nil)
		wantTeams := func(what string, project int64, want ...int64) {
			t.Helper()
			p, err := s.Accounts.ProjectByID(t.Context(), project)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, team := range p.Teams {
				got = append(got, team.ID)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		teams := func(ids ...int64) accounts.ProjectChange { return accounts.ProjectChange{TeamIDs: sett.Some(ids)} }
		update := func(c accounts.ProjectChange) {
			t.Helper()
			if err := s.Accounts.UpdateProject(t.Context(), d.ProjectID, c); err != nil {
				t.Fatal(err)
			}
		}
		update(accounts.ProjectChange{PurgeDays: sett.Some[int64](7)})
		wantTeams("a change that does not name teams", d.ProjectID, first)
		update(teams(second, first, second))
		wantTeams("two teams", d.ProjectID, first, second)
		update(teams(second))
		wantTeams("one team", d.ProjectID, second)
		if scope, err := s.Accounts.ProjectScope(t.Context(), member, d.ProjectID); err != nil || scope.May(accounts.ReadProject) {
			t.Errorf("a member of a team that the project has left: %+v, %v", scope, err)
		}
		for _, stray := range []int64{theirs, 99999, 0, -1} {
			c := teams(first, stray)
			c.Name = sett.Some(" ")
			_, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, d.UserID, "", c)
			for _, err := range []error{err, s.Accounts.UpdateProject(t.Context(), d.ProjectID, c)} {
				if want := "Please correct: name can't be blank; team_ids must be ids of teams of this account."; sett.CodeOf(err) != sett.Invalid || err.Error() != want {
					t.Errorf("team %d: %v", stray, err)
				}
			}
		}
		wantTeams("refused changes", d.ProjectID, second)
		update(accounts.ProjectChange{TeamIDs: sett.Optional[[]int64]{Sent: true, Null: true}})
		wantTeams("null", d.ProjectID)
		update(teams(first))
		update(teams())
		wantTeams("an empty array", d.ProjectID)

		made, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, d.UserID, "", accounts.ProjectChange{Name: sett.Some("New"), TeamIDs: sett.Some([]int64{first})})
		if err != nil {
			t.Fatal(err)
		}
		wantTeams("made with a team", made.ID, first)
		if diff := cmp.Diff([]accounts.TeamName{{ID: first, Name: "Crew"}}, made.Teams); diff != "" {
			t.Errorf("the new project is shown with other teams (-want +got):\n%s", diff)
		}
	})
}
