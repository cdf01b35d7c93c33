package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestTeamMembers(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		late, early := d.user("late", sett.Member), d.user("early", sett.Member) // by when they come into the team
		team, other := d.team(d.ProjectID, early), d.team(d.ProjectID, early)
		d.run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, $3)`, team, late, micros(noon)+1000)
		d.run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, false, 0)`, team, d.UserID)

		var places []string
		for _, user := range []int64{early, late, d.UserID} {
			places = append(places, fmt.Sprint(d.numbers(fmt.Sprintf(`SELECT id FROM team_members WHERE team_id = %d AND user_id = %d`, team, user), 1)[0]))
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
			got, marks, err := s.ListTeamMembers(t.Context(), team, c.page)
			ids := []int64{}
			for _, m := range got {
				ids = append(ids, m.ID)
			}
			if diff := cmp.Diff(c.want, ids); diff != "" || marks != c.marks || err != nil {
				t.Errorf("%s: marks %+v, want %+v, %v; users (-want +got):\n%s", c.name, marks, c.marks, err, diff)
			}
		}
		if _, _, err := s.ListTeamMembers(t.Context(), team, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}

		want := sett.TeamMember{
			Person: sett.Person{ID: late, Email: "late@example.test", Name: "late"}, Admin: true, CreatedAt: fromMicros(micros(noon) + 1000),
		}
		if got, err := s.TeamMemberByID(t.Context(), team, late); err != nil || !cmp.Equal(want, got) {
			t.Errorf("the member is %+v, %v; want %+v", got, err, want)
		}
		d.wantAdmin(other, early, false)
		if err := s.UpdateTeamMember(t.Context(), team, early, sett.TeamMemberChange{Admin: sett.Some[sett.LenientBool](true)}); err != nil {
			t.Fatal(err)
		}
		d.wantAdmin(team, early, true)
		d.wantAdmin(other, early, false)
		if err := s.RemoveTeamMember(t.Context(), team, early); err != nil {
			t.Fatal(err)
		}
		d.wantAdmin(other, early, false)
		d.wantAdmin(team, late, true)
		for _, at := range [][2]int64{{team, early}, {other, late}, {team, 99999}, {99999, late}} {
			_, show := s.TeamMemberByID(t.Context(), at[0], at[1])
			for what, err := range map[string]error{
				"show": show, "update": s.UpdateTeamMember(t.Context(), at[0], at[1], sett.TeamMemberChange{}),
				"remove": s.RemoveTeamMember(t.Context(), at[0], at[1]),
			} {
				if sett.CodeOf(err) != sett.NotFound {
					t.Errorf("%s user %d in team %d: %v", what, at[1], at[0], err)
				}
			}
		}
	})
}

func (d *desk) wantAdmin(team, user int64, want bool) {
	d.t.Helper()
	if m, err := d.TeamMemberByID(d.t.Context(), team, user); err != nil || m.Admin != want {
		d.t.Errorf("user %d in team %d: %+v, %v; want admin %v", user, team, m, err, want)
	}
}
