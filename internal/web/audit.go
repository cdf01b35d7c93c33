package web

import (
	"context"
	"net/http"
	"strings"

	"sett/internal/auth"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/store"
)

// audited returns a context under which what people change of their own leaves entries in the audit log. Nothing of a form
// gets into one: what there is to tell of a change, the store says.
func (p *Pages) audited(r *http.Request, route serve.Route) context.Context {
	return store.WithPersonalAudit(r.Context(), func() sett.AuditEntry {
		return sett.AuditEntry{
			At: p.Now(), Action: route.Name, Target: idsIn(route.Path, r), Query: sett.MaskedFields(nil),
			Address: auth.AddressText(p.Proxies, r), UserAgent: sett.CutAgent(r.UserAgent()),
		}
	})
}

// idsIn returns the ids in the path of a request, by their names. What else stands in paths are secrets of links.
func idsIn(path string, r *http.Request) map[string]string {
	ids := map[string]string{}
	for part := range strings.SplitSeq(path, "/") {
		if name := strings.Trim(part, "{}"); name != part && strings.HasSuffix(name, "_id") {
			ids[name] = r.PathValue(name)
		}
	}
	return ids
}
