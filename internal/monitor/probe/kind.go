package probe

import (
	"context"
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"

	"sett/internal/base/dial"
	"sett/internal/sett/checks"
)

// Kind is one kind of check. The kind of a site follows from the scheme of its URL. Rules of settings, forms, pages and the
// checks themselves are all drawn from it.
type Kind struct {
	checks.SiteKind
	Name  string                           // for people, such as "HTTP"
	Label string                           // of the URL in forms
	Hint  string                           // for the URL in forms: a sentence
	Input string                           // type of its input element: "url" or "text"
	Wants func(checks.SiteSettings) string // what makes a check succeed, in a few words
	Make  func(Options) Check              // called once per process
}

// Check makes one attempt for a site. The error is for attempts without a result for the site: the context has ended, or
// this machine cannot open connections, or it does not know the kind; they must not be counted.
type Check func(context.Context, checks.ProbeRequest) (checks.ProbeResult, error)

// Options are the options of checks.
type Options struct {
	Dialer    *dial.Dialer     // that makes the connections
	Roots     *x509.CertPool   // who may vouch for sites; nil for those that the system trusts
	UserAgent string           // sent by HTTP unless the check has one of its own; see UserAgent
	HTTP2     bool             // it may be spoken; see dial.SafeHTTP2
	Now       func() time.Time // times of results, and validity of certificates
}

// Kinds are all kinds of checks in the order in which people choose from them.
func Kinds() []Kind {
	return []Kind{
		httpKind(),
		tcpKind(),
	}
}

// Rules returns of all kinds what the rules of sites have to know.
func Rules() (rules []checks.SiteKind) {
	for _, k := range Kinds() {
		rules = append(rules, k.SiteKind)
	}
	return rules
}

// anyStatus is what a check may need, beside redirects, which sett 0.10 cannot do: expecting a status from 600 on.
const anyStatus = "any-status"

// Abilities returns what this version can check, as an agent sends it to its server: the types of all kinds, and what else checks
// may need.
func Abilities() (all []string) {
	for _, k := range Kinds() {
		all = append(all, k.Type)
	}
	return append(all, redirects, anyStatus)
}

// Needs returns which abilities a check takes; ok is false if no kind has its scheme.
func Needs(r checks.ProbeRequest) (abilities []string, ok bool) {
	kind, ok := Find(r.URL)
	abilities = append([]string{kind.Type}, redirectAbility(r)...)
	if r.MatchType == checks.MatchExact && r.Match >= "600" {
		abilities = append(abilities, anyStatus)
	}
	return abilities, ok
}

// Find returns the kind of the sites with that URL; ok is false if no kind has its scheme.
func Find(address string) (kind Kind, ok bool) {
	return find(func(k Kind) bool { return k.Checks(address) })
}

// OfType returns the kind of that type.
func OfType(name string) (kind Kind, ok bool) {
	return find(func(k Kind) bool { return k.Type == name })
}

func find(is func(Kind) bool) (kind Kind, ok bool) {
	all := Kinds()
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

// New returns what checks sites of every kind. Nothing is connected before the first check. A site of a kind that is not
// in the table, as a newer server may send it to an agent, has no result.
func New(o Options) Check {
	kinds, results := Kinds(), map[string]Check{}
	for _, k := range kinds {
		results[k.Type] = k.Make(o)
	}
	return func(ctx context.Context, r checks.ProbeRequest) (checks.ProbeResult, error) {
		for _, k := range kinds {
			if k.Checks(r.URL) {
				return results[k.Type](ctx, r)
			}
		}
		scheme, _, _ := strings.Cut(r.URL, ":")
		return checks.ProbeResult{}, fmt.Errorf("check a site: this version of sett cannot check URLs with the scheme %.20q", scheme)
	}
}
