package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

// The mail of an invitation that is gone must not go out, and every other must.
func TestMailsOfWithdrawnInvitations(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		team, kept := d.team(d.ProjectID), d.team(d.ProjectID)
		withdrawn := d.invite(0, toAccount("a@example.test", sett.Member))
		d.invite(team, toTeam("a@example.test", false))
		toTeamA := d.invite(kept, toTeam("a@example.test", false))
		again := d.invite(kept, toTeam("b@example.test", false))
		if err := s.RequestReset(t.Context(), noon, "owner@example.test", "reset", hashed("reset")); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteInvitation(t.Context(), d.inviting(0), withdrawn.ID); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteTeam(t.Context(), team); err != nil {
			t.Fatal(err)
		}
		if err := s.DeleteInvitation(t.Context(), d.inviting(0), again.ID); sett.CodeOf(err) != sett.NotFound { // it is to a team
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
