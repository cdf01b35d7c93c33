package accountdb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

func teamIDsOf(teams []accounts.Team) []int64 {
	ids := []int64{}
	for _, t := range teams {
		ids = append(ids, t.ID)
	}
	return ids
}

func (d *desk) createTeam(account, name string, projects []int64, members map[int64]bool) int64 {
	d.T.Helper()
	id, err := d.Accounts.CreateTeam(d.T.Context(), storetest.Noon, account, name, projects, members)
	if err != nil {
		d.T.Fatal(err)
	}
	return id
}

// What a user sees of teams is what accounts.Scope.May says, whichever way they ask.
func TestWhoSeesATeam(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		scopes := map[int64]accounts.Scope{99999: {}}
		members := map[int64]bool{}
		for _, role := range accounts.Roles {
			for _, scope := range []accounts.Scope{{Role: role}, {Role: role, OfTeam: true}, {Role: role, OfTeam: true, TeamAdmin: true}} {
				user := d.User(fmt.Sprint("u", len(scopes)), role)
				scopes[user] = scope
				if scope.OfTeam {
					members[user] = scope.TeamAdmin
				}
			}
		}
		team := d.createTeam(d.AccountID, "Crew", []int64{d.ProjectID}, members)
		_, stranger := d.Stranger()
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, 0)`, team, stranger)
		d.Run(`INSERT INTO invitations (account_id, team_id, token, email, role, admin, message, created_at)
			VALUES ($1, $2, 'secret', 'new@example.test', 'Member', false, '', 0)`, d.AccountID, team)
		scopes[stranger] = accounts.Scope{}

		for user, scope := range scopes {
			got, err := s.Accounts.TeamScope(t.Context(), user, team)
			if got.AccountID, got.Name = "", ""; err != nil || got != scope {
				t.Errorf("%+v has the scope %+v, %v", scope, got, err)
			}
			listed, _, err := s.Accounts.ListTeams(t.Context(), user, accountdb.TeamFilter{Page: sett.Page{Size: 25}})
			if err != nil || (len(listed) == 1) != scope.May(accounts.ReadTeam) {
				t.Errorf("%+v: %d teams in the list, %v", scope, len(listed), err)
			}
			one, err := s.Accounts.TeamByID(t.Context(), user, team)
			if !scope.May(accounts.ReadTeam) {
				if sett.CodeOf(err) != sett.NotFound {
					t.Errorf("%+v sees the team: %v", scope, err)
				}
				continue
			}
			if diff := cmp.Diff(listed, []accounts.Team{one}); diff != "" || err != nil {
				t.Errorf("%+v: %v, the team in the list and by its id differ:\n%s", scope, err, diff)
			}
			if (len(one.Invitations) == 1) != scope.May(accounts.ManageTeam) {
				t.Errorf("%+v sees %d invitations", scope, len(one.Invitations))
			}
			if len(one.Members) != len(members) { // not the stranger
				t.Errorf("%+v sees %d members, want %d", scope, len(one.Members), len(members))
			}
		}
	})
}

func TestListTeamsInPages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		d.join(other, d.UserID, accounts.Member)
		mine := []int64{d.Team(d.ProjectID), d.Team(d.ProjectID), d.Team(d.ProjectID), d.Team(d.ProjectID)}
		theirs := d.createTeam(other, "Theirs", nil, map[int64]bool{d.UserID: false})
		d.createTeam(other, "Unseen", nil, nil)

		mark := func(id int64) string { return fmt.Sprint(id) }
		for _, c := range []struct {
			name   string
			filter accountdb.TeamFilter
			want   []int64
			marks  sett.Marks
		}{
			{"all", accountdb.TeamFilter{Page: sett.Page{Size: 5}}, append(mine[:4:4], theirs), sett.Marks{}},
			{"first page", accountdb.TeamFilter{Page: sett.Page{Size: 2}}, mine[:2], sett.Marks{Next: mark(mine[1])}},
			{"by number", accountdb.TeamFilter{Page: sett.Page{Size: 2, Offset: 2}}, mine[2:], sett.Marks{Prev: mark(mine[1]), Next: mark(mine[3])}},
			{"by mark", accountdb.TeamFilter{Page: sett.Page{Size: 2, Mark: mark(mine[1])}}, mine[2:], sett.Marks{Prev: mark(mine[1]), Next: mark(mine[3])}},
			{"back", accountdb.TeamFilter{Page: sett.Page{Size: 2, Mark: mark(mine[3]), Back: true}}, mine[2:], sett.Marks{Prev: mark(mine[1]), Next: mark(mine[3])}},
			{"one account", accountdb.TeamFilter{AccountID: d.AccountID, Page: sett.Page{Size: 5}}, mine, sett.Marks{}},
			{"the other account", accountdb.TeamFilter{AccountID: other, Page: sett.Page{Size: 5}}, []int64{theirs}, sett.Marks{}},
			{"far past the end", accountdb.TeamFilter{Page: sett.Page{Size: 2, Offset: 8}}, []int64{}, sett.Marks{}},
		} {
			got, marks, err := s.Accounts.ListTeams(t.Context(), d.UserID, c.filter)
			if diff := cmp.Diff(c.want, teamIDsOf(got)); diff != "" || marks != c.marks || err != nil {
				t.Errorf("%s: marks %+v, want %+v, %v; ids (-want +got):\n%s", c.name, marks, c.marks, err, diff)
			}
		}
		if _, _, err := s.Accounts.ListTeams(t.Context(), d.UserID, accountdb.TeamFilter{Page: sett.Page{Size: 2, Mark: "x"}}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
		for _, id := range []string{d.AccountID, "nowhere"} {
			if _, _, err := s.Accounts.ListTeams(t.Context(), stranger, accountdb.TeamFilter{AccountID: id, Page: sett.Page{Size: 1}}); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("account %q of a stranger: %v, want not found", id, err)
			}
		}
	})
}

func TestStartTeam(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, stranger := d.Stranger()
		both := d.User("bo", accounts.Member) // a member here, and an admin there
		d.join(other, both, accounts.Admin)

		got, err := s.Accounts.StartTeam(t.Context(), storetest.Noon, d.UserID, "", accounts.TeamChange{Name: sett.Some(" Crew ")})
		olga := sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}
		want := accounts.Team{
			ID: got.ID, Name: "Crew", CreatedAt: storetest.Noon, Owner: &olga,
			Members: []accounts.TeamMember{{Person: olga, Admin: true, CreatedAt: storetest.Noon}},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, the new team (-want +got):\n%s", err, diff)
		}

		for _, c := range []struct {
			name    string
			user    int64
			account string
			in      string
			code    sett.Code
		}{
			{"named", d.UserID, d.AccountID, d.AccountID, ""},
			{"the first in which they may", both, "", other, ""},
			{"where the role does not allow it", both, d.AccountID, "", sett.Forbidden},
			{"foreign", stranger, d.AccountID, "", sett.NotFound},
			{"nowhere", d.UserID, "nowhere", "", sett.NotFound},
			{"no user", 99999, "", "", sett.Forbidden},
		} {
			team, err := s.Accounts.StartTeam(t.Context(), storetest.Noon, c.user, c.account, accounts.TeamChange{Name: sett.Some("New")})
			in := ""
			if err == nil {
				d.Scan(`SELECT account_id FROM teams WHERE id = $1`, []any{team.ID}, &in)
			}
			if in != c.in || sett.CodeOf(err) != c.code || (err == nil) != (c.code == "") {
				t.Errorf("%s: in account %q, %v; want %q, %q", c.name, in, err, c.in, c.code)
			}
		}
		if _, err := s.Accounts.StartTeam(t.Context(), storetest.Noon, d.UserID, "", accounts.TeamChange{}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a team without a name: %v", err)
		}
		if n := d.Numbers(`SELECT count(*) FROM teams`, 1)[0]; n != 3 {
			t.Errorf("%d teams, want those that were made", n)
		}
	})
}

func TestUpdateAndDeleteTeam(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		member := d.User("mia", accounts.Member)
		team, other := d.Team(d.ProjectID, member), d.Team(d.ProjectID, member)
		name := func(id int64) string {
			team, err := s.Accounts.TeamByID(t.Context(), d.UserID, id)
			if err != nil {
				t.Fatal(err)
			}
			return team.Name
		}
		for _, c := range []struct {
			change accounts.TeamChange
			code   sett.Code
			want   string
		}{
			{accounts.TeamChange{Name: sett.Some("Crew 2")}, "", "Crew 2"},
			{accounts.TeamChange{}, "", "Crew 2"},
			{accounts.TeamChange{Name: sett.Some(" ")}, sett.Invalid, "Crew 2"},
		} {
			if err := s.Accounts.UpdateTeam(t.Context(), team, c.change); sett.CodeOf(err) != c.code || name(team) != c.want || name(other) != "Crew" {
				t.Errorf("%+v: %v, the teams are %q and %q", c.change, err, name(team), name(other))
			}
		}

		if err := s.Accounts.DeleteTeam(t.Context(), team); err != nil {
			t.Fatal(err)
		}
		d.WantNumbers("left", `SELECT (SELECT count(*) FROM teams), (SELECT count(*) FROM team_members), (SELECT count(*) FROM team_projects),
			(SELECT count(*) FROM projects), (SELECT count(*) FROM memberships WHERE user_id = $1)`, []any{member}, 1, 1, 1, 1, 1)
		for what, err := range map[string]error{
			"change": s.Accounts.UpdateTeam(t.Context(), team, accounts.TeamChange{}), "delete": s.Accounts.DeleteTeam(t.Context(), team),
		} {
			if sett.CodeOf(err) != sett.NotFound {
				t.Errorf("%s a team that is gone: %v", what, err)
			}
		}
	})
}

func TestAPageOfTeamsTakesNoMoreStatementsThanOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	var found []accountdb.ScopedTeam
	for range 25 {
		found = append(found, accountdb.ScopedTeam{ID: d.Team(d.Project("Another").ID, d.UserID), Scope: accounts.Scope{Role: accounts.Owner}})
	}
	statements := func(found []accountdb.ScopedTeam) int {
		q := &counting{Querier: d.Read}
		got, err := d.Accounts.Teams(t.Context(), q, found)
		if err != nil || len(got) != len(found) {
			t.Fatalf("%d of %d teams: %v", len(got), len(found), err)
		}
		return q.n
	}
	if one, page := statements(found[:1]), statements(found); one != page {
		t.Errorf("%d statements for one team, %d for a page of %d", one, page, len(found))
	}
}

func TestBareTeams(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		second, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, d.UserID, d.AccountID, accounts.ProjectChange{Name: sett.Some("Second")})
		if err != nil {
			t.Fatal(err)
		}
		d.createTeam(d.AccountID, "Crew", []int64{second.ID, d.ProjectID}, map[int64]bool{d.UserID: true})
		d.createTeam(d.AccountID, "Other", []int64{d.ProjectID}, nil)
		d.createTeam(d.AccountID, "None", nil, nil)
		list := func(bare bool) []accounts.Team {
			teams, _, err := s.Accounts.ListTeams(t.Context(), d.UserID, accountdb.TeamFilter{Bare: bare, Page: sett.Page{Size: 25}})
			if err != nil {
				t.Fatal(err)
			}
			return teams
		}
		want := list(false)
		if p := want[0].Projects; len(p) != 2 || p[0].FaultCount != 2 || len(p[0].Users) == 0 {
			t.Errorf("%+v", p)
		}
		for _, team := range want {
			for i, p := range team.Projects {
				team.Projects[i] = accounts.Project{}
				team.Projects[i].ID, team.Projects[i].Name = p.ID, p.Name
			}
		}
		got := list(true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bare teams differ in more than their projects (-want +got):\n%s", diff)
		}
		if one, err := s.Accounts.BareTeam(t.Context(), d.UserID, want[0].ID); err != nil || !cmp.Equal(one, want[0]) {
			t.Errorf("%+v, %v", one, err)
		}
	})
}

// An owner sees all teams, and is a member of few.
func TestOwnTeams(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range 3 {
			d.createTeam(d.AccountID, fmt.Sprint("Team ", i), nil, nil)
		}
		crew := d.createTeam(d.AccountID, "Crew", nil, map[int64]bool{d.UserID: true})
		guests := d.createTeam(d.AccountID, "Guests", nil, map[int64]bool{d.UserID: false})
		d.createTeam(d.AccountID, "Last", nil, map[int64]bool{d.UserID: false})
		got, err := s.Accounts.OwnTeams(t.Context(), d.UserID, 2)
		want := []accountdb.OwnTeam{{TeamName: accounts.TeamName{ID: crew, Name: "Crew"}, Admin: true}, {TeamName: accounts.TeamName{ID: guests, Name: "Guests"}}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
	})
}
