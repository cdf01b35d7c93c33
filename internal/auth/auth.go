// Package auth answers who is asking: the user behind a personal token, the project behind an API key, and whether
// they have asked too often. In come requests and the store's records; out go principals and limits. Secrets are
// compared by their hashes and never logged. It never decides what somebody may do – that is one table in package
// sett – and never answers a request.
package auth

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"

	"sett/internal/sett"
	"sett/internal/store"
)

// Principal is who is asking.
type Principal struct {
	User sett.User
}

type principalKey struct{}

// WithPrincipal returns a context that carries p.
func WithPrincipal(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// PrincipalOf returns who is asking; the zero Principal when nobody is known.
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
type Tokens struct{ store *store.Store }

// NewTokens returns a Tokens that asks the given store.
func NewTokens(s *store.Store) *Tokens { return &Tokens{s} }

// Authenticate returns the user whose personal token the request carries: as the name of Basic authentication with an
// empty password, or as a Bearer token. The error is Unauthenticated when there is none or a wrong one.
func (t *Tokens) Authenticate(r *http.Request) (Principal, error) {
	token := tokenOf(r)
	if token == "" {
		return Principal{}, sett.Errorf(sett.Unauthenticated,
			"Authentication is needed: send your personal token as the user name of HTTP Basic authentication, with an empty password.")
	}
	u, err := t.store.UserByToken(r.Context(), HashToken(token))
	if sett.CodeOf(err) == sett.NotFound {
		return Principal{}, sett.Errorf(sett.Unauthenticated, "Invalid API token")
	}
	return Principal{User: u}, err
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
