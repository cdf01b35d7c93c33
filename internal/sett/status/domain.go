package status

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
)

// How often a domain is looked for in DNS. One that is not verified is looked for at lessening pace from the first look that
// did not find it; one that is verified is not given up before it was missed for days.
const (
	pendingFor   = 3 * 24 * time.Hour  // and failed after that
	failedFor    = 30 * 24 * time.Hour // and not looked for by itself after that
	withdrawn    = 72 * time.Hour      // of misses, until a page is no longer served at its domain
	calmPace     = 6 * time.Hour       // of verified domains, and of those that failed
	alarmedPace  = 15 * time.Minute    // of verified domains of which the last look was none or a miss
	longestPause = calmPace
)

// firstLooks are when a domain that was not found is looked for, counted from the first look; lastPace is what follows.
var firstLooks = []time.Duration{time.Minute, 3 * time.Minute, 8 * time.Minute, 18 * time.Minute}

const lastPace = 15 * time.Minute

// DomainLook is what a look at DNS has found of a domain.
type DomainLook struct {
	Proof   DomainProof // NoProof: that it is not the page's, or nothing at all
	Unsure  bool        // DNS did not answer, and nothing is known
	Problem string      // a sentence, of a look without proof: what people are to do
}

// TakenDomain is the problem of a domain that DNS says is the page's and that another page has, which has proven it as well.
const TakenDomain = "The domain has already been verified for another status page of this server. Remove it from that page, or add the TXT record, which takes precedence over a CNAME."

// lostDomain is the problem of a domain that another page has taken over.
const lostDomain = "Another status page of this server has the TXT record of the domain, which takes precedence over a CNAME. To get the domain back, add the record of this page and remove the other."

// ProofRecord returns where the record that proves a domain stands in DNS, and what it says.
func (d StatusDomain) ProofRecord() (name, value string) {
	return proofLabel + d.Name, proofText + d.Secret
}

// Verified reports whether the page is served at the domain.
func (d StatusDomain) Verified() bool { return !d.VerifiedAt.IsZero() }

// Yields reports whether a domain that is verified for one page is to go to another that has found a proof of its own.
func (d StatusDomain) Yields(look DomainLook) bool {
	return d.Proof == ProvenByCNAME && look.Proof == ProvenByTXT
}

// Looked returns the domain after a look at DNS, with when the next one is due.
func (d StatusDomain) Looked(look DomainLook, now time.Time) StatusDomain {
	d.CheckedAt = now
	switch {
	case look.Proof != NoProof:
		return d.found(look.Proof, now)
	case look.Unsure && d.Verified():
		d.DueAt = now.Add(alarmedPace)
		return d
	case d.Verified():
		return d.missed(look.Problem, now)
	}
	d.Problem = look.Problem
	return d.wait(now)
}

func (d StatusDomain) found(proof DomainProof, now time.Time) StatusDomain {
	if !d.Verified() {
		d.VerifiedAt = now
	}
	d.State, d.Proof, d.Problem, d.FailingAt, d.DueAt = DomainVerified, proof, "", time.Time{}, now.Add(calmPace)
	return d
}

// missed is the domain after a look that did not find what an earlier one had.
func (d StatusDomain) missed(problem string, now time.Time) StatusDomain {
	if d.FailingAt.IsZero() {
		d.FailingAt = now
	}
	if now.Sub(d.FailingAt) >= withdrawn {
		return d.withdraw(problem, now)
	}
	d.State, d.Problem, d.DueAt = DomainFailing, problem, now.Add(alarmedPace)
	return d
}

// Lost returns the domain after another page has taken it over.
func (d StatusDomain) Lost(now time.Time) StatusDomain { return d.withdraw(lostDomain, now) }

// withdraw begins anew with a domain that was verified.
func (d StatusDomain) withdraw(problem string, now time.Time) StatusDomain {
	d.VerifiedAt, d.FailingAt, d.Proof, d.Problem = time.Time{}, time.Time{}, NoProof, problem
	return d.wait(now)
}

// wait sets when a domain that is not verified is looked for again, and how much hope there is.
func (d StatusDomain) wait(now time.Time) StatusDomain {
	if d.FailingAt.IsZero() || d.FailingAt.After(now) {
		d.FailingAt = now
	}
	age := now.Sub(d.FailingAt)
	switch {
	case age >= pendingFor+failedFor:
		d.State, d.DueAt = DomainFailed, time.Time{}
	case age >= pendingFor:
		d.State, d.DueAt = DomainFailed, now.Add(calmPace)
	default:
		d.State, d.DueAt = DomainPending, now.Add(pace(age))
	}
	return d
}

// pace returns how long to wait before the next look at a domain that was first missed so long ago.
func pace(age time.Duration) time.Duration {
	next := slices.IndexFunc(firstLooks, func(at time.Duration) bool { return at > age })
	if next < 0 {
		return lastPace
	}
	return max(firstLooks[next]-age, firstLooks[0])
}

// LatestDomainLook returns when a domain is due at the latest, by any server's clock. One that is due later was put off by a
// clock which was set back since, and is due.
func LatestDomainLook(now time.Time) time.Time { return checks.LatestClock(now.Add(longestPause)) }

// What stands in DNS to prove that a domain belongs to a page.
const (
	proofLabel = "_sett."
	proofText  = "sett-domain-verification="
)

// longestDomain is how long a domain of a page is at most: DNS has to know its proof too.
const longestDomain = sett.LongestHost - len(proofLabel)

// domain returns the domain of a page after the change. Another one is to be looked for in DNS at once.
func (c StatusPageChange) domain(p *sett.Problems, have StatusDomain, hosts []string, now time.Time) StatusDomain {
	name := have.Name
	sett.SetField(p, "domain", c.Domain, &name, "")
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
	return StatusDomain{Name: name, Secret: sett.RandomString(domainSecretLength), State: DomainPending, DueAt: now}
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
	return label != "" && len(label) <= sett.LongestLabel && !strings.ContainsFunc(label, foreign) &&
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
