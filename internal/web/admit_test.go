package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
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
		return sett.SignedOut()
	})
	if err != nil || w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/errors/login" {
		t.Errorf("%d to %q, %v", w.Code, w.Header().Get("Location"), err)
	}
}
