package operate_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/app/operate"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
)

// must returns what a command made, which has to succeed.
func must[T any](t *testing.T) func(T, error) T {
	return func(made T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// statusWith asks the server with a token, and returns how it answers.
func statusWith(s *setttest.Server, method, path, token string) int {
	other := *s.Client
	other.Token = token
	return other.Do(method, path, nil).Status
}

// The commands change what a server, which runs meanwhile, answers at once.
func TestAdministrationBesideAServer(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		ctx, cfg := t.Context(), s.Config
		second := must[operate.AddedAccount](t)(operate.AddAccount(ctx, cfg.Installation(), operate.NewAccount{Name: " Second ", Owner: "Ben@example.test "}))
		if !second.NewUser || second.Email != "ben@example.test" {
			t.Errorf("made %+v", second)
		}
		read := must[operate.AddedToken](t)(operate.AddToken(ctx, cfg.Installation(), operate.NewToken{Email: second.Email, Name: "read", Scope: "read", Expires: "90d"}))
		write := must[operate.AddedToken](t)(operate.AddToken(ctx, cfg.Installation(), operate.NewToken{Email: second.Email, Name: "write", Scope: "write", Expires: "never"}))
		scoped := must[operate.AddedToken](t)(operate.AddToken(ctx, cfg.Installation(), operate.NewToken{Email: second.Email, Name: "agent", Scope: "team:read, projects:read", Expires: "90d"}))
		for _, wrong := range []operate.NewToken{{Scope: "faults:all"}, {Scope: "read,faults:read"}, {Scope: "faults:read", Account: s.Setup.AccountID}, {Scope: "write", Account: second.AccountID}} {
			wrong.Email, wrong.Name, wrong.Expires = second.Email, "wrong", "90d"
			if _, err := operate.AddToken(ctx, cfg.Installation(), wrong); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		people, users := "/v2/accounts/"+second.AccountID+"/users", "/v2/accounts/"+s.Setup.AccountID+"/users"
		for _, c := range []struct {
			name, method, path, token string
			want                      int
		}{
			{"the new owner", "GET", people, read.Token, http.StatusOK},
			{"a token that only reads", "DELETE", people + "/99999", read.Token, http.StatusForbidden},
			{"a token that writes", "DELETE", people + "/99999", write.Token, http.StatusNotFound},
			{"an account of others", "GET", users, write.Token, http.StatusNotFound},
			{"scopes, which are for /v3 and agents", "DELETE", people + "/99999", scoped.Token, http.StatusForbidden},
		} {
			if got := statusWith(s, c.method, c.path, c.token); got != c.want {
				t.Errorf("%s: %d, want %d", c.name, got, c.want)
			}
		}
		if life := time.Until(*read.ExpiresAt); life < 89*24*time.Hour || life > 91*24*time.Hour || write.ExpiresAt != nil {
			t.Errorf("the tokens end in %v, and at %v", life, write.ExpiresAt)
		}
		must[string](t)(operate.RevokeToken(ctx, cfg.Installation(), second.Email, "2"))
		if got := statusWith(s, "GET", people, read.Token); got != http.StatusUnauthorized {
			t.Errorf("with a token that was revoked: %d", got)
		}
		if left := must[[]operate.ListedToken](t)(operate.ListTokens(ctx, cfg.Installation(), second.Email)); len(left) != 2 || left[0].Name != "agent" || left[0].Scope != "projects:read team:read" {
			t.Errorf("left are %+v", left)
		}

		must[operate.AddedUser](t)(operate.AddUser(ctx, cfg.Installation(), operate.NewUser{Account: second.AccountID, Email: "owner@example.test", Role: "admin"}))
		if got := s.Get(people).Want(http.StatusOK).JSON()["results"]; len(got.([]any)) != 2 {
			t.Errorf("the first owner sees %v", got)
		}
		if _, _, err := operate.ChangeRole(ctx, cfg.Installation(), second.Email, second.AccountID, "Member"); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("the last owner: %v", err)
		}
		if role, account, err := operate.ChangeRole(ctx, cfg.Installation(), "owner@example.test", second.AccountID, "owner"); role != accounts.Owner || account != "Second" || err != nil {
			t.Errorf("another owner: %s of %s, %v", role, account, err)
		}
		must[string](t)(operate.RemoveUser(ctx, cfg.Installation(), second.Email, second.AccountID))
		if got := statusWith(s, "GET", people, write.Token); got != http.StatusUnauthorized {
			t.Errorf("with a token of who was removed from their last account: %d", got)
		}
		wantEntries(t, s, second.AccountID)
	})
}

