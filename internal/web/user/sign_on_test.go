package user_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/directory"
	"sett/internal/sett/signin"
	"sett/internal/setttest"
	"sett/internal/store/accountdb"
)

// addProvenAnn makes a member with a password, who has verified her address.
func addProvenAnn(t *testing.T, s *setttest.Server) int64 {
	t.Helper()
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: annsEmail, Name: "Ann Other", Role: accounts.Member, Password: setttest.PasswordCost.Hash(annsPassword), Proven: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// wantSession fails unless Ann has a session that began in this way.
func wantSession(t *testing.T, s *setttest.Server, want signin.Way) {
	t.Helper()
	sessions, err := s.App.Store().Accounts.ListSessions(t.Context(), s.Clock.Now(), idOf(t, s, annsEmail))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(sessions, func(of signin.Session) bool {
		return signin.Way{How: of.How, Account: of.Account, Factor: of.Factor} == want
	}) {
		t.Errorf("her sessions are %+v; none is %+v", sessions, want)
	}
}

// Who has to use the single sign-on of their account opens nothing in another way, on any node; tokens and owners with two factors do.
func TestRequiredSignOn(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "postgres", slog.New(slog.DiscardHandler))
	i, store, account, ctx, now := newProvider(t, s), s.App.Store().Accounts, s.Setup.AccountID, t.Context(), s.Clock.Now()
	ann, b := addProvenAnn(t, s), newBrowser(t, s)
	b.signIn()
	const required = "/login/required?next=%2Fme%2Fsessions"
	require := func(by signin.Session, says string) {
		t.Helper()
		err := store.RequireSignOn(ctx, by, account, true, false)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("to require it: %v, want %q", err, says)
		}
	}
	owner := signin.Session{UserID: idOf(t, s, "owner@example.test")}
	require(owner, "needs an owner who could sign in")
	boss := accountdb.NewUser{AccountID: account, Email: "boss@elsewhere.test", Name: "Boss", Role: accounts.Owner, Password: setttest.PasswordCost.Hash(annsPassword)}
	if _, err := store.CreateUser(ctx, now, boss); err != nil {
		t.Fatal(err)
	}
	require(owner, "would sign you out")
	b.get("/me/sessions").want(200)
	owner.Account = account
	require(owner, "")

	b.get("/me/sessions").leads(required)
	b.get("/me/sessions").leads(required)
	b.post("/me/profile", "name", "Ann Again").leads("/login/required")
	b.get(required).want(403, "Acme requires its single sign-on", "example.test", i.start()+"?next=%2Fme%2Fsessions").CheckPage()
	second := newBrowser(t, s.Moved(t, s.Config))
	second.do("GET", "/me/sessions", nil, "Cookie", "sett_session="+b.cookie("sett_session")).leads(required)
	b.get("/login").want(200, `name="password"`)
	b.do("GET", "/no/such/page", nil, "Accept", "text/html").Want(404).Lacks("data-user")
	s.Client.Get("/v2/projects") // of the owner
	newBrowser(t, s).post("/login", "email", boss.Email, "password", annsPassword).leads("/")

	i.through(b).leads("/me/sessions")
	b.get("/me/sessions").want(200, "by SAML")
	b.get(required).leads("/me/sessions")
	other := signin.Session{UserID: ann, ID: accounts.Operator}
	if err := store.UpdateAccountUser(ctx, accounts.Operator, account, ann, accounts.AccountUserChange{Role: sett.Some(accounts.Owner)}); err != nil {
		t.Fatal(err)
	}
	p := newBrowser(t, s).signIn()
	p.get("/me/sessions").leads(required)
	const secret = "JBSWY3DPEHPK3PXP"
	if err := store.ProposeSecondFactor(ctx, other, secret); err != nil {
		t.Fatal(err)
	}
	if err := store.ConfirmSecondFactor(ctx, now, other, secret, 1, nil); err != nil {
		t.Fatal(err)
	}
	p.get("/me/sessions").leads(required) // it began with one factor
	p.post("/login", "email", annsEmail, "password", annsPassword, "next", "/me/sessions").leads("/login/2fa?next=%2Fme%2Fsessions")
	p.post("/login/2fa", "code", codeAt(t, secret, s.Clock.Now()), "next", "/me/sessions").leads("/me/sessions")
	p.get("/me/sessions").want(200)
	entries, _, err := store.ListAudit(ctx, account, accountdb.AuditFilter{Actions: []string{"login", "loginCode"}, Page: sett.Page{Size: 9}})
	if err != nil || len(entries) != 1 || entries[0].User.Email != annsEmail || string(entries[0].Changes) != `{"how":"password"}` {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
	if err := store.UpdateAccountUser(ctx, accounts.Operator, account, ann, accounts.AccountUserChange{Role: sett.Some(accounts.Admin)}); err != nil {
		t.Fatal(err)
	}
	p.get("/me/sessions").leads(required) // only owners

	// Without the domain, or without a provider that could sign them in, it is not required.
	if err := store.RemoveDomain(ctx, account, "example.test"); err != nil {
		t.Fatal(err)
	}
	p.get("/me/sessions").want(200)
	i.use(account, "example.test")
	p.get("/me/sessions").leads(required)
	if err := store.ChangeDirectory(ctx, account, func(d *directory.Settings) error { d.Metadata = ""; return nil }); err != nil {
		t.Fatal(err)
	}
	p.get("/me/sessions").want(200)
}

