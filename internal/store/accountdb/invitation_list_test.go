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

func TestPagesOfInvitations(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team, other := d.Team(d.ProjectID), d.Team(d.ProjectID)
		var ids [3][]int64
		for n := range 3 {
			for k, to := range []int64{0, team, other} {
				email := fmt.Sprintf("a%d@example.test", n)
				change := toTeam(email, false)
				if to == 0 {
					change = storetest.ToAccount(email, accounts.Owner)
				}
				ids[k] = append(ids[k], d.Invite(to, change).ID)
			}
		}
		mark := func(id int64) string { return fmt.Sprint(id) }
		for k, to := range []int64{0, team, other} {
			all := ids[k]
			for _, c := range []struct {
				page  sett.Page
				want  []int64
				marks sett.Marks
			}{
				{sett.Page{Size: 3}, all, sett.Marks{}},
				{sett.Page{Size: 2}, all[:2], sett.Marks{Next: mark(all[1])}},
				{sett.Page{Size: 1, Offset: 1}, all[1:2], sett.Marks{Prev: mark(all[0]), Next: mark(all[1])}},
				{sett.Page{Size: 2, Mark: mark(all[1])}, all[2:], sett.Marks{Prev: mark(all[1])}},
				{sett.Page{Size: 1, Mark: mark(all[1]), Back: true}, all[1:2], sett.Marks{Prev: mark(all[0]), Next: mark(all[1])}},
			} {
				found, marks, err := s.Accounts.ListInvitations(t.Context(), d.Inviting(to), accounts.Admin, c.page)
				var got []int64
				for _, i := range found {
					got = append(got, i.ID)
					if (i.Token == "") != (to == 0) {
						t.Errorf("invitation of %s shows an admin %q", i.Role, i.Token)
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" || marks != c.marks || err != nil {
					t.Errorf("%+v: %+v, %v (-want +got):\n%s", c.page, marks, err, diff)
				}
			}
		}
		if _, _, err := s.Accounts.ListInvitations(t.Context(), d.Inviting(0), accounts.Owner, sett.Page{Size: 1, Mark: "x"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}

// What is asked of an invitation through another account, another team or the wrong kind is not there.
func TestInvitationsOfOthers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team, sibling := d.Team(d.ProjectID), d.Team(d.ProjectID)
		foreign, stranger := d.Stranger()
		ofAccount, ofTeam := d.Invite(0, storetest.ToAccount("a@example.test", accounts.Member)), d.Invite(team, toTeam("a@example.test", false))
		for _, c := range []struct {
			to accountdb.Inviting
			id int64
		}{
			{accountdb.Inviting{AccountID: foreign}, ofAccount.ID},
			{accountdb.Inviting{AccountID: foreign}, ofTeam.ID},
			{accountdb.Inviting{AccountID: d.AccountID}, ofTeam.ID},
			{accountdb.Inviting{TeamID: team}, ofAccount.ID},
			{accountdb.Inviting{TeamID: sibling}, ofTeam.ID},
			{accountdb.Inviting{TeamID: 99999}, ofTeam.ID},
			{accountdb.Inviting{}, ofAccount.ID},
		} {
			for what, err := range map[string]error{
				"show":   func() error { _, err := s.Accounts.InvitationByID(t.Context(), c.to, accounts.Owner, c.id); return err }(),
				"change": s.Accounts.UpdateInvitation(t.Context(), storetest.Noon, c.to, stranger, c.id, accounts.TeamInvitationChange{}),
				"delete": s.Accounts.DeleteInvitation(t.Context(), c.to, c.id),
			} {
				if sett.CodeOf(err) != sett.NotFound {
					t.Errorf("%s invitation %d of %+v: %v", what, c.id, c.to, err)
				}
			}
		}
		if len(d.invitationsOf(0)) != 1 || len(d.invitationsOf(team)) != 1 {
			t.Error("an invitation is gone")
		}
	})
}
