package statuspage

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// acmePaths are asked for by whoever issues certificates; the answers are not of a page.
const acmePaths = "/.well-known/acme-challenge/"

// ByHost serves the domains of pages, each its page and nothing else, and leaves all other requests to next.
func (p *Pages) ByHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page := p.byDomain(r)
		if page == nil || strings.HasPrefix(r.URL.Path, acmePaths) {
			next.ServeHTTP(w, r)
			return
		}
		if host := p.hostOf(r); p.toHTTPS(r, host) {
			w.Header().Set("Cache-Control", "no-store") // the certificate may be gone one day
			http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
			return
		}
		p.byHost.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), pageKey{}, page)))
	})
}

// relayed are headers by which proxies tell that a request came through them.
var relayed = []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip"}

// toHTTPS reports whether a request is to be made by HTTPS instead. One that came through a proxy may have been: only a
// proxy that is believed and says that it was not is sent there, or browsers would go round in circles.
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

// throughProxy reports whether a request looks as if a proxy had passed it on. From this machine it has: nobody else comes
// from there to a domain.
func throughProxy(r *http.Request) bool {
	if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil && from.Addr().Unmap().IsLoopback() {
		return true
	}
	return slices.ContainsFunc(relayed, func(name string) bool { return r.Header.Get(name) != "" })
}

type pageKey struct{}

// pageOf returns the page that a request's host names, or nil.
func pageOf(ctx context.Context) *cached {
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

// hostOf returns the host that the reader's browser asked for: lower case, without port and without the root's dot.
func (p *Pages) hostOf(r *http.Request) string {
	host := r.Host
	if told := r.Header.Get("X-Forwarded-Host"); told != "" && p.Proxies.Vouched(r) {
		host, _, _ = strings.Cut(told, ",")
	}
	host = strings.TrimSpace(host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// secure reports whether the reader's browser speaks HTTPS, to us or to a proxy that is believed.
func (p *Pages) secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return p.Proxies.Vouched(r) && strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}
