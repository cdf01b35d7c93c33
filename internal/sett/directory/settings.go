package directory

import (
	"encoding/xml"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Settings are what an owner decides about the directory of their account.
type Settings struct {
	AccountID   string
	HasToken    bool          // a token for SCIM exists
	TokenMadeAt time.Time     // of the token
	UsedAt      time.Time     // when the directory last asked; zero: never
	DefaultRole accounts.Role // of people whose groups give them none
	JustInTime  bool          // who signs in by SAML and is not in the account yet joins it
	// GroupAttribute is the attribute in which the identity provider sends the groups of a person; "" for the names that are known.
	GroupAttribute string
	Required       bool      // people with an address in a verified domain have to sign in with the identity provider
	MetadataURL    string    // of the identity provider; "" if its document was pasted
	Metadata       string    // its document; "" : there is no SAML
	ReadAt         time.Time // when the document was last read
	Problem        string    // why it could not be read since; "" for none
}

// Initial are the settings of an account without any.
func Initial(accountID string) Settings {
	return Settings{AccountID: accountID, DefaultRole: accounts.Member}
}

// Provider is what the identity provider calls itself in its document; "" if there is none.
func (s Settings) Provider() string {
	var d struct {
		EntityID string `xml:"entityID,attr"`
	}
	if xml.Unmarshal([]byte(s.Metadata), &d) != nil {
		return ""
	}
	return d.EntityID
}

// defaultRoles are those that everyone of a directory may get. To make everyone an owner is a mistake.
var defaultRoles = []accounts.Role{accounts.Member, accounts.Billing, accounts.Admin}

// DefaultRoles returns the roles that people of a directory may get without a group.
func DefaultRoles() []accounts.Role { return slices.Clone(defaultRoles) }

// Check notes what is wrong with the settings.
func (s Settings) Check(p *sett.Problems) {
	if !slices.Contains(defaultRoles, s.DefaultRole) {
		p.Add("default_role", "must be Member, Billing or Admin")
	}
	sett.CheckText(p, "group_attribute", s.GroupAttribute, LongestText)
}

// Domain is a domain of email addresses that an account says is its own.
type Domain struct {
	Name       string
	Proof      string    // what the TXT record of RecordName has to say
	VerifiedAt time.Time // zero: not yet
}

// MostDomains is how many domains an account may have.
const MostDomains = 50

// RecordName is where the TXT record with the proof stands.
func (d Domain) RecordName() string { return "_sett." + d.Name }

// Proven reports whether one of the TXT records has the proof.
func (d Domain) Proven(records []string) bool {
	return slices.ContainsFunc(records, func(r string) bool { return strings.TrimSpace(r) == d.Proof })
}

// NewDomain returns the domain of a text that a person typed, with a proof to publish.
func NewDomain(p *sett.Problems, text string) Domain {
	name := strings.ToLower(strings.Trim(strings.TrimSpace(text), "."))
	name = strings.TrimPrefix(name, "@")
	ascii, err := idna.Lookup.ToASCII(name)
	if _, ip := netip.ParseAddr(name); err != nil || ip == nil || !strings.Contains(ascii, ".") || len(ascii) > LongestText {
		p.Add("domain", "must be a domain of email addresses, such as example.org")
		return Domain{}
	}
	return Domain{Name: ascii, Proof: "sett-verification=" + sett.NewWebSecret()}
}
