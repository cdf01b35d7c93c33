package app

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"sett/internal/base/dial"
	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
)

// publicEgress closes private networks.
const publicEgress = "public"

// egress is what may be reached at addresses that people of an account give.
func (c Config) egress() dial.Policy {
	return dial.Policy{Allow: c.EgressAllow, Deny: c.EgressDeny, Public: c.Egress == publicEgress}
}

// egressRules says what the settings let checks and webhooks reach, for the operator.
func (c Config) egressRules() string {
	rules := []string{"checks and webhooks may reach the public internet and private networks, but not this machine, link-local addresses and cloud metadata services"}
	if c.Egress == publicEgress {
		rules = []string{"checks and webhooks may reach only the public internet"}
	}
	if len(c.EgressAllow) > 0 {
		rules = append(rules, "also allowed: "+networkList(c.EgressAllow))
	}
	if len(c.EgressDeny) > 0 {
		rules = append(rules, "denied: "+networkList(c.EgressDeny))
	}
	if len(c.EgressAllow) > 0 && len(c.EgressDeny) > 0 {
		rules = append(rules, "if an address is in networks of both lists, the narrowest network decides")
	}
	if c.Egress != publicEgress {
		rules = append(rules, "if several companies share this server, set --egress=public (SETT_EGRESS)")
	}
	return fmt.Sprintf("%s; webhooks of status page subscribers may reach only public addresses, regardless of the settings", strings.Join(rules, "; "))
}

func networkList(networks []netip.Prefix) string {
	var texts []string
	for _, n := range networks {
		texts = append(texts, n.String())
	}
	return strings.Join(texts, ", ")
}

// outbound makes connections to addresses that people of an account give.
func (a *App) outbound(policy dial.Policy) *dial.Dialer {
	return dial.New(policy, dial.Except(&a.own), dial.WithHeader(serve.OutboundHeader, serve.OutboundMark(a.cfg.BaseURL)))
}

// marked returns a check as it is sent, from here or by an agent: with the mark of this sett, and without the header in
// which a proxy names users, which a check may have from before that was refused.
func (a *App) marked(r checks.ProbeRequest) checks.ProbeRequest {
	headers := make([]checks.ProbeHeader, 0, len(r.Headers)+1)
	for _, h := range r.Headers {
		if !strings.EqualFold(h.Key, serve.OutboundHeader) && !checks.SameHeader(h.Key, a.cfg.SignIn.ProxyHeader) {
			headers = append(headers, h)
		}
	}
	r.Headers = append(headers, checks.ProbeHeader{Key: serve.OutboundHeader, Value: serve.OutboundMark(a.cfg.BaseURL)})
	return r
}

// refuseOwn keeps requests that this sett has sent itself from all that people and their tokens are let in to.
func (a *App) refuseOwn(route serve.Route, next serve.Handler) serve.Handler {
	if isForAnybody(route) {
		return next
	}
	mark := serve.OutboundMark(a.cfg.BaseURL)
	return func(w http.ResponseWriter, r *http.Request) error {
		if serve.HasMark(r, mark) {
			return sett.Errorf(sett.Forbidden, "This request was sent by this server itself, as a check or webhook. Checks and webhooks cannot use its pages and API; check /healthz instead.")
		}
		return next(w, r)
	}
}

// isForAnybody reports whether what a route answers does not depend on who asks.
func isForAnybody(route serve.Route) bool {
	open := route.Permission == accounts.Public || route.Permission == accounts.ReportWithKey
	return open && route.Tag != "Pages" && route.Tag != "Agents" && !strings.HasPrefix(route.Path, "/v2")
}
