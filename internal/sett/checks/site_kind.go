package checks

import (
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett"
)

// SiteKind is what the rules of sites have to know of a kind of check. Package probe has the kinds.
type SiteKind struct {
	Type    string   // such as "http"; agents and servers exchange it
	Schemes []string // of the URLs of its sites, in lower case
	Example string   // a URL
	Does    string   // what a check does, as a clause, such as "a TCP check only opens a connection"
	Uses    []string // those of SiteChange.ofSomeKinds that its sites have

	// CheckURL returns what is wrong with a URL that is valid in itself, or "". Nil: nothing can be.
	CheckURL func(*url.URL) string
}

// HTTPSites is the kind of sites that have a web address. They have every setting.
func HTTPSites() SiteKind {
	k := SiteKind{
		Type: "http", Schemes: []string{"http", "https"}, Example: "https://shop.example.org", Does: "an HTTP check sends one request",
	}
	for _, f := range (SiteChange{}).ofSomeKinds(&SiteSettings{}) {
		k.Uses = append(k.Uses, f.name)
	}
	return k
}

// Checks reports whether sites with that URL are of the kind.
func (k SiteKind) Checks(address string) bool {
	scheme, _, ok := strings.Cut(address, ":")
	return ok && slices.Contains(k.Schemes, strings.ToLower(scheme))
}

// Has reports whether sites of the kind have a setting, by its name in the API.
func (k SiteKind) Has(setting string) bool {
	return slices.Contains(k.Uses, setting) || !slices.Contains(HTTPSites().Uses, setting)
}

// Among returns the change as one of a site that may be of these kinds. Without it, there are only HTTPSites.
func (c SiteChange) Among(kinds []SiteKind) SiteChange {
	c.kinds = kinds
	return c
}

// kindOf returns the kind of the sites with that URL.
func (c SiteChange) kindOf(address string) (kind SiteKind, ok bool) {
	for _, k := range c.kinds {
		if k.Checks(address) {
			return k, true
		}
	}
	return SiteKind{}, false
}

// starts lists how URLs may begin, such as "http://, https:// or tcp://".
func (c SiteChange) starts() string {
	var all []string
	for _, k := range c.kinds {
		for _, scheme := range k.Schemes {
			all = append(all, scheme+"://")
		}
	}
	last := len(all) - 1
	return strings.TrimPrefix(strings.Join(all[:last], ", ")+" or "+all[last], " or ")
}

// checkKind refuses settings that sites of the kind do not have, unless they have their defaults: clients send a site back as
// they read it.
func (k SiteKind) checkKind(p *sett.Problems, s SiteSettings) {
	for _, f := range (SiteChange{}).ofSomeKinds(&s) {
		if f.changed() && !k.Has(f.name) {
			p.Add(f.name, "must be left at the default because %s; null resets it", k.Does)
		}
	}
}
