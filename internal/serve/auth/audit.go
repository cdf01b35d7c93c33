package auth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// AuditEntry returns what the audit log keeps of a request that changes something: who made it, from where, by which route
// and about what. changes is what was sent, with its secrets masked.
func AuditEntry(r *http.Request, route serve.Route, scope accounts.Scope, query url.Values, changes json.RawMessage, now time.Time, proxies serve.Proxies) accounts.AuditEntry {
	principal := PrincipalOf(r.Context())
	return accounts.AuditEntry{
		AccountID: scope.AccountID, At: now, Action: route.Name, Subject: scope.Name, Target: idsIn(route.Path, r),
		User:  sett.Person{ID: principal.User.ID, Email: principal.User.Email, Name: principal.User.Name},
		Token: principal.Token, Query: sett.MaskedQuery(query), Changes: changes,
		Address: AddressText(proxies, r), UserAgent: accounts.CutAgent(r.UserAgent()),
	}
}

// idsIn returns what stands in the path of a request in place of names in braces, but for the secrets of links.
func idsIn(path string, r *http.Request) map[string]string {
	ids := map[string]string{}
	for part := range strings.SplitSeq(path, "/") {
		if name := strings.Trim(part, "{}"); name != part && name != "token" {
			ids[name] = r.PathValue(name)
		}
	}
	return ids
}
