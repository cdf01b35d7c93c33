package sett

import (
	"io"
	"time"
)

// StatusPage is a page on which everybody can see how some sites and check-ins of an account do.
type StatusPage struct {
	Number    int64 // given by the store, in the order in which pages are made
	ID        string
	AccountID string
	StatusPageSettings
	Domain       StatusDomain
	PasswordHash string // "" : everybody may see the page
	PasswordKey  []byte // signs what browsers keep once they have shown the password; new with each password
	Revision     int64  // grows with everything that changes what the page shows
	CreatedAt    time.Time
	UpdatedAt    time.Time // by people
}

// StatusPageSettings are the fields of a status page that people write, but for its domain and its password.
type StatusPageSettings struct {
	Name          string
	Slug          string // its part of the address; unique on the server
	Components    []StatusComponent
	HideBranding  bool
	Features      StatusFeatures
	Unlisted      bool // search engines are asked to stay away
	AutoIncidents bool // an outage opens an incident
}

// StatusFeatures are how a status page differs from the plain one. "" is the plain one's.
type StatusFeatures struct {
	HomeLink     string `json:"home_link" doc:"URL that the name of the page links to; empty for none." range:"0,2000" example:"https://example.org"`
	UpCaption    string `json:"up_caption" doc:"Headline when everything is up." range:"0,255" example:"All systems are working"`
	DownCaption  string `json:"down_caption" doc:"Headline when everything is down." range:"0,255"`
	MixedCaption string `json:"mixed_caption" doc:"Headline when only some components are up." range:"0,255"`
	CustomCSS    string `json:"custom_css" doc:"CSS that is added to the page; it cannot load anything from elsewhere." range:"0,20000"`
}

// StatusComponent is a site or a check-in as a status page shows it. One of SiteID and CheckInID is set.
type StatusComponent struct {
	ID          int64 // given by the store; the same for as long as the page shows this site or check-in
	SiteID      UUID
	CheckInID   string
	DisplayName string // "" : the name of the site or check-in
	Description string
}

// IsSite reports whether the component is a site, and not a check-in.
func (c StatusComponent) IsSite() bool { return !c.SiteID.IsZero() }

// StatusDomain is a domain of the people whose page it is, which is believed to be theirs once DNS says so.
type StatusDomain struct {
	Name       string // lower case, in ASCII; "" for none
	Secret     string // what a TXT record says to prove that the domain belongs to the page
	State      DomainState
	Problem    string // why it is not verified, or no more; "" : nothing is wrong
	Proof      DomainProof
	VerifiedAt time.Time // zero: it is not, and the page is not served there
	CheckedAt  time.Time // zero: never
	DueAt      time.Time // when to look again; zero: never
	FailingAt  time.Time // since when DNS was seen not to say so; zero: it does, or was not asked yet
}

// DomainState is how far the verification of a domain is.
type DomainState string

// The states of a domain.
const (
	NoDomain       DomainState = ""
	DomainPending  DomainState = "pending"  // not seen in DNS yet; looked for again and again
	DomainVerified DomainState = "verified" // the page is served there
	DomainFailing  DomainState = "failing"  // verified and still served, but DNS no longer says so
	DomainFailed   DomainState = "failed"   // not seen for so long that it is looked for rarely
)

// DomainProof is what DNS said that made a domain a page's.
type DomainProof string

// The proofs of a domain. A record with the page's secret is a better one: nobody else can have asked for it.
const (
	NoProof       DomainProof = ""
	ProvenByCNAME DomainProof = "cname"
	ProvenByTXT   DomainProof = "txt"
)

// Lengths of what is made up for a page.
const (
	statusPageIDLength   = 8
	domainSecretLength   = 32
	subscriberKeyLength  = 43 // 256 bits
	statusSlugTailLength = 6
)

// NewStatusPageID returns a new id of a status page, such as "vWbSWr8T".
func NewStatusPageID(source io.Reader) string { return drawString(source, statusPageIDLength) }
