package accountdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/signin"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestAccountTokens(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ctx, now := t.Context(), time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
		grant := signin.Grant{Scopes: []string{"faults:read", "team:write"}, AccountID: d.AccountID, Projects: []int64{3, 7}, OfAccount: true}
		if err := s.Accounts.CreateAccountToken(ctx, d.UserID, signin.PersonalToken{Name: "Robot", ReadOnly: true, CreatedAt: now, Grant: grant}, []byte("hash of a robot")); err != nil {
			t.Fatal(err)
		}
		token, _, err := s.Accounts.PersonalTokenByHash(ctx, []byte("hash of a robot"))
		if diff := cmp.Diff(grant, token.Grant); err != nil || diff != "" {
			t.Errorf("%v, (-want +got):\n%s", err, diff)
		}
		other, _ := d.Stranger()
		if err := s.Accounts.RevokeAccountToken(ctx, other, token.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("another account revokes it: %v", err)
		}
		if listed, err := s.Accounts.ListAccountTokens(ctx, d.AccountID); err != nil || len(listed) != 1 || listed[0].Name != "Robot" || listed[0].MadeBy == "" {
			t.Errorf("listed are %+v, %v", listed, err)
		}
		if err := s.Accounts.RevokeAccountToken(ctx, d.AccountID, token.ID); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Accounts.PersonalTokenByHash(ctx, []byte("hash of a robot")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a revoked token: %v", err)
		}
	})
}
