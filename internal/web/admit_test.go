package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
)

// A user whose session ends while they fill in a form is sent to the sign-in page, and the form changes nothing.
func TestWhoIsSignedOutMeanwhileSignsInAgain(t *testing.T) {
	t.Parallel()
	const base = "http://localhost:8080/errors"
	p, err := New(Options{BaseURL: base, Now: time.Now, Sessions: auth.NewSessions(nil, serve.Proxies{}, time.Now, base)})
	if err != nil {
		t.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/me/tokens", nil)
	err = p.admit(w, r, serve.Route{Name: "makeToken", Permission: accounts.Public}, func(http.ResponseWriter, *http.Request) error {
		return signin.SignedOut()
	})
	if err != nil || w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/errors/login" {
		t.Errorf("%d to %q, %v", w.Code, w.Header().Get("Location"), err)
	}
}

// A form that is shown again is not where its page is found: choosing a theme there leads back to that page.
func TestAFormLeadsBackToItsPage(t *testing.T) {
	t.Parallel()
	p := &Pages{root: "/errors"}
	for _, c := range []struct{ method, referer, want string }{
		{http.MethodGet, "", "/projects/7/sites/preview?a=b"},
		{http.MethodPost, "http://localhost:8080/errors/projects/7/sites/new?x=1", "/projects/7/sites/new?x=1"},
		{http.MethodPost, "", "/"},
		{http.MethodPost, "http://localhost:8080/errors//evil.test", "/"},
		{http.MethodPost, "://", "/"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), c.method, "/projects/7/sites/preview?a=b", nil)
		r.Header.Set("Referer", c.referer)
		if got := p.addressOf(r); got != c.want {
			t.Errorf("%s from %q: %q, want %q", c.method, c.referer, got, c.want)
		}
	}
}

// PostgreSQL refuses NUL and bytes that are not UTF-8, so no page gets them from its address.
func TestAPageGetsAQueryThatCanBeStored(t *testing.T) {
	t.Parallel()
	const base = "http://localhost:8080"
	p, err := New(Options{BaseURL: base, Now: time.Now, Sessions: auth.NewSessions(nil, serve.Proxies{}, time.Now, base)})
	if err != nil {
		t.Fatal(err)
	}
	for sent, want := range map[string]string{
		"":                         "",
		"q=a%C3%A9+b&x":            "q=a%C3%A9+b&x", // not even written anew
		"q=a%00b&q=c&page=2":       "page=2&q=a%EF%BF%BDb&q=c",
		"find=%ff&environment=%ed": "environment=%EF%BF%BD&find=%EF%BF%BD",
		"q=\xff":                   "q=%EF%BF%BD",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/search", nil)
		r.URL.RawQuery = sent
		err := p.admit(httptest.NewRecorder(), r, serve.Route{Name: "searchPage", Permission: accounts.Public}, func(_ http.ResponseWriter, r *http.Request) error {
			if got := r.URL.RawQuery; got != want {
				t.Errorf("%q is %q for the page, want %q", sent, got, want)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		if r.URL.RawQuery != sent {
			t.Errorf("%q became %q in the request itself", sent, r.URL.RawQuery)
		}
	}
}
