package user_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"sett/internal/auth"
	"sett/internal/sett"
	"sett/internal/setttest"
	"sett/internal/store"
)

// browser is one with cookies, which follows no redirect by itself.
type browser struct {
	t      *testing.T
	base   string
	client *http.Client
	agent  string
}

func newBrowser(t *testing.T, s *setttest.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &browser{t, s.App.BaseURL(), client, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
}

// answer is what came back.
type answer struct {
	t      *testing.T
	asked  string
	status int
	header http.Header
	body   string
}

func (b *browser) do(method, path string, form url.Values, header ...string) *answer {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("User-Agent", b.agent)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &answer{b.t, method + " " + path, got.StatusCode, got.Header, string(body)}
}

func (b *browser) get(path string) *answer { b.t.Helper(); return b.do("GET", path, nil) }

// post sends a form of names and values.
func (b *browser) post(path string, fields ...string) *answer {
	b.t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return b.do("POST", path, form)
}

// cookie returns the value of a cookie that the browser holds, or "".
func (b *browser) cookie(name string) string {
	b.t.Helper()
	at, err := url.Parse(b.base)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.client.Jar.Cookies(at) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// want fails the test when the status is another one, or the page lacks one of the texts.
func (a *answer) want(status int, texts ...string) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d; body: %s", a.asked, a.status, status, a.body)
	}
	for _, text := range texts {
		if !strings.Contains(a.body, text) {
			a.t.Fatalf("%s: the page lacks %q:\n%s", a.asked, text, a.body)
		}
	}
	return a
}

// leads fails the test unless the answer leads to the path.
func (a *answer) leads(path string) {
	a.t.Helper()
	if a.status != http.StatusSeeOther || a.header.Get("Location") != path {
		a.t.Fatalf("%s: status %d to %q, want 303 to %q; body: %s", a.asked, a.status, a.header.Get("Location"), path, a.body)
	}
}

const (
	annsEmail    = "ann@example.test"
	annsPassword = "seven lonely walruses"
)

// addAnn makes a member of the server's account who has a password.
func addAnn(t *testing.T, s *setttest.Server) (userID int64) {
	t.Helper()
	id, err := s.App.Store().CreateUser(t.Context(), s.Clock.Now(), store.NewUser{
		AccountID: s.Setup.AccountID, Email: annsEmail, Name: "Ann Other", Role: sett.Member, Password: auth.HashPassword(annsPassword),
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
	_, _, err := s.App.Store().CreateAccount(t.Context(), s.Clock.Now(), "Others", store.NewUser{Email: email, Name: "Stranger", Password: auth.HashPassword(password)})
	if err != nil {
		t.Fatal(err)
	}
	b := newBrowser(t, s)
	b.post("/login", "email", email, "password", password).leads("/")
	return b
}
