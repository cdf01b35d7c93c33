package sett

import (
	"net/netip"
	"slices"
	"strings"
	"time"
)

// What stands in DNS to prove that a domain belongs to a page.
const (
	proofLabel = "_sett."
	proofText  = "sett-domain-verification="
)

// longestDomain is how long a domain of a page is at most: DNS has to know its proof too.
const longestDomain = longestHost - len(proofLabel)

// domain returns the domain of a page after the change. Another one is to be looked for in DNS at once.
func (c StatusPageChange) domain(p *Problems, have StatusDomain, hosts []string, now time.Time) StatusDomain {
	name := have.Name
	set(p, "domain", c.Domain, &name, "")
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
	switch {
	case name == have.Name:
		return have
	case name == "":
		return StatusDomain{}
	case domainProblem(name) != "":
		p.Add("domain", "%s", domainProblem(name))
	case slices.Contains(hosts, name):
		p.Add("domain", "must not be that of this server itself: take another, such as status.%s", name)
	}
	return StatusDomain{Name: name, Secret: RandomString(domainSecretLength), State: DomainPending, DueAt: now}
}

// domainProblem says why a page cannot have a domain, in lower case, or returns "". The name is held to the rules of host
// names (RFC 1123 §2.1), because certificates are asked for it.
func domainProblem(name string) string {
	labels := strings.Split(name, ".")
	_, err := netip.ParseAddr(strings.Trim(name, "[]"))
	switch {
	case strings.Contains(name, "://"):
		return "must be only a name, without http:// or https://, such as status.example.org"
	case err == nil:
		return "must be a name in DNS, such as status.example.org, and not an IP address"
	case strings.ContainsAny(name, "/?#@"):
		return "must be only a name, without a path, such as status.example.org"
	case strings.Contains(name, ":"):
		return "must be only a name, without a port, such as status.example.org"
	case strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 }):
		return "must be written in ASCII, as punycode, in which bücher.example is xn--bcher-kva.example"
	case len(name) > longestDomain:
		return "is too long (maximum is 247 characters)"
	case slices.ContainsFunc(labels, func(l string) bool { return !isHostLabel(l) }):
		return "must be of letters, digits and hyphens, with dots between its parts, such as status.example.org"
	case len(labels) < 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "":
		return "must be a whole name, with its top-level domain, such as status.example.org"
	case slices.Contains(neverInDNS(), labels[len(labels)-1]):
		return "must be a name that can be looked up: those that end with ." + labels[len(labels)-1] + " are never in DNS"
	}
	return ""
}

// neverInDNS are the top-level domains for which no name server is asked (RFC 6761 §6.3 and §6.4, RFC 6762 §3, RFC 7686 §2,
// RFC 9476 §2). Others are reserved too, but networks of one's own may have them.
func neverInDNS() []string {
	return []string{"localhost", "localdomain", "local", "invalid", "onion", "alt"}
}

// isHostLabel reports whether a part of a name, in lower case, is one of a host name.
func isHostLabel(label string) bool {
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	return label != "" && len(label) <= longestLabel && !strings.ContainsFunc(label, foreign) &&
		!strings.HasPrefix(label, "-") && !strings.HasSuffix(label, "-")
}

// DNSRecord is an entry of DNS.
type DNSRecord struct {
	Type  string `json:"type" enum:"CNAME,TXT"`
	Name  string `json:"name" doc:"The full name; some services want it without the domain at its end."`
	Value string `json:"value"`
}

// Records returns what is to be entered in DNS for the domain of a page that a server with the given host serves; none
// without a domain. Nothing can point to a host that is no name in DNS.
func (d StatusDomain) Records(host string) (records []DNSRecord) {
	if d.Name == "" {
		return nil
	}
	if IsDomainName(host) {
		records = append(records, DNSRecord{"CNAME", d.Name, host})
	}
	name, value := d.ProofRecord()
	return append(records, DNSRecord{"TXT", name, value})
}

// IsDomainName reports whether a host, in lower case, is a whole name of DNS, to which a CNAME can point.
func IsDomainName(host string) bool { return domainProblem(host) == "" }
