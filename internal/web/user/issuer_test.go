package user_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/setttest"
)

// issuer is one of OpenID Connect, at which one person is signed in.
type issuer struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey // that it shows

	mu       sync.Mutex
	signer   *rsa.PrivateKey // that it signs with
	claims   map[string]any  // of the token, beside those that every token has
	userInfo map[string]any  // nil: it has no such endpoint
	asked    map[string]url.Values
	down     bool
	found    int // how often it was asked what it is
}

// issuerKey is the key of all issuers: it takes a tenth of a second to find one.
var issuerKey = sync.OnceValues(newIssuerKey)

func newIssuerKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := issuerKey()
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{t: t, key: key, signer: key, asked: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.configuration)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer access" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		i.write(w, i.userInfo)
	})
	i.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(i.Close)
	i.person("ann-1", "Ann@Example.test", true)
	return i
}

// person says who is signed in at the issuer.
func (i *issuer) person(subject, email string, verified bool, groups ...string) {
	i.set(func() {
		i.claims = map[string]any{"sub": subject, "email": email, "email_verified": verified, "name": "Ann Issued", "groups": groups}
	})
}

// set changes the issuer between two requests.
func (i *issuer) set(change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	change()
}

func (i *issuer) write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		i.t.Error(err)
	}
}

func (i *issuer) configuration(w http.ResponseWriter, _ *http.Request) {
	i.found++
	c := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid", "email", "groups"},
	}
	if i.userInfo != nil {
		c["userinfo_endpoint"] = i.URL + "/userinfo"
	}
	i.write(w, c)
}

func (i *issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.write(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
		"n": encoded(i.key.N.Bytes()), "e": encoded(big.NewInt(int64(i.key.E)).Bytes()),
	}}})
}

// token returns the token for a code if the secrets of the client and of PKCE match.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	asked, known := i.asked[r.FormValue("code")]
	id, secret, _ := r.BasicAuth()
	verifier := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	if !known || id != "sett" || secret != "hush" || encoded(verifier[:]) != asked.Get("code_challenge") || r.FormValue("redirect_uri") != asked.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		i.write(w, map[string]any{"error": "invalid_grant"})
		return
	}
	delete(i.asked, r.FormValue("code"))
	i.write(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": i.sign(asked.Get("nonce"))})
}

// issued is when tokens are made: the clock of setttest stands there at first.
var issued = time.Date(2026, 11, 18, 10, 30, 0, 0, time.UTC)

func (i *issuer) sign(nonce string) string {
	claims := map[string]any{"iss": i.URL, "aud": "sett", "iat": issued.Unix(), "exp": issued.Add(time.Hour).Unix(), "nonce": nonce}
	maps.Copy(claims, i.claims)
	body, err := json.Marshal(claims)
	if err != nil {
		i.t.Error(err)
	}
	text := encoded([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + encoded(body)
	hash := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, i.signer, crypto.SHA256, hash[:])
	if err != nil {
		i.t.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// settings make sett know the issuer.
func (i *issuer) settings(c *app.Config) {
	c.SignIn.Issuer, c.SignIn.ClientID, c.SignIn.ClientSecret, c.SignIn.Name = i.URL, "sett", "hush", "Acme ID"
}

// eachWithIssuer is setttest.Each with an issuer for each server.
func eachWithIssuer(t *testing.T, f func(t *testing.T, s *setttest.Server, i *issuer), options ...func(*app.Config)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			f(t, setttest.Start(t, engine, append(options, i.settings)...), i)
		})
	}
}

// leave begins a sign-in and returns what the issuer is asked.
func (b *browser) leave(next string) url.Values {
	b.t.Helper()
	page := b.post("/auth/oidc", "next", next).want(200, "Redirecting to Acme ID.")
	address, ok := strings.CutPrefix(page.Header.Get("Refresh"), "0; url=")
	u, err := url.Parse(address)
	if err != nil || !ok {
		b.t.Fatalf("the page leads to %q", page.Header.Get("Refresh"))
	}
	return u.Query()
}

// approve makes a code for what the issuer was asked, and returns where it leads back.
func (i *issuer) approve(asked url.Values) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	code := fmt.Sprint("code", len(i.asked), rand.Text())
	i.asked[code] = asked
	return "/auth/oidc/callback?" + url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode()
}

// through signs in with the issuer.
func (b *browser) through(i *issuer, next string) *answer {
	b.t.Helper()
	return b.get(i.approve(b.leave(next)))
}