// wantEntries holds the audit log of an account against what TestAdministrationBesideAServer did there.
func wantEntries(t *testing.T, s *setttest.Server, account string) {
	t.Helper()
	type entry struct {
		User      sett.Person
		Action    string
		Subject   string
		Target    map[string]string
		Changes   map[string]any
		UserAgent string `json:"user_agent"`
	}
	var log struct{ Results []entry }
	s.Get("/v2/accounts/" + account + "/audit_log").Want(http.StatusOK).Into(&log)
	operator := sett.Person{Name: "command line"}
	change := func(name string, of ...any) map[string]any {
		inside := map[string]any{}
		for i := 0; i < len(of); i += 2 {
			inside[of[i].(string)] = of[i+1]
		}
		return map[string]any{name: inside}
	}
	in := func(user string) map[string]string { return map[string]string{"account_id": account, "user_id": user} }
	want := []entry{
		{operator, "removeAccountUser", "Second", in("2"), map[string]any{}, "sett user remove"},
		{operator, "updateAccountUser", "Second", in("1"), change("user", "role", "Owner"), "sett user role"},
		{operator, "addAccountUser", "Second", map[string]string{"account_id": account}, change("user", "email", "owner@example.test", "role", "Admin"), "sett user add"},
		{operator, "revokeToken", "", map[string]string{"user_id": "2"}, map[string]any{"name": "read"}, "sett token revoke"},
		{operator, "makeToken", "", map[string]string{"user_id": "2"}, map[string]any{"name": "agent", "scope": "projects:read team:read", "account_id": account, "project_ids": nil}, "sett token add"},
		{operator, "makeToken", "", map[string]string{"user_id": "2"}, map[string]any{"name": "write", "scope": "write"}, "sett token add"},
		{operator, "makeToken", "", map[string]string{"user_id": "2"}, map[string]any{"name": "read", "scope": "read"}, "sett token add"},
		{operator, "createAccount", "Second", nil, change("account", "name", "Second", "owner", "ben@example.test"), "sett account add"},
	}
	noDates := cmpopts.IgnoreMapEntries(func(name string, _ any) bool { return name == "expires_at" })
	if diff := cmp.Diff(want, log.Results, cmpopts.EquateEmpty(), noDates); diff != "" {
		t.Errorf("audit log (-want +got):\n%s", diff)
	}
}

func TestAdministrationOfSignIns(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		ctx, cfg, store, owner := t.Context(), s.Config, s.App.Store(), s.Setup.UserID
		throttle := auth.NewThrottle(store.Accounts, serve.Proxies{}, time.Now)
		try := func(of auth.Target) error {
			return throttle.Try(httptest.NewRequest("POST", "/login", http.NoBody), of)
		}
		password, codes := auth.PasswordOf("owner@example.test"), auth.SecondFactorOf(owner)
		for _, of := range []auth.Target{password, codes} {
			for range signin.FreePerAccount + 1 {
				_ = try(of) // the last ones have to wait
			}
			if err := try(of); sett.CodeOf(err) != sett.TooMany {
				t.Fatalf("tries at the %s are not counted: %v", of, err)
			}
		}
		must[accounts.User](t)(operate.SetPassword(ctx, cfg.Installation(), " OWNER@example.test", "five pale otters"))
		if _, phc, err := store.Accounts.PasswordByEmail(ctx, "owner@example.test"); err != nil || !auth.CheckPassword(phc, "five pale otters") {
			t.Errorf("the password was not stored: %v", err)
		}

		must[operate.AddedUser](t)(operate.AddUser(ctx, cfg.Installation(), operate.NewUser{
			Account: s.Setup.AccountID, Email: "mia@example.test", Name: "Mia", Role: "Member", Password: "seven slow herons",
		}))
		if _, phc, err := store.Accounts.PasswordByEmail(ctx, "mia@example.test"); err != nil || !auth.CheckPassword(phc, "seven slow herons") {
			t.Errorf("the password of a new user was not stored: %v", err)
		}
		if err := store.Accounts.ProposeSecondFactor(ctx, signin.ByOperator(owner), "secret"); err != nil {
			t.Fatal(err)
		}
		if _, err := operate.DropSecondFactor(ctx, cfg.Installation(), "owner@example.test"); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("one that is not confirmed: %v", err)
		}
		if err := store.Accounts.ConfirmSecondFactor(ctx, time.Now(), signin.ByOperator(owner), "secret", 1, [][]byte{{1}}); err != nil {
			t.Fatal(err)
		}
		if users := must[[]operate.ListedUser](t)(operate.ListUsers(ctx, cfg.Installation(), "")); len(users) != 2 || !users[0].SecondFactor || users[1].SecondFactor {
			t.Errorf("listed as %+v", users)
		}
		must[accounts.User](t)(operate.DropSecondFactor(ctx, cfg.Installation(), "owner@example.test"))
		if factor, err := store.Accounts.SecondFactor(ctx, owner); err != nil || factor.Confirmed || factor.RecoveryCodes != 0 {
			t.Errorf("left is %+v, %v", factor, err)
		}
		for _, of := range []auth.Target{password, codes} {
			if err := try(of); err != nil {
				t.Errorf("the failed tries at the %s still count: %v", of, err)
			}
		}
	})
}

// A server on SQLite caches faults that had notices recently; the cache must not undo the removal of a user.
func TestRemovedUserIsAssignedNoFaults(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		_, mia := s.AddUser(t, "mia@example.test", accounts.Admin)
		fault := "/v2/projects/" + strconv.FormatInt(s.Setup.ProjectID, 10) + "/faults/1"
		report := func() { s.Post("/v1/notices", `{"error":{"class":"Timeout"}}`).Want(http.StatusCreated) }
		report()
		s.Put(fault, map[string]any{"fault": map[string]any{"assignee_id": mia}}).Want(http.StatusNoContent)
		report()
		must[string](t)(operate.RemoveUser(t.Context(), s.Config.Installation(), "mia@example.test", s.Setup.AccountID))
		report()
		if got := s.Get(fault).Want(http.StatusOK).JSON(); got["assignee"] != nil || got["notices_count"] != 3.0 {
			t.Errorf("the fault has %v notices and is %v's", got["notices_count"], got["assignee"])
		}
	})
}
