package flow

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"sett/e2e/rig"
	"sett/e2e/rig/browser"
)

// The button for single sign-on leads a real browser to the issuer, which the content policy of the page would forbid to a
// form that is redirected, and without a click on the way.
func TestBrowserIsLedToIssuer(t *testing.T) {
	t.Parallel()
	var issuer *httptest.Server
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{
			"issuer": issuer.URL, "authorization_endpoint": issuer.URL + "/auth", "token_endpoint": issuer.URL + "/token", "jwks_uri": issuer.URL + "/keys",
		})
	})
	mux.HandleFunc("GET /auth", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere?state="+r.FormValue("state"), http.StatusFound) // as issuers do that ask others in turn
	})
	mux.HandleFunc("GET /elsewhere", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<p id=there>Who are you?</p>"))
	})
	issuer = httptest.NewServer(mux)
	t.Cleanup(issuer.Close)

	s := rig.Prepare(t, "")
	s.Flags = append(s.Flags, "--oidc-issuer", issuer.URL, "--oidc-client-id", "sett", "--oidc-name", "Acme ID")
	s.Restart(t)
	t.Cleanup(func() { s.Stop(t) })
	b := browser.Open(t)
	b.Do(t, chromedp.Navigate(s.Base+"/login"), chromedp.Click(chromedp.CSS(`[action="/auth/oidc"] button`)), chromedp.WaitVisible(chromedp.CSS("#there")))
}
