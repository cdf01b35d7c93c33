package statuspage

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// acmePaths are requested by certificate authorities; the responses do not belong to a page.
const acmePaths = "/.well-known/acme-challenge/"

// ByHost serves each domain of a page with that page only, and passes all other requests to next.
func (p *Pages) ByHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := p.byDomain(r)
		if page == nil || strings.HasPrefix(r.URL.Path, acmePaths) {
			next.ServeHTTP(w, r)
			return
		}
		if host := p.hostOf(r); p.toHTTPS(r, host) {
			w.Header().Set("Cache-Control", "no-store") // the certificate may not exist forever
			http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
			return
		}
		p.byHost.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), pageKey{}, page)))
	})
}

// relayed are headers that proxies add to requests.
var relayed = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// toHTTPS reports whether to redirect a request to HTTPS. A request through a proxy may have used HTTPS already, so it is
// redirected only if a trusted proxy says that it did not. Otherwise there could be a redirect loop.
func (p *Pages) toHTTPS(r *http.Request, host string) bool {
	if p.HasHTTPS == nil || r.TLS != nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	believed := p.Proxies.Vouched(r)
	if believed && !strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "http") || !believed && throughProxy(r) {
		return false
	}
	return p.HasHTTPS(host)
}

// throughProxy reports whether a request probably came through a proxy. A request from this machine to a domain always did.
func throughProxy(r *http.Request) bool {
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && from.Addr().Unmap().IsLoopback() {
		return true
	}
	return slices.ContainsFunc(relayed, func(name string) bool { return r.Header.Get(name) != "" })
}

type pageKey struct{}

// pageOfHost returns the page of the request's host, or nil.
func pageOfHost(ctx context.Context) *cached {
	page, _ := ctx.Value(pageKey{}).(*cached)
	return page
}

// byDomain returns the page whose verified domain a request is for, or nil.
func (p *Pages) byDomain(r *http.Request) *cached {
	all := p.index.Load()
	if all == nil || len(all.domains) == 0 {
		return nil
	}
	host := p.hostOf(r)
	if slices.Contains(p.ownHosts, host) {
		return nil
	}
	return all.domains[host]
}

// hostOf returns the host that the browser requested: lowercase, without port and without trailing dot.
func (p *Pages) hostOf(r *http.Request) string {
	host := p.Proxies.Asked(r)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
