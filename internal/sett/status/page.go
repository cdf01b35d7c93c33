// Package status holds status pages: their settings, components, domains, incidents and subscribers, and the rules about them. From the
// state of sites and check-ins, and from what people change, it derives what a page shows, the incidents that follow, and the reasons why a
// change is refused. As in package sett, the time is an argument, and nothing is read, stored or sent here.
package status

import (
	"io"
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/status/locale"
	"sett/internal/sett/status/logo"
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
	Unlisted      bool            // search engines are asked to stay away
	AutoIncidents bool            // an outage opens an incident
	ResponseTimes bool            // those of its sites are shown
	Language      locale.Language // "" : that of each visitor
	Logo          StatusLogo
}

// StatusLogo is the picture beside the name of a status page.
type StatusLogo struct {
	Name   string   `json:"name"` // of its file; "" for none
	Width  int      `json:"width"`
	Height int      `json:"height"`
	Ink    logo.Ink `json:"ink"`
	Body   []byte   `json:"-"` // only of one that was just uploaded
}

// StatusFeatures are how a status page differs from the plain one. "" is the plain one's.
type StatusFeatures struct {
	HomeLink     string `json:"home_link" doc:"URL that the name of the page links to; empty for none." range:"0,2000" example:"https://example.org"`
	UpCaption    string `json:"up_caption" doc:"Headline when everything is up." range:"0,255" example:"All systems operational"`
	DownCaption  string `json:"down_caption" doc:"Headline when everything is down." range:"0,255"`
	MixedCaption string `json:"mixed_caption" doc:"Headline when only some components are up." range:"0,255"`
	CustomCSS    string `json:"custom_css" doc:"CSS that is added to the page; it cannot load anything from elsewhere." range:"0,20000"`
	AccentColor  string `json:"accent_color,omitempty" doc:"Color of links and buttons; left out for the default. The page uses a darker or lighter shade where the contrast is below 4.5:1." example:"#2f4fa8"`
}

// StatusComponent is a site or a check-in as a status page shows it. One of SiteID and CheckInID is set.
type StatusComponent struct {
	ID          int64 // given by the store; the same for as long as the page shows this site or check-in
	SiteID      sett.UUID
	CheckInID   string
	DisplayName string // "" : the name of the site or check-in
	Description string
	Group       string // "" for none
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

// The proofs of a domain. A record with the page's secret is the stronger proof: only the owner of the page knows it.
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
func NewStatusPageID(source io.Reader) string {
	return sett.RandomStringFrom(source, statusPageIDLength)
}

// Address returns where people find the page, without trailing slash: at its own domain once that is verified, else at the
// server with that base URL.
func (p StatusPage) Address(baseURL string) string {
	if !p.Domain.VerifiedAt.IsZero() {
		return "https://" + p.Domain.Name
	}
	return baseURL + "/status/" + p.Slug
}

// StatusChoice is a site or check-in that a status page of its account can show. One of SiteID and CheckInID is set.
type StatusChoice struct {
	Project   string
	Name      string // its own
	SiteID    sett.UUID
	CheckInID string
}

// IsSite reports whether it is a site, and not a check-in.
func (c StatusChoice) IsSite() bool { return !c.SiteID.IsZero() }

// How long the slug of a status page is, and one that is made of its name, which may be given a tail.
const (
	shortestStatusSlug = 3
	longestStatusSlug  = 60
	longestSlugOfName  = longestStatusSlug - 1 - statusSlugTailLength
)

func (c StatusPageChange) setSlug(p *sett.Problems, page *StatusPage) {
	const field = "slug"
	sett.SetField(p, field, c.Slug, &page.Slug, "")
	foreign := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	switch slug := page.Slug; {
	case slug == "":
	case strings.ContainsFunc(slug, foreign) || strings.HasPrefix(slug, "-") || strings.HasSuffix(slug, "-"):
		p.Add(field, "must be of lower-case letters a-z, digits and hyphens, without a hyphen at an end")
	case len(slug) < shortestStatusSlug || len(slug) > longestStatusSlug:
		p.Add(field, "must have from %d to %d characters", shortestStatusSlug, longestStatusSlug)
	}
}

// StatusSlugs returns what the slug of a page with the name may be, the best first; all but that one have a random tail.
func StatusSlugs(name string) []string {
	const tries = 5
	best := slugOfName(name)
	slugs := []string{best}
	for range tries {
		slugs = append(slugs, best+"-"+strings.ToLower(sett.RandomString(statusSlugTailLength)))
	}
	return slugs
}

func slugOfName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(strings.Join(words, "-")) < shortestStatusSlug {
		words = slices.Insert(words, 0, "status")
	}
	slug := strings.Join(words, "-")
	return strings.TrimRight(slug[:min(len(slug), longestSlugOfName)], "-")
}

// Under returns the page as it is shown while the plan is in force. What the plan does not have stays stored, and is shown
// again once one has it; a domain is in every plan.
func (page StatusPage) Under(p accounts.Plan) StatusPage {
	if !p.CustomStatusPages() {
		page.HideBranding, page.Features, page.Logo = false, StatusFeatures{}, StatusLogo{}
	}
	return page
}

// Written is the language of what is not for one visitor, such as feeds: the one that the owner chose, otherwise English.
func (page StatusPage) Written() locale.Language {
	if page.Language == "" {
		return locale.English
	}
	return page.Language
}
