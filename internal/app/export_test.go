package app

import "net/http"

// SendThrough has everything that channels and subscribers are sent go through a transport in place of the network, for
// tests of services that have one address for all.
func (a *App) SendThrough(t http.RoundTripper) {
	a.dispatcher.Tools.HTTP, a.statusNotifier.Tools.HTTP = &http.Client{Transport: t}, &http.Client{Transport: t}
}
