package sett

import (
	"crypto/rand"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// What a status page may have at most, and an account of them.
const (
	MaxStatusPages       = 100
	maxStatusComponents  = 100
	shortestPagePassword = 8
	longestPagePassword  = 200
	pagePasswordKey      = 32 // bytes
	maxStatusHomeLink    = 2000
	maxStatusCaption     = 255
)

// StatusPageChange is the body of a status page's create and update: only the fields that were sent change; null resets
// one to its default. Each of the two lists is replaced as a whole.
type StatusPageChange struct {
	Name          Optional[string]                `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Shop"`
	Slug          Optional[string]                `json:"slug,omitzero" doc:"The page's part of its URL: 3 to 60 of a-z, 0-9 and -, without - at either end, and unique on the server. By default, and when it is reset, derived from the name." range:"0,60" example:"shop"`
	Domain        Optional[string]                `json:"domain,omitzero" doc:"A custom domain, without scheme, port and path; a non-ASCII one as punycode. sett checks DNS for a new domain until it finds its records, and serves the page there from then on." range:"0,247" example:"status.example.org"`
	Sites         Optional[[]StatusSiteChange]    `json:"sites,omitzero" doc:"The sites that the page shows; they replace the earlier ones. The default position of an entry is its index in the list, starting at 0; entries are sorted by position, and entries with the same position in the order of the list. Sites come before check-ins; at most 100 of both together."`
	CheckIns      Optional[[]StatusCheckInChange] `json:"check_ins,omitzero" doc:"The check-ins that the page shows, like sites."`
	HideBranding  Optional[LenientBool]           `json:"hide_branding,omitzero" doc:"Hides “Powered by” on the page. True needs the Team plan."`
	Features      Optional[StatusFeaturesChange]  `json:"features,omitzero" doc:"Customisations of the page: only the keys that are sent change. It needs the Team plan."`
	Unlisted      Optional[LenientBool]           `json:"search_engine_indexing_disabled,omitzero" doc:"Asks search engines not to index the page; false by default."`
	AutoIncidents Optional[LenientBool]           `json:"automatic_incidents,omitzero" doc:"Open and close incidents automatically with outages; false by default."`
	Password      Optional[string]                `json:"password,omitzero" doc:"The password that visitors need to see the page; it is never returned. Null, the default, makes the page public." range:"8,200"`

	PasswordHash string `json:"-"` // of Password, as whoever knows how to hash has made it; see NewPassword
}

// StatusFeaturesChange is the change of a page's features.
type StatusFeaturesChange struct {
	HomeLink     Optional[string] `json:"home_link,omitzero" doc:"URL that the name of the page links to; starts with http:// or https://." range:"0,2000" example:"https://example.org"`
	UpCaption    Optional[string] `json:"up_caption,omitzero" doc:"Headline when everything is up." range:"0,255" example:"All systems are working"`
	DownCaption  Optional[string] `json:"down_caption,omitzero" doc:"Headline when everything is down." range:"0,255"`
	MixedCaption Optional[string] `json:"mixed_caption,omitzero" doc:"Headline when only some components are up." range:"0,255"`
	CustomCSS    Optional[string] `json:"custom_css,omitzero" doc:"CSS that is added to the page, at most 20,000 bytes; without @import, without <, and with url() only for data:image/." range:"0,20000" example:"h1 { color: teal }"`

	unknown []string // keys that there are not
}

// StatusPageRules are what a server lets status pages have.
type StatusPageRules struct {
	Plan  Plan
	Hosts []string // of the server itself, lower case: they are no page's
}

// NewPassword returns the password that the change sets, which is to be hashed, or "".
func (c StatusPageChange) NewPassword() string {
	n := utf8.RuneCountInString(c.Password.Value)
	if n < shortestPagePassword || n > longestPagePassword || !strings.ContainsFunc(c.Password.Value, isSeen) {
		return ""
	}
	return c.Password.Value
}

// Apply returns the page with the change made, and notes every field that is wrong in p; known are those of the sites and
// check-ins that the change names which belong to the account of the page. A page without a slug is to be given one.
func (c StatusPageChange) Apply(p *Problems, page StatusPage, rules StatusPageRules, known KnownComponents, now time.Time) StatusPage {
	setName(p, c.Name, &page.Name)
	c.setSlug(p, &page)
	page.Domain = c.domain(p, page.Domain, rules.Hosts, now)
	page.Components = c.components(p, page.Components, known)
	setLenient(p, "hide_branding", c.HideBranding, &page.HideBranding)
	page.Features = c.features(p, page.Features)
	c.checkPlan(p, rules.Plan)
	setLenient(p, "search_engine_indexing_disabled", c.Unlisted, &page.Unlisted)
	setLenient(p, "automatic_incidents", c.AutoIncidents, &page.AutoIncidents)
	c.setPassword(p, &page)
	page.UpdatedAt = now
	return page
}

// setLenient applies a boolean that is false by default.
func setLenient(p *Problems, field string, o Optional[LenientBool], dst *bool) {
	value := LenientBool(*dst)
	set(p, field, o, &value, false)
	*dst = bool(value)
}

// checkPlan refuses what the plan does not have. What is switched off is no use of it.
func (c StatusPageChange) checkPlan(p *Problems, plan Plan) {
	if plan.CustomStatusPages() {
		return
	}
	if c.HideBranding.Value {
		p.Add("hide_branding", "needs the Team plan or one above it")
	}
	if c.Features.Value.used() {
		p.Add("features", "need the Team plan or one above it")
	}
}

func (c StatusPageChange) setPassword(p *Problems, page *StatusPage) {
	switch {
	case c.Password.Null:
		page.PasswordHash, page.PasswordKey = "", nil
	case !Check(p, "password", c.Password):
	case c.NewPassword() == "":
		p.Add("password", "must have from %d to %d characters, and not only spaces; null removes it", shortestPagePassword, longestPagePassword)
	default:
		page.PasswordHash, page.PasswordKey = c.PasswordHash, make([]byte, pagePasswordKey)
		rand.Read(page.PasswordKey) //nolint:errcheck // never fails (crypto/rand since Go 1.24)
	}
}

func (c StatusPageChange) features(p *Problems, f StatusFeatures) StatusFeatures {
	if c.Features.Null {
		return StatusFeatures{}
	}
	if !Check(p, "features", c.Features) {
		return f
	}
	sent := c.Features.Value
	for _, name := range sent.unknown {
		p.Add("features", "must be some of %s", noneOf(featureNames(), name))
	}
	set(p, "features.home_link", sent.HomeLink, &f.HomeLink, "")
	checkHomeLink(p, f.HomeLink)
	for _, caption := range []struct {
		field string
		sent  Optional[string]
		dst   *string
	}{
		{"features.up_caption", sent.UpCaption, &f.UpCaption},
		{"features.down_caption", sent.DownCaption, &f.DownCaption},
		{"features.mixed_caption", sent.MixedCaption, &f.MixedCaption},
	} {
		set(p, caption.field, caption.sent, caption.dst, "")
		checkText(p, caption.field, *caption.dst, maxStatusCaption)
	}
	set(p, "features.custom_css", sent.CustomCSS, &f.CustomCSS, "")
	checkCustomCSS(p, "features.custom_css", f.CustomCSS)
	return f
}

func checkHomeLink(p *Problems, address string) {
	const field = "features.home_link"
	if address == "" {
		return
	}
	checkText(p, field, address, maxStatusHomeLink)
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsFunc(address, isSpaceOrControl):
		p.Add(field, "must be a URL that starts with http:// or https:// and has no spaces")
	case u.User != nil:
		p.Add(field, "must not have a user or a password before its host: everybody can see it")
	case !isPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		p.Add(field, "must have no port, or one from 1 to 65535")
	}
}

