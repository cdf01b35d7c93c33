package user_test

import (
	"net/url"
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

// browser is one that may have Ann's session.
type browser struct {
	*visitor.Browser
	t *testing.T
}

func newBrowser(t *testing.T, s *setttest.Server) *browser {
	t.Helper()
	return &browser{visitor.New(t, s), t}
}

// answer is what came back.
type answer struct {
	*visitor.Answer
	t *testing.T
}

func (b *browser) do(method, path string, form url.Values, header ...string) *answer {
	b.t.Helper()
	return &answer{b.Do(method, path, form, header...), b.t}
}

func (b *browser) get(path string) *answer { b.t.Helper(); return b.do("GET", path, nil) }

// post sends a form of names and values; the last value of a name counts.
func (b *browser) post(path string, fields ...string) *answer {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.do("POST", path, form)
}

func (b *browser) cookie(name string) string { b.t.Helper(); return b.Cookie(name) }

func (a *answer) want(status int, texts ...string) *answer {
	a.t.Helper()
	a.Want(status, texts...)
	return a
}

func (a *answer) leads(path string) { a.t.Helper(); a.Leads(path) }

const (
	annsEmail    = "ann@example.test"
	annsPassword = "seven lonely walruses"
)

// addAnn makes a member of the server's account who has a password.
func addAnn(t *testing.T, s *setttest.Server) (userID int64) {
	t.Helper()
	id, err := s.App.Store().Accounts.CreateUser(t.Context(), s.Clock.Now(), accountdb.NewUser{
		AccountID: s.Setup.AccountID, Email: annsEmail, Name: "Ann Other", Role: accounts.Member, Password: setttest.PasswordCost.Hash(annsPassword),
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// signIn signs Ann in.
func (b *browser) signIn() *browser {
	b.t.Helper()
	b.post("/login", "email", annsEmail, "password", annsPassword).leads("/")
	return b
}

// stranger returns the browser of a user who has nothing to do with Ann.
func stranger(t *testing.T, s *setttest.Server) *browser {
	t.Helper()
	const email, password = "stranger@example.test", "a stranger in town"
	_, _, err := s.App.Store().Accounts.CreateAccount(t.Context(), s.Clock.Now(), "Others", accountdb.NewUser{Email: email, Name: "Stranger", Password: setttest.PasswordCost.Hash(password)})
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.post("/login", "email", email, "password", password).leads("/")
	return b
}
