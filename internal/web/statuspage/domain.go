package statuspage

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
)

// checkDomainPath is requested by proxies that obtain certificates on demand, such as Caddy's on_demand_tls.
const checkDomainPath = "/status-domains/check"

// HasDomain reports whether a page is served at a domain. It uses the index in memory; a server that has just started may wait
// a moment for it. It never queries the database for other names.
func (p *Pages) HasDomain(ctx context.Context, name string) bool {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	return !slices.Contains(p.ownHosts, name) && p.known(ctx).domains[name] != nil
}

func (p *Pages) domainRoute() serve.Route {
	return serve.Route{
		Method: "GET", Path: checkDomainPath, Name: "checkStatusDomain", Tag: "Status pages", Permission: accounts.Public, Media: "text/plain", Quiet: true,
		Doc: "Whether a status page is served at a domain: 200, or 404.", Handle: p.checkDomain,
	}
}

func (p *Pages) checkDomain(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	status, text := http.StatusNotFound, "No status page is served at this domain.\n"
	if p.HasDomain(r.Context(), r.URL.Query().Get("domain")) {
		status, text = http.StatusOK, "A status page is served at this domain.\n"
	}
	w.WriteHeader(status)
	_, err := w.Write([]byte(text))
	return err
}
