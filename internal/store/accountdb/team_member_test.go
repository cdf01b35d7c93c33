package accountdb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestTeamMembers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		late, early := d.User("late", accounts.Member), d.User("early", accounts.Member) // by when they come into the team
		team, other := d.Team(d.ProjectID, early), d.Team(d.ProjectID, early)
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, $3)`, team, late, db.Micros(storetest.Noon)+1000)
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, false, 0)`, team, d.UserID)

		var places []string
		for _, user := range []int64{early, late, d.UserID} {
			places = append(places, fmt.Sprint(d.Numbers(fmt.Sprintf(`SELECT id FROM team_members WHERE team_id = %d AND user_id = %d`, team, user), 1)[0]))
		}
		for _, c := range []struct {
			name  string
			page  sett.Page
			want  []int64
			marks sett.Marks
		}{
			{"all", sett.Page{Size: 3}, []int64{early, late, d.UserID}, sett.Marks{}},
			{"first page", sett.Page{Size: 2}, []int64{early, late}, sett.Marks{Next: places[1]}},
			{"by number", sett.Page{Size: 1, Offset: 1}, []int64{late}, sett.Marks{Prev: places[0], Next: places[1]}},
			{"by mark", sett.Page{Size: 2, Mark: places[0]}, []int64{late, d.UserID}, sett.Marks{Prev: places[0]}},
			{"back", sett.Page{Size: 1, Mark: places[1], Back: true}, []int64{late}, sett.Marks{Prev: places[0], Next: places[1]}},
		} {
			got, marks, err := s.Accounts.ListTeamMembers(t.Context(), team, c.page)
			ids := []int64{}
			for _, m := range got {
				ids = append(ids, m.ID)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" || marks != c.marks || err != nil {
				t.Errorf("%s: marks %+v, want %+v, %v; users (-want +got):\n%s", c.name, marks, c.marks, err, diff)
			}
		}
		if _, _, err := s.Accounts.ListTeamMembers(t.Context(), team, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}

		want := accounts.TeamMember{
			Person: sett.Person{ID: late, Email: "late@example.test", Name: "late"}, Admin: true, CreatedAt: db.FromMicros(db.Micros(storetest.Noon) + 1000),
		}
		if got, err := s.Accounts.TeamMemberByID(t.Context(), team, late); err != nil || !cmp.Equal(want, got) {
			t.Errorf("the member is %+v, %v; want %+v", got, err, want)
		}
		d.wantAdmin(other, early, false)
		if err := s.Accounts.UpdateTeamMember(t.Context(), team, early, accounts.TeamMemberChange{Admin: sett.Some[sett.LenientBool](true)}); err != nil {
			t.Fatal(err)
		}
		d.wantAdmin(team, early, true)
		d.wantAdmin(other, early, false)
		if err := s.Accounts.RemoveTeamMember(t.Context(), d.UserID, team, early); err != nil {
			t.Fatal(err)
		}
		d.wantAdmin(other, early, false)
		d.wantAdmin(team, late, true)
		for _, at := range [][2]int64{{team, early}, {other, late}, {team, 99999}, {99999, late}} {
			_, show := s.Accounts.TeamMemberByID(t.Context(), at[0], at[1])
			for what, err := range map[string]error{
				"show": show, "update": s.Accounts.UpdateTeamMember(t.Context(), at[0], at[1], accounts.TeamMemberChange{}),
				"remove": s.Accounts.RemoveTeamMember(t.Context(), d.UserID, at[0], at[1]),
			} {
				if sett.CodeOf(err) != sett.NotFound {
					t.Errorf("%s user %d in team %d: %v", what, at[1], at[0], err)
				}
			}
		}
	})
}

func (d *desk) wantAdmin(team, user int64, want bool) {
	d.T.Helper()
	if m, err := d.Accounts.TeamMemberByID(d.T.Context(), team, user); err != nil || m.Admin != want {
		d.T.Errorf("user %d in team %d: %+v, %v; want admin %v", user, team, m, err, want)
	}
}