// featureNames returns the keys of a page's features.
func featureNames() []string {
	return []string{"home_link", "up_caption", "down_caption", "mixed_caption", "custom_css"}
}

// UnmarshalJSON notes keys that there are not: whoever misspells one would look for its effect in vain.
func (f *StatusFeaturesChange) UnmarshalJSON(data []byte) error {
	type fields StatusFeaturesChange // without this method
	if err := json.Unmarshal(data, (*fields)(f)); err != nil {
		return err
	}
	f.unknown = unknownKeys(data, featureNames())
	return nil
}

// used reports whether any feature is given a value.
func (f StatusFeaturesChange) used() bool {
	return f.HomeLink.Value+f.UpCaption.Value+f.DownCaption.Value+f.MixedCaption.Value+f.CustomCSS.Value != ""
}

// maxCustomCSS is how long custom styles are at most, in bytes.
const maxCustomCSS = 20_000

// checkCustomCSS notes what keeps styles from being added to a page: they must load nothing and end nothing. Comments and
// strings are looked at as all else is, so that nothing can hide in what only looks like one.
func checkCustomCSS(p *Problems, field, css string) {
	if len(css) > maxCustomCSS {
		p.Add(field, "is too long (maximum is %d bytes)", maxCustomCSS)
		return
	}
	if strings.Contains(css, "<") {
		p.Add(field, "must not contain the character <")
	}
	for _, text := range []string{strings.ToLower(css), strings.ToLower(withoutEscapes(css))} {
		if says := cssProblem(text); says != "" {
			p.Add(field, "%s", says)
			return
		}
	}
}

// cssProblem says what in styles, in lower case, could load something from elsewhere, or returns "".
func cssProblem(css string) string {
	if strings.Contains(css, "@import") {
		return "must not contain @import: put the styles themselves here"
	}
	for _, function := range []string{"image-set(", "image(", "src(", "cross-fade(", "expression("} {
		if strings.Contains(css, function) {
			return "must not contain " + function + "): use url() with data:image/"
		}
	}
	for rest := css; ; {
		_, after, found := strings.Cut(rest, "url(")
		if !found {
			return ""
		}
		rest = after
		if !strings.HasPrefix(strings.TrimLeft(after, " \t\r\n\f\"'"), "data:image/") {
			return "must not contain url() with anything but data:image/…: nothing may be loaded from elsewhere"
		}
	}
}

// withoutEscapes returns styles with every escape replaced by what it stands for (CSS Syntax Level 3 §4.3.7).
func withoutEscapes(css string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(css, `\`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		digits := 0
		for digits < min(6, len(after)) && strings.IndexByte("0123456789abcdefABCDEF", after[digits]) >= 0 {
			digits++
		}
		if digits == 0 {
			css = after // the next character stands for itself
			continue
		}
		if code, err := strconv.ParseUint(after[:digits], 16, 32); err == nil {
			b.WriteRune(rune(code))
		}
		css = after[digits:]
		if css != "" && strings.IndexByte(" \t\r\n\f", css[0]) >= 0 {
			css = css[1:]
		}
	}
}
