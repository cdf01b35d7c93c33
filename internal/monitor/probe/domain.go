package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"sett/internal/sett/status"
)

// Domain checks in DNS whether a domain belongs to the page that claims it: by a TXT record, whose value only users who can
// change the page know, or by a chain of CNAMEs to host, which is the server. A host that is not a DNS name is never found.
// A missing response of DNS never counts as a negative result.
func Domain(ctx context.Context, dns *net.Resolver, d status.StatusDomain, host string) status.DomainLook {
	l := domainLook{dns: dns, StatusDomain: d, host: strings.ToLower(strings.TrimSuffix(host, "."))}
	texts, sure := l.texts(ctx)
	if _, want := l.ProofRecord(); slices.Contains(texts, want) {
		return status.DomainLook{Proof: status.ProvenByTXT}
	}
	target, known := l.target(ctx)
	switch {
	case known && target != "" && l.isHost(ctx, target):
		return status.DomainLook{Proof: status.ProvenByCNAME}
	case !sure || !known || l.unsure:
		return status.DomainLook{Unsure: true, Problem: fmt.Sprintf("The name servers of %s did not respond or returned an error. sett will try again.", d.Name)}
	}
	return status.DomainLook{Problem: l.problem(texts, target)}
}

// domainLook is one check of a domain in DNS.
type domainLook struct {
	status.StatusDomain
	dns    *net.Resolver
	host   string // of the server
	unsure bool   // where that points to is not known
}

// texts returns what the TXT record of the domain says, if there is one, and whether that is sure.
func (l *domainLook) texts(ctx context.Context) (texts []string, sure bool) {
	name, _ := l.ProofRecord()
	texts, err := l.dns.LookupTXT(ctx, name+".")
	for i := range texts {
		texts[i] = strings.TrimSpace(texts[i])
	}
	return texts, err == nil || isNotFound(err)
}

// target returns the name at the end of the domain's chain of CNAMEs: its own when there are addresses without any, and ""
// when there is nothing.
func (l *domainLook) target(ctx context.Context) (name string, sure bool) {
	return l.canonical(ctx, l.Name)
}

func (l *domainLook) canonical(ctx context.Context, name string) (string, bool) {
	found, err := l.dns.LookupCNAME(ctx, name+".")
	if err != nil {
		return "", isNotFound(err)
	}
	return strings.ToLower(strings.TrimSuffix(found, ".")), true
}

// isHost reports whether the end of a chain is the server's host, or where that is a CNAME itself, the end of its chain.
func (l *domainLook) isHost(ctx context.Context, target string) bool {
	switch {
	case !status.IsDomainName(l.host) || target == l.Name:
		return false
	case target == l.host:
		return true
	}
	end, sure := l.canonical(ctx, l.host)
	l.unsure = !sure
	return sure && target == end
}

// problem says what people are to do about a domain that is not found.
func (l *domainLook) problem(texts []string, target string) string {
	record, _ := l.ProofRecord()
	points := status.IsDomainName(l.host)
	switch {
	case len(texts) > 0:
		return fmt.Sprintf("The TXT record %s has the wrong value. Copy the value from the records on this page.", record)
	case target != "" && target != l.Name && points:
		return fmt.Sprintf("%s points to %s, not to %s. Change its CNAME, or add the TXT record %s.", l.Name, target, l.host, record)
	case target == l.Name && points:
		return fmt.Sprintf("%s has addresses, but neither a CNAME to %s nor a TXT record %s. Add one of them; if the name must keep its addresses, add the TXT record.", l.Name, l.host, record)
	case points:
		return fmt.Sprintf("%s has no CNAME to %s and no TXT record %s yet. Add one of them. A new record can take an hour to become visible.", l.Name, l.host, record)
	}
	return fmt.Sprintf("There is no TXT record %s yet. Add it. A new record can take an hour to become visible.", record)
}

// isNotFound reports whether DNS has answered that the record does not exist.
func isNotFound(err error) bool {
	e, ok := errors.AsType[*net.DNSError](err)
	return ok && e.IsNotFound
}