func TestWhoTakesMembersOut(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ann, bob, eve := d.User("ann", accounts.Member), d.User("bob", accounts.Member), d.User("eve", accounts.Member)
		team := d.Team(d.ProjectID, ann, bob)
		_, stranger := d.Stranger()
		for _, asker := range []int64{bob, eve, stranger, 99999} {
			if err := s.Accounts.RemoveTeamMember(t.Context(), asker, team, ann); sett.CodeOf(err) != sett.Forbidden {
				t.Errorf("by %d: %v", asker, err)
			}
		}
		d.wantAdmin(team, ann, false)
		if err := s.Accounts.RemoveTeamMember(t.Context(), ann, team, ann); err != nil {
			t.Errorf("by herself: %v", err)
		}
		d.Run(`UPDATE team_members SET admin = true WHERE user_id = $1`, bob)
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, false, 0)`, team, ann)
		if err := s.Accounts.RemoveTeamMember(t.Context(), bob, team, ann); err != nil {
			t.Errorf("by an admin of the team: %v", err)
		}
	})
}

// Users who manage a team can read the tokens of its invitations. When they no longer manage it, the tokens that they know do not work.
func TestTokensOfATeamAreRenewed(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ann, ada := d.User("ann", accounts.Member), d.User("ada", accounts.Admin)
		team, other := d.Team(d.ProjectID), d.Team(d.ProjectID)
		for _, user := range []int64{ann, ada} {
			d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, 0)`, team, user)
		}
		invited := []accounts.Invitation{
			d.Invite(team, toTeam("x@example.test", false)), d.Invite(other, toTeam("x@example.test", false)), d.Invite(0, storetest.ToAccount("x@example.test", accounts.Member)),
		}
		read := func() (tokens [3]string) {
			t.Helper()
			for n, i := range invited {
				d.Scan(`SELECT token FROM invitations WHERE id = $1`, []any{i.ID}, &tokens[n])
			}
			return tokens
		}
		admin := func(user int64, admin bool) func() error {
			return func() error {
				return s.Accounts.UpdateTeamMember(t.Context(), team, user, accounts.TeamMemberChange{Admin: sett.Some(sett.LenientBool(admin))})
			}
		}
		become := func(role accounts.Role) func() error {
			return func() error {
				return s.Accounts.UpdateAccountUser(t.Context(), d.UserID, d.AccountID, ann, accounts.AccountUserChange{Role: sett.Some(role)})
			}
		}
		remove := func(user int64) func() error {
			return func() error { return s.Accounts.RemoveTeamMember(t.Context(), d.UserID, team, user) }
		}
		for _, step := range []struct {
			name   string
			change func() error
			renews bool
		}{
			{"an admin stays one", admin(ann, true), false},
			{"no admin any more", admin(ann, false), true},
			{"none before", admin(ann, false), false},
			{"an admin again", admin(ann, true), false},
			{"to Billing", become(accounts.Billing), true},
			{"an admin who is in Billing", admin(ann, false), false},
			{"back", become(accounts.Member), false},
			{"to Billing, no admin", become(accounts.Billing), false},
			{"back again", become(accounts.Member), false},
			{"a plain member goes", remove(ann), false},
			{"an admin of the account", admin(ada, false), false},
			{"an admin of the account, again", admin(ada, true), false},
			{"an admin of the account goes", remove(ada), false},
		} {
			before := read()
			if err := step.change(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			after := read()
			if got := [3]bool{before[0] != after[0], before[1] != after[1], before[2] != after[2]}; got != [3]bool{step.renews, false, false} {
				t.Errorf("%s renews %v", step.name, got)
			}
		}
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, 0)`, team, ann)
		before, mailed := read(), d.mailToken(invited[0])
		if err := s.Accounts.RemoveTeamMember(t.Context(), ann, team, ann); err != nil {
			t.Fatal(err)
		}
		if after := read(); after[0] == before[0] || after[1] != before[1] || d.mailToken(invited[0]) != mailed {
			t.Error("an admin of the team who goes knows a token, or the mail does not")
		}
	})
}
