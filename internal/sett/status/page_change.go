package status

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/status/locale"
	"sett/internal/sett/status/logo"
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
	Name          sett.Optional[string]                `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Shop"`
	Slug          sett.Optional[string]                `json:"slug,omitzero" doc:"The page's part of its URL: 3 to 60 of a-z, 0-9 and -, without - at either end, and unique on the server. By default, and when it is reset, derived from the name." range:"0,60" example:"shop"`
	Domain        sett.Optional[string]                `json:"domain,omitzero" doc:"A custom domain, without scheme, port and path; a non-ASCII one as punycode. sett checks DNS for a new domain until it finds its records, and serves the page there from then on." range:"0,247" example:"status.example.org"`
	Sites         sett.Optional[[]StatusSiteChange]    `json:"sites,omitzero" doc:"The sites that the page shows; they replace the earlier ones. The default position of an entry is its index in the list, starting at 0; entries are sorted by position, and entries with the same position in the order of the list. Sites come before check-ins; at most 100 of both together."`
	CheckIns      sett.Optional[[]StatusCheckInChange] `json:"check_ins,omitzero" doc:"The check-ins that the page shows, like sites."`
	HideBranding  sett.Optional[sett.LenientBool]      `json:"hide_branding,omitzero" doc:"Hides “Powered by” on the page. True needs the Team plan."`
	Features      sett.Optional[StatusFeaturesChange]  `json:"features,omitzero" doc:"Customisations of the page: only the keys that are sent change. It needs the Team plan."`
	Unlisted      sett.Optional[sett.LenientBool]      `json:"search_engine_indexing_disabled,omitzero" doc:"Asks search engines not to index the page; false by default."`
	AutoIncidents sett.Optional[sett.LenientBool]      `json:"automatic_incidents,omitzero" doc:"Open and close incidents automatically with outages; false by default."`
	ResponseTimes sett.Optional[sett.LenientBool]      `json:"response_times,omitzero" doc:"Shows the average response time of each site, by the hour over 24 hours; false by default."`
	Language      sett.Optional[string]                `json:"language,omitzero" doc:"Language of all that sett writes on the page: en, de, fr, es, pt or ja. Null, the default, is the language of each visitor’s browser." enum:"en,de,fr,es,pt,ja" example:"de"`
	Logo          sett.Optional[string]                `json:"logo,omitzero" doc:"An image in base64: PNG, JPEG or WebP, at most 512 KiB and 4 million pixels. It is stored at up to 640 × 160 pixels, without metadata. Null, the default, removes it. It needs the Team plan." range:"0,700000"`
	Password      sett.Optional[string]                `json:"password,omitzero" doc:"The password that visitors need to see the page; it is never returned. Null, the default, makes the page public." range:"8,200"`

	PasswordHash string `json:"-"` // of Password, computed by the caller; see NewPassword

	image      logo.Image // of Logo; see Prepare
	imageWrong error
}

// StatusFeaturesChange is the change of a page's features.
type StatusFeaturesChange struct {
	HomeLink     sett.Optional[string] `json:"home_link,omitzero" doc:"URL that the name of the page links to; starts with http:// or https://." range:"0,2000" example:"https://example.org"`
	UpCaption    sett.Optional[string] `json:"up_caption,omitzero" doc:"Headline when everything is up." range:"0,255" example:"All systems operational"`
	DownCaption  sett.Optional[string] `json:"down_caption,omitzero" doc:"Headline when everything is down." range:"0,255"`
	MixedCaption sett.Optional[string] `json:"mixed_caption,omitzero" doc:"Headline when only some components are up." range:"0,255"`
	AccentColor  sett.Optional[string] `json:"accent_color,omitzero" doc:"Color of links and buttons. The page uses a darker or lighter shade of it where its contrast is below 4.5:1, in light and in dark." example:"#2f4fa8"`
	CustomCSS    sett.Optional[string] `json:"custom_css,omitzero" doc:"CSS that is added to the page, at most 20,000 bytes; without @import, without <, and with url() only for data:image/." range:"0,20000" example:"h1 { color: teal }"`

	unknown []string // keys that there are not
}

// StatusPageRules are what a server lets status pages have.
type StatusPageRules struct {
	Plan  accounts.Plan
	Hosts []string // of the server itself, lower case: they are no page's
}

// NewPassword returns the password that the change sets, which is to be hashed, or "".
func (c StatusPageChange) NewPassword() string {
	n := utf8.RuneCountInString(c.Password.Value)
	if n < shortestPagePassword || n > longestPagePassword || !strings.ContainsFunc(c.Password.Value, sett.IsVisible) {
		return ""
	}
	return c.Password.Value
}

// Apply returns the page with the change made, and notes every field that is wrong in p; known are those of the sites and
// check-ins that the change names which belong to the account of the page. A page without a slug is to be given one.
func (c StatusPageChange) Apply(p *sett.Problems, page StatusPage, rules StatusPageRules, known KnownComponents, now time.Time) StatusPage {
	sett.SetName(p, c.Name, &page.Name)
	c.setSlug(p, &page)
	page.Domain = c.domain(p, page.Domain, rules.Hosts, now)
	page.Components = c.components(p, page.Components, known)
	setLenient(p, "hide_branding", c.HideBranding, &page.HideBranding)
	page.Features = c.features(p, page.Features)
	c.checkPlan(p, rules.Plan)
	setLenient(p, "search_engine_indexing_disabled", c.Unlisted, &page.Unlisted)
	setLenient(p, "automatic_incidents", c.AutoIncidents, &page.AutoIncidents)
	setLenient(p, "response_times", c.ResponseTimes, &page.ResponseTimes)
	c.setLanguage(p, &page)
	c.setLogo(p, &page)
	c.setPassword(p, &page)
	page.UpdatedAt = now
	return page
}

