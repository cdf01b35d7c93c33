// Package auth finds out who makes a request: the user of a personal token, a session or a password and second factor, or the project of an
// API key, and whether they exceed their rate limit. It takes requests and the records of the store, and returns principals, cookies and
// limits. Secrets are compared by their hashes and never logged. It never decides permissions – that is one table in package sett – and
// never answers a request.
package auth

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/signin"
	"sett/internal/store/accountdb"
)

// Principal is who makes a request.
type Principal struct {
	User     accounts.User
	Token    string         // name of the personal token; "" without one
	ReadOnly bool           // by a token that may change nothing
	Session  signin.Session // of a person's browser; the zero Session of a program
	Grant    signin.Grant   // in /v3, the most that the token may do; elsewhere the zero Grant
	Scope    accounts.Scope // in the API, of the user where the path leads; the zero Scope if it names no project, team or account
}

// MayChange reports whether the principal may use a permission for changes where the path leads: their scope has it, and their token is not
// read-only.
func (p Principal) MayChange(permission accounts.Permission) bool {
	return p.Scope.May(permission) && !p.ReadOnly
}

type principalKey struct{}

// WithPrincipal returns a context that carries p.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns who makes a request; the zero Principal if unknown.
func PrincipalOf(ctx context.Context) Principal {
	p, _ := ctx.Value(principalKey{}).(Principal)
	return p
}

// HashToken returns what is stored of a token: its SHA-256. Tokens have 256 random bits, so no salt is needed.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Tokens finds users by their personal tokens.
type Tokens struct {
	accounts *accountdb.Store
	proxies  serve.Proxies
	now      func() time.Time
}

// NewTokens returns a Tokens that asks the given store.
func NewTokens(accounts *accountdb.Store, proxies serve.Proxies, now func() time.Time) *Tokens {
	return &Tokens{accounts, proxies, now}
}

// Authenticate returns the user whose personal token the request carries: as the name of Basic authentication with an empty
// password, or as a Bearer token. The error is Unauthenticated for a missing, wrong or expired token, and Forbidden for one with scopes, which
// is for /v3 alone.
func (t *Tokens) Authenticate(r *http.Request) (Principal, error) {
	secret := tokenOf(r)
	if secret == "" {
		return Principal{}, sett.Errorf(sett.Unauthenticated,
			"Authentication is required: send your personal token as the user name of HTTP Basic authentication, with an empty password.")
	}
	token, user, err := t.find(r, secret)
	switch {
	case err != nil:
		return Principal{}, err
	case token.Scoped():
		return Principal{}, sett.Errorf(sett.Forbidden, "This token has scopes, and works below /v3 only. Create a token without scopes at /me/tokens.")
	}
	return Principal{User: user, Token: token.Name, ReadOnly: token.ReadOnly}, nil
}

// Bearer returns the principal of a token of /v3, with what it grants, and the token.
func (t *Tokens) Bearer(r *http.Request, secret string) (Principal, signin.PersonalToken, error) {
	token, user, err := t.find(r, secret)
	return Principal{User: user, Token: token.Name, Grant: token.Grants()}, token, err
}

// find returns the token with a secret, and its user, and notes its use.
func (t *Tokens) find(r *http.Request, secret string) (signin.PersonalToken, accounts.User, error) {
	token, user, err := t.accounts.PersonalTokenByHash(r.Context(), HashToken(secret))
	switch now := t.now(); {
	case sett.CodeOf(err) == sett.NotFound:
		return token, user, sett.Errorf(sett.Unauthenticated, "Invalid API token")
	case err != nil:
		return token, user, err
	case token.Expired(now):
		return token, user, sett.Errorf(sett.Unauthenticated, "This token expired on %s. Create a new one at /me/tokens.",
			token.ExpiresAt.Format(time.DateOnly))
	case signin.SightingDue(now, token.UsedAt):
		// Without the note the token is as good: a full disk must not keep people from reading.
		_ = t.accounts.TouchToken(r.Context(), now, user.ID, token.ID, AddressText(t.proxies, r))
	}
	return token, user, nil
}

func tokenOf(r *http.Request) string {
	if name, _, ok := r.BasicAuth(); ok {
		return name
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") {
		return strings.TrimSpace(token)
	}
	return ""
}
