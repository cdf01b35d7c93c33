package accountdb_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/storetest"
)

// Who has left an account comes back by no invitation that they have made for themselves.
func TestInvitationsToOwnAddressWhenAUserLeaves(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, _ := d.Stranger()
		ada := d.User("ada", accounts.Admin)
		d.join(other, ada, accounts.Admin)
		team, second := d.Team(d.ProjectID), d.Team(d.ProjectID)
		invite := func(by int64, to accountdb.Inviting, email string) accounts.Invitation {
			t.Helper()
			change := toTeam(email, false)
			if to.TeamID == 0 {
				change = storetest.ToAccount(email, accounts.Member)
			}
			i, err := s.Accounts.CreateInvitation(t.Context(), storetest.Noon, to, by, change)
			if err != nil {
				t.Fatal(err)
			}
			return i
		}
		elsewhere, err := s.Accounts.CreateTeam(t.Context(), storetest.Noon, other, "Crew", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		own := invite(ada, d.Inviting(team), "Ada@example.test")
		kept := []accounts.Invitation{
			invite(d.UserID, d.Inviting(second), "ada@example.test"), // by another user
			invite(ada, d.Inviting(0), "friend@example.test"),
			invite(ada, accountdb.Inviting{TeamID: elsewhere}, "ada@example.test"),
		}
		var tokens []string
		for _, i := range kept {
			tokens = append(tokens, d.mailToken(i))
		}
		accepted := invite(ada, d.Inviting(0), "x@example.test")
		d.Run(`UPDATE invitations SET email = 'ada@example.test', accepted_at = 1 WHERE id = $1`, accepted.ID)
		tokens = append(tokens, d.mailToken(accepted))
		gone := d.mailToken(own)
		if err := s.Accounts.RemoveAccountUser(t.Context(), ada, d.AccountID, ada); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Accounts.InvitationByToken(t.Context(), storetest.Noon, gone); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("the link in her mail: %v", err)
		}
		if n := countRows(t, s, "invitations"); n != 4 {
			t.Errorf("%d invitations are left, want 4", n)
		}
		var mailed []string
		for _, m := range mailsQueued(t, s) {
			mailed = append(mailed, m.Fields["token"])
		}
		if diff := cmp.Diff(tokens, mailed); diff != "" {
			t.Errorf("mails by their tokens (-want +got):\n%s", diff)
		}
	})
}

// The mail of an invitation that is gone must not go out, and every other must.
func TestMailsOfWithdrawnInvitations(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team, kept := d.Team(d.ProjectID), d.Team(d.ProjectID)
		withdrawn := d.Invite(0, storetest.ToAccount("a@example.test", accounts.Member))
		d.Invite(team, toTeam("a@example.test", false))
		toTeamA := d.Invite(kept, toTeam("a@example.test", false))
		again := d.Invite(kept, toTeam("b@example.test", false))
		if err := s.Accounts.RequestReset(t.Context(), storetest.Noon, "owner@example.test", "reset", hashed("reset")); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.DeleteInvitation(t.Context(), d.Inviting(0), withdrawn.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.DeleteTeam(t.Context(), team); err != nil {
			t.Fatal(err)
		}
		if err := s.Accounts.DeleteInvitation(t.Context(), d.Inviting(0), again.ID); sett.CodeOf(err) != sett.NotFound { // it is to a team
			t.Errorf("an invitation to a team, withdrawn from the account: %v", err)
		}
		var tokens []string
		for _, m := range mailsQueued(t, s) {
			tokens = append(tokens, m.Fields["token"])
		}
		if diff := cmp.Diff([]string{d.mailToken(toTeamA), d.mailToken(again), "reset"}, tokens); diff != "" {
			t.Errorf("mails by their tokens (-want +got):\n%s", diff)
		}
	})
}