// A user of two accounts who has to use the single sign-on of one can still connect it.
func TestRequiredSignOnIsConnected(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	i, store := newProvider(t, s), s.App.Store().Accounts
	addProvenAnn(t, s)
	b := newBrowser(t, s).signIn()
	if _, _, err := store.AddAccount(t.Context(), s.Clock.Now(), "More", accountdb.NewUser{Email: annsEmail, Name: "Ann Other"}); err != nil {
		t.Fatal(err)
	}
	if err := store.ChangeDirectory(t.Context(), s.Setup.AccountID, func(d *directory.Settings) error { d.Required = true; return nil }); err != nil {
		t.Fatal(err)
	}
	b.get("/").leads("/login/required")
	i.through(b).leads("/auth/oidc/connect")
	b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
	b.get("/me/security").leads("/login/required?next=%2Fme%2Fsecurity")
	i.through(b).leads("/me/sessions")
	b.get("/me/sessions").want(200)
	wantSession(t, s, signin.Way{How: signin.BySAML, Account: s.Setup.AccountID})
}

// The issuer of the server counts for the account that its users join.
func TestRequiredSignOnByIssuer(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	s := setttest.Start(t, "sqlite", i.settings)
	store := s.App.Store().Accounts
	addProvenAnn(t, s)
	if err := store.AddDomain(t.Context(), s.Setup.AccountID, directory.Domain{Name: "example.test", Proof: "p"}); err != nil {
		t.Fatal(err)
	}
	if err := store.VerifyDomain(t.Context(), s.Clock.Now(), s.Setup.AccountID, "example.test"); err != nil {
		t.Fatal(err)
	}
	if err := store.ChangeDirectory(t.Context(), s.Setup.AccountID, func(d *directory.Settings) error { d.Required = true; return nil }); err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s).signIn()
	b.get("/me/sessions").leads("/login/required?next=%2Fme%2Fsessions")
	b.get("/login/required?next=%2Fme%2Fsessions").want(403, "Continue with Acme ID", `action="/auth/oidc"`, `value="/me/sessions"`).CheckPage()
	b.through(i, "/").leads("/auth/oidc/connect")
	b.post("/auth/oidc/connect", "password", annsPassword).leads("/me/security?done=connected")
	b.through(i, "/me/sessions").leads("/me/sessions")
	b.get("/me/sessions").want(200)
}

// A page that is open and updates itself stops when its session opens nothing any more.
func TestOpenPagesEndWhenSignOnIsRequired(t *testing.T) {
	t.Parallel()
	s := setttest.StartLogged(t, "sqlite", slog.New(slog.DiscardHandler))
	newProvider(t, s)
	store := s.App.Store().Accounts
	ann, b := addProvenAnn(t, s), newBrowser(t, s).signIn()
	if err := store.UpdateAccountUser(t.Context(), accounts.Operator, s.Setup.AccountID, ann, accounts.AccountUserChange{Role: sett.Some(accounts.Admin)}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // an open page is looked at every 15 seconds, and ends after ten minutes in any case
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s/projects/%d/faults/live?q=", s.Client.Base, s.Setup.ProjectID), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", "sett_session="+b.cookie("sett_session"))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the page gets no updates: %d", answer.StatusCode)
	}
	if err := store.ChangeDirectory(ctx, s.Setup.AccountID, func(d *directory.Settings) error { d.Required = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(all), "Live updates have ended") {
		t.Errorf("the page gets %q, %v", all, err)
	}
}
