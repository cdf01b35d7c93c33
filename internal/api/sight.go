package api

import (
	"context"
	"net/http"

	"sett/internal/auth"
	"sett/internal/sett"
)

type scopeKey struct{}

func withScope(ctx context.Context, s sett.Scope) context.Context {
	return context.WithValue(ctx, scopeKey{}, s)
}

// may reports whether the caller could do something where the path of the request leads, with the token that they use.
func may(r *http.Request, p sett.Permission) bool {
	scope, _ := r.Context().Value(scopeKey{}).(sett.Scope)
	return scope.May(p) && !auth.PrincipalOf(r.Context()).ReadOnly
}

// siteAuthor is the caller, as far as that matters to the settings of a site.
func (a *API) siteAuthor(r *http.Request) sett.SiteAuthor {
	return sett.SiteAuthor{Blind: !may(r, sett.ManageProject), Identity: a.IdentityHeader}
}
