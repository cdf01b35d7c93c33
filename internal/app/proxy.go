package app

import (
	"net/http"
	"sync"
	"time"

	"sett/internal/serve"
)

// hourly is a warning about requests, at most once an hour, because anyone can cause it.
type hourly struct {
	mu   sync.Mutex
	said time.Time
}

// warn says it, unless that was done within the last hour.
func (h *hourly) warn(now time.Time, say func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.said.IsZero() || now.Sub(h.said) >= time.Hour {
		h.said = now
		say()
	}
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
	a.proxies.warn(a.now(), func() {
		a.log.Warn("requests arrive through a proxy that is not trusted, so all its clients share one address", "client", r.RemoteAddr,
			"hint", "if this is your proxy, add it to --trusted-proxies (SETT_TRUSTED_PROXIES)")
	})
}
