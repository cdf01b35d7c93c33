package statuspage

import (
	"context"
	"net"
	"net/http"
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
		p.byHost.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), pageKey{}, page)))
	})
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