// setLenient applies a boolean that is false by default.
func setLenient(p *sett.Problems, field string, o sett.Optional[sett.LenientBool], dst *bool) {
	value := sett.LenientBool(*dst)
	sett.SetField(p, field, o, &value, false)
	*dst = bool(value)
}

// checkPlan refuses what the plan does not have. What is switched off is no use of it.
func (c StatusPageChange) checkPlan(p *sett.Problems, plan accounts.Plan) {
	if plan.CustomStatusPages() {
		return
	}
	if c.HideBranding.Value {
		p.Add("hide_branding", "needs the Team plan or one above it")
	}
	if c.Logo.Value != "" {
		p.Add("logo", "needs the Team plan or one above it")
	}
	if c.Features.Value.used() {
		p.Add("features", "need the Team plan or one above it")
	}
}

func (c StatusPageChange) setLanguage(p *sett.Problems, page *StatusPage) {
	language := string(page.Language)
	sett.SetField(p, "language", c.Language, &language, "")
	if language != "" && !locale.Known(language) {
		p.Add("language", "must be one of %s", alerts.NotOneOf(locale.Codes(), language))
		return
	}
	page.Language = locale.Language(language)
}

// Prepare reads the logo that the change sets. That takes a moment, so it is not part of Apply, which runs in a transaction.
func (c StatusPageChange) Prepare() StatusPageChange {
	if c.Logo.Value == "" {
		return c
	}
	data, err := base64.StdEncoding.DecodeString(c.Logo.Value)
	if err != nil {
		c.imageWrong = errors.New("must be an image in base64")
		return c
	}
	c.image, c.imageWrong = logo.Read(data)
	return c
}

func (c StatusPageChange) setLogo(p *sett.Problems, page *StatusPage) {
	switch {
	case c.Logo.Null:
		page.Logo = StatusLogo{}
	case !sett.Check(p, "logo", c.Logo):
	case c.Logo.Value == "":
		page.Logo = StatusLogo{}
	case c.imageWrong != nil:
		p.Add("logo", "%s", c.imageWrong.Error())
	default:
		page.Logo = StatusLogo{c.image.Name, c.image.Width, c.image.Height, c.image.Ink, c.image.Body}
	}
}

func (c StatusPageChange) setPassword(p *sett.Problems, page *StatusPage) {
	switch {
	case c.Password.Null:
		page.PasswordHash, page.PasswordKey = "", nil
	case !sett.Check(p, "password", c.Password):
	case c.NewPassword() == "":
		p.Add("password", "must have from %d to %d characters, and not only spaces; null removes it", shortestPagePassword, longestPagePassword)
	default:
		page.PasswordHash, page.PasswordKey = c.PasswordHash, make([]byte, pagePasswordKey)
		rand.Read(page.PasswordKey)
	}
}

func (c StatusPageChange) features(p *sett.Problems, f StatusFeatures) StatusFeatures {
	if c.Features.Null {
		return StatusFeatures{}
	}
	if !sett.Check(p, "features", c.Features) {
		return f
	}
	sent := c.Features.Value
	for _, name := range sent.unknown {
		p.Add("features", "must be some of %s", alerts.NotOneOf(featureNames(), name))
	}
	sett.SetField(p, "features.home_link", sent.HomeLink, &f.HomeLink, "")
	sett.CheckLink(p, "features.home_link", f.HomeLink, maxStatusHomeLink)
	for _, caption := range []struct {
		field string
		sent  sett.Optional[string]
		dst   *string
	}{
		{"features.up_caption", sent.UpCaption, &f.UpCaption},
		{"features.down_caption", sent.DownCaption, &f.DownCaption},
		{"features.mixed_caption", sent.MixedCaption, &f.MixedCaption},
	} {
		sett.SetField(p, caption.field, caption.sent, caption.dst, "")
		sett.CheckText(p, caption.field, *caption.dst, maxStatusCaption)
	}
	sett.SetField(p, "features.accent_color", sent.AccentColor, &f.AccentColor, "")
	f.AccentColor = checkAccent(p, "features.accent_color", f.AccentColor)
	sett.SetField(p, "features.custom_css", sent.CustomCSS, &f.CustomCSS, "")
	checkCustomCSS(p, "features.custom_css", f.CustomCSS)
	return f
}

// featureNames returns the keys of a page's features.
func featureNames() []string {
	return []string{"home_link", "up_caption", "down_caption", "mixed_caption", "custom_css", "accent_color"}
}

// UnmarshalJSON records unknown keys, so that a misspelled key is refused and not ignored.
func (f *StatusFeaturesChange) UnmarshalJSON(data []byte) error {
	type fields StatusFeaturesChange // without this method
	if err := json.Unmarshal(data, (*fields)(f)); err != nil {
		return err
	}
	f.unknown = sett.UnknownKeys(data, featureNames())
	return nil
}

// used reports whether any feature is given a value.
func (f StatusFeaturesChange) used() bool {
	return f.HomeLink.Value+f.UpCaption.Value+f.DownCaption.Value+f.MixedCaption.Value+f.CustomCSS.Value+f.AccentColor.Value != ""
}

// maxCustomCSS is how long custom styles are at most, in bytes.
const maxCustomCSS = 20_000

// checkCustomCSS notes what keeps styles from being added to a page: they must load nothing and end nothing. Comments and
// strings are looked at as all else is, so that nothing can hide in what only looks like one.
func checkCustomCSS(p *sett.Problems, field, css string) {
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
