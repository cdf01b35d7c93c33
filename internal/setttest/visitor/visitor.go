// Package visitor is a person who looks at pages, for tests: a browser with cookies and without scripts. It follows links and sends forms
// of a running server, and fails a test where a page breaks a rule that all our pages keep. It never follows a redirect by itself, so that
// a test sees where each form leads.
package visitor

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"sett/internal/setttest"
	"sett/internal/setttest/markup"
	"sett/internal/setttest/prose"
)

// Browser is one with cookies, which follows no redirect by itself.
type Browser struct {
	T      *testing.T
	Base   string
	Client *http.Client
	Agent  string
}

// New returns a browser that knows a server's address alone.
func New(t *testing.T, s *setttest.Server) *Browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Browser{t, s.App.BaseURL(), client, "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}
}

// Answer is what came back.
type Answer struct {
	T      *testing.T
	Asked  string
	Status int
	Header http.Header
	Body   string
}

// Do sends a request; headers follow as names and values.
func (b *Browser) Do(method, path string, form url.Values, header ...string) *Answer {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), method, b.Base+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.T.Fatal(err)
	}
	r.Header.Set("User-Agent", b.Agent)
	r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := b.Client.Do(r)
	if err != nil {
		b.T.Fatal(err)
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		b.T.Fatal(err)
	}
	return &Answer{b.T, method + " " + path, got.StatusCode, got.Header, string(body)}
}

// Get asks for a page.
func (b *Browser) Get(path string) *Answer { b.T.Helper(); return b.Do(http.MethodGet, path, nil) }

// Post sends a form of names and values; a name may come more than once.
func (b *Browser) Post(path string, fields ...string) *Answer {
	b.T.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return b.Do(http.MethodPost, path, form)
}

// Cookie returns the value of a cookie that the browser holds, or "".
func (b *Browser) Cookie(name string) string {
	b.T.Helper()
	at, err := url.Parse(b.Base)
	if err != nil {
		b.T.Fatal(err)
	}
	for _, c := range b.Client.Jar.Cookies(at) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// SignIn signs a user in.
func (b *Browser) SignIn(email, password string) *Browser {
	b.T.Helper()
	b.Post("/login", "email", email, "password", password).Leads("/")
	return b
}

// Want fails the test when the status is another one, or the page lacks one of the texts.
func (a *Answer) Want(status int, texts ...string) *Answer {
	a.T.Helper()
	if a.Status != status {
		a.T.Fatalf("%s: status %d, want %d; body: %s", a.Asked, a.Status, status, a.Body)
	}
	for _, text := range texts {
		if !strings.Contains(a.Body, text) {
			a.T.Fatalf("%s: the page lacks %q:\n%s", a.Asked, text, a.Body)
		}
	}
	return a
}

// Lacks fails the test when the page has one of the texts.
func (a *Answer) Lacks(texts ...string) *Answer {
	a.T.Helper()
	for _, text := range texts {
		if strings.Contains(a.Body, text) {
			a.T.Errorf("%s: the page has %q:\n%s", a.Asked, text, a.Body)
		}
	}
	return a
}

// Leads fails the test unless the answer leads to the path.
func (a *Answer) Leads(path string) *Answer {
	a.T.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != path {
		a.T.Fatalf("%s: status %d to %q, want 303 to %q; body: %s", a.Asked, a.Status, a.Header.Get("Location"), path, a.Body)
	}
	return a
}

// policy is the content policy of every page; one with a frame adds that it may show pages of this server there.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// CheckPage does what CheckMarkup does, and fails the test for what a page says in long sentences or in words of the code.
func (a *Answer) CheckPage() *Answer {
	a.T.Helper()
	prose.Check(a.T, a.Asked, a.Body)
	return a.CheckMarkup()
}

// CheckMarkup fails the test where a page has not the headers of every page, or holds what its policy forbids. Much of the page may be what others wrote.
func (a *Answer) CheckMarkup() *Answer {
	a.T.Helper()
	allowed := policy
	if strings.Contains(a.Body, "<iframe") {
		allowed += "; frame-src 'self'"
	}
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": allowed, "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		if got := a.Header.Get(name); got != want {
			a.T.Errorf("%s: %s is %q, want %q", a.Asked, name, got, want)
		}
	}
	markup.Check(a.T, a.Asked, a.Body)
	return a
}
