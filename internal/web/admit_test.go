package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/signin"
)

// Whose session ends while their form is on its way is led to sign in, and the form back to nothing.
func TestWhoIsSignedOutMeanwhileSignsInAgain(t *testing.T) {
	t.Parallel()
	const base = "http://localhost:8080/errors"
	p, err := New(Options{BaseURL: base, Now: time.Now, Sessions: auth.NewSessions(nil, serve.Proxies{}, time.Now, base)})
	if err != nil {
		t.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/me/tokens", nil)
	err = p.admit(w, r, serve.Route{Name: "makeToken", Permission: sett.Public}, func(http.ResponseWriter, *http.Request) error {
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
