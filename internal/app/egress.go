package app

import (
	"fmt"
	"net/netip"
	"strings"

	"sett/internal/dial"
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
