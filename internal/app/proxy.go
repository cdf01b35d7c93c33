package app

import (
	"net/http"
	"sync"
	"time"

	"sett/internal/serve"
)

// unknownProxy says on what /healthz is asked that a proxy passed it on which is not trusted.
const unknownProxy = "not in --trusted-proxies"

// proxyWatch logs proxies that the settings do not list, at most once an hour, because anyone can forge the headers of a
// proxy.
type proxyWatch struct {
	mu   sync.Mutex
	said time.Time
}

// noteProxies wraps all that is served.
func (a *App) noteProxies(proxies serve.Proxies, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if proxies.Unknown(r) {
			a.warnOfProxy(r)
		}
		next.ServeHTTP(w, r)
	})
}

func (a *App) warnOfProxy(r *http.Request) {
	a.proxies.mu.Lock()
	defer a.proxies.mu.Unlock()
	now := a.now()
	if !a.proxies.said.IsZero() && now.Sub(a.proxies.said) < time.Hour {
		return
	}
	a.proxies.said = now
	a.log.Warn("requests arrive through a proxy that is not trusted, so all its clients share one address; add it to --trusted-proxies (SETT_TRUSTED_PROXIES), unless a client forged the headers",
		"from", r.RemoteAddr)
}
