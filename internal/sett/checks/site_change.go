package checks

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/sett"
)

// What the settings of a site may be at most.
const (
	maxSiteURL            = 2000
	maxSiteMatch          = 255
	maxRequestBody        = 32 << 10 // bytes
	maxRequestHeaders     = 50
	maxRequestHeaderValue = 4 << 10 // bytes
	maxOutageThreshold    = 100
	maxSlowChecks         = 20
	maxTimeout            = int64(MaxProbeTimeout / time.Second)
)

// SiteFrequencies returns how many minutes there may be between two checks.
func SiteFrequencies() []int64 { return []int64{1, 5, 15} }

// SiteChange is the body of a site's create and update: only the fields that were sent change; null resets one to its
// default.
type SiteChange struct {
	Name            sett.Optional[string]        `json:"name,omitzero" doc:"By default the url, without user, password and query." range:"0,255" example:"Shop"`
	URL             sett.Optional[string]        `json:"url,omitzero" doc:"Required when creating. A URL that starts with http:// or https:// makes an HTTP check. As an extension, tcp://host:port makes a TCP check, which succeeds when the port accepts a connection; match_type, match, request_method, request_body, request_headers, validate_ssl and follow_redirects must then be left out or have their defaults." range:"1,2000" null:"no" example:"https://shop.example.org/health"`
	Frequency       sett.Optional[int64]         `json:"frequency,omitzero" doc:"Minutes between checks; 5 by default." enum:"1,5,15"`
	MatchType       sett.Optional[string]        `json:"match_type,omitzero" doc:"What makes a check succeed: a status from 200 to 299 (the default), the status in match, or a page that contains or does not contain the text in match; only the first MiB of a page is read." enum:"success,exact,include,exclude"`
	Match           sett.Optional[string]        `json:"match,omitzero" doc:"A status code or a text, as match_type says; required unless that is success." range:"0,255" example:"200"`
	RequestMethod   sett.Optional[string]        `json:"request_method,omitzero" doc:"GET by default." enum:"GET,POST,PUT,PATCH,DELETE"`
	RequestBody     sett.Optional[string]        `json:"request_body,omitzero" doc:"Sent with each check; at most 32 KiB."`
	RequestHeaders  sett.Optional[[]ProbeHeader] `json:"request_headers,omitzero" doc:"Sent with each check; at most 50."`
	Locations       sett.Optional[[]string]      `json:"locations,omitzero" doc:"The locations that check it; all of them if empty, which is the default." enum:"Virginia,Oregon,Frankfurt,Singapore,London"`
	ValidateSSL     sett.Optional[bool]          `json:"validate_ssl,omitzero" doc:"Whether an invalid certificate fails the check; true by default."`
	OutageThreshold sett.Optional[int64]         `json:"outage_threshold,omitzero" doc:"The number of consecutive failed checks, over all locations, that is an outage; without it, which is the default, half of the locations decide." range:"1,100"`
	Active          sett.Optional[bool]          `json:"active,omitzero" doc:"Whether checks run; true by default."`
	FollowRedirects sett.Optional[bool]          `json:"follow_redirects,omitzero" doc:"As an extension, whether a check follows redirects, up to 10 of them; false by default: a response from 300 to 399 then fails a check that wants a status from 200 to 299."`
	SlowAfter       sett.Optional[int64]         `json:"-"` // milliseconds; the contract has no such field
	SlowChecks      sett.Optional[int64]         `json:"-"`
	Timeout         sett.Optional[int64]         `json:"timeout,omitzero" doc:"Seconds that a check may take, at most half of the frequency; 30 by default." range:"1,120"`

	author SiteAuthor
	kinds  []SiteKind // see Among
}

// Apply returns the settings with the change made, or an Invalid error that names every field that is wrong. A name that
// no user has chosen follows the URL.
func (c SiteChange) Apply(s SiteSettings) (SiteSettings, error) {
	var p sett.Problems
	if c.kinds == nil {
		c.kinds = []SiteKind{HTTPSites()}
	}
	unnamed := s.Name == nameOfURL(s.URL)
	old := s
	c.set(&p, &s)
	c.unmask(&p, &s, old)
	c.checkReserved(&p, s)
	if unnamed && !c.Name.Sent || s.Name == "" {
		s.Name = nameOfURL(s.URL)
	}
	if c.URL.Bad == "" {
		c.checkURL(&p, s.URL)
		if kind, ok := c.kindOf(s.URL); ok {
			kind.checkKind(&p, s)
		}
	}
	sett.CheckText(&p, "name", s.Name, sett.LongestName)
	checkFrequency(&p, s)
	checkMatch(&p, s, c.Match.Bad == "")
	checkRequest(&p, s)
	if n := c.OutageThreshold.Or(1); c.OutageThreshold.Bad == "" && (n < 1 || n > maxOutageThreshold) {
		p.Add("outage_threshold", "must be from 1 to %d, or null", maxOutageThreshold)
	}
	c.checkSlow(&p, s)
	return s, p.Refusal()
}

// checkSlow passes over a limit that was not sent: what only changes the timeout need not know of it.
func (c SiteChange) checkSlow(p *sett.Problems, s SiteSettings) {
	if after := c.SlowAfter; after.Sent && !after.Null && after.Bad == "" && (s.SlowAfter <= 0 || s.SlowAfter >= s.Timeout) {
		p.Add("slow_after", "must be from 1 to %d, which is less than the timeout; leave it empty for no alert", s.Timeout.Milliseconds()-1)
	}
	if c.SlowChecks.Sent && c.SlowChecks.Bad == "" && (s.SlowChecks < 1 || s.SlowChecks > maxSlowChecks) {
		p.Add("slow_checks", "must be from 1 to %d", maxSlowChecks)
	}
}

// set takes over what was sent.
func (c SiteChange) set(p *sett.Problems, s *SiteSettings) {
	fresh := NewSiteSettings()
	sett.SetField(p, "url", c.URL, &s.URL, fresh.URL)
	sett.SetField(p, "name", c.Name, &s.Name, fresh.Name)
	s.Name = strings.TrimSpace(s.Name)
	sett.SetField(p, "frequency", c.Frequency, &s.Frequency, fresh.Frequency)
	s.Locations = setLocations(p, c.Locations, s.Locations)
	sett.SetField(p, "outage_threshold", c.OutageThreshold, &s.OutageThreshold, fresh.OutageThreshold)
	after := s.SlowAfter.Milliseconds()
	sett.SetField(p, "slow_after", c.SlowAfter, &after, fresh.SlowAfter.Milliseconds())
	s.SlowAfter = time.Duration(min(max(after, 0), MaxProbeTimeout.Milliseconds())) * time.Millisecond // see checkSlow
	sett.SetField(p, "slow_checks", c.SlowChecks, &s.SlowChecks, fresh.SlowChecks)
	sett.SetField(p, "active", c.Active, &s.Active, fresh.Active)
	for _, f := range c.ofSomeKinds(s) {
		f.set(p)
	}
	timeout := int64(s.Timeout / time.Second)
	sett.SetField(p, "timeout", c.Timeout, &timeout, int64(fresh.Timeout/time.Second))
	s.Timeout = time.Duration(min(max(timeout, 0), maxTimeout+1)) * time.Second // see checkFrequency
}

// kindField is a setting that only sites of some kinds have, under its name in the API.
type kindField struct {
	name    string
	set     func(*sett.Problems) // takes over what was sent
	changed func() bool          // reports whether it has another value than its default
}

// ofSomeKinds lists the settings that only sites of some kinds have.
func (c SiteChange) ofSomeKinds(s *SiteSettings) []kindField {
	fresh := NewSiteSettings()
	headers := settingOf("request_headers", c.RequestHeaders, &s.Headers, fresh.Headers)
	headers.changed = func() bool { return len(s.Headers) > 0 }
	return []kindField{
		settingOf("follow_redirects", c.FollowRedirects, &s.FollowRedirects, fresh.FollowRedirects),
		settingOf("match", c.Match, &s.Match, fresh.Match),
		settingOf("match_type", c.MatchType, (*string)(&s.MatchType), string(fresh.MatchType)),
		settingOf("request_body", c.RequestBody, &s.Body, fresh.Body),
		headers,
		settingOf("request_method", c.RequestMethod, &s.Method, fresh.Method),
		settingOf("validate_ssl", c.ValidateSSL, &s.ValidateSSL, fresh.ValidateSSL),
	}
}

func settingOf[T any](name string, sent sett.Optional[T], value *T, fresh T) kindField {
	return kindField{
		name, func(p *sett.Problems) { sett.SetField(p, name, sent, value, fresh) }, func() bool { return !reflect.DeepEqual(*value, fresh) },
	}
}

// nameOfURL is the name of a site that was given none: its address without what may be a secret.
func nameOfURL(address string) string {
	if u, err := url.Parse(address); err == nil && (u.User != nil || u.RawQuery != "" || u.Fragment != "") {
		u.User, u.RawQuery, u.Fragment = nil, "", ""
		address = u.String()
	}
	if runes := []rune(address); len(runes) > sett.LongestName {
		return string(runes[:sett.LongestName])
	}
	return address
}

// setLocations returns the locations that were sent, each once, or those from before.
func setLocations(p *sett.Problems, sent sett.Optional[[]string], before []Location) (after []Location) {
	var names []string
	if sett.SetField(p, "locations", sent, &names, nil); !sent.Sent || sent.Bad != "" {
		return before
	}
	for _, name := range names {
		l, err := ParseLocation(name)
		if err != nil {
			p.Add("locations", "must be some of %s; %q is none of them", locationNames(), name)
			return before
		}
		if !slices.Contains(after, l) {
			after = append(after, l)
		}
	}
	return after
}

// CheckURL checks the address of something that speaks HTTP: a site or a webhook.
func CheckURL(p *sett.Problems, address string) {
	SiteChange{kinds: []SiteKind{HTTPSites()}}.checkURL(p, address)
}

func (c SiteChange) checkURL(p *sett.Problems, address string) {
	if address == "" {
		p.Add("url", "can't be blank")
		return
	}
	sett.CheckText(p, "url", address, maxSiteURL)
	u, err := url.Parse(address)
	kind, known := c.kindOf(address)
	switch {
	case strings.ContainsFunc(address, sett.IsSpaceOrControl):
		p.Add("url", "must not contain spaces; write one as %%20")
	case err != nil && known && strings.Contains(address, "://"):
		p.Add("url", "is not a valid URL; write it like %s", kind.Example)
	case err != nil || u.Opaque != "" || !known:
		p.Add("url", "must be a URL that starts with %s", c.starts())
	case u.Hostname() == "":
		p.Add("url", "must name a host, such as %s", kind.Example)
	case kind.CheckURL != nil && kind.CheckURL(u) != "":
		p.Add("url", "%s", kind.CheckURL(u))
	case !sett.IsPort(u.Port()) || strings.HasSuffix(u.Host, ":"):
		p.Add("url", "must have no port, or one from 1 to 65535")
	case sett.HostProblem(u.Hostname()) != "":
		p.Add("url", "%s", sett.HostProblem(u.Hostname()))
	}
}

func checkFrequency(p *sett.Problems, s SiteSettings) {
	most := MaxProbeTimeout
	if slices.Contains(SiteFrequencies(), s.Frequency) {
		most = min(most, s.Interval()/2)
	} else {
		p.Add("frequency", "is not included in the list: 1, 5, 15")
	}
	if s.Timeout < time.Second || s.Timeout > most {
		p.Add("timeout", "must be from 1 to %d seconds%s", most/time.Second, map[bool]string{true: ", half of the frequency"}[most < MaxProbeTimeout])
	}
}

// checkMatch passes over a match that could not be read: what is wrong with it is said.
func checkMatch(p *sett.Problems, s SiteSettings, readable bool) {
	if !slices.Contains([]MatchType{MatchSuccess, MatchExact, MatchInclude, MatchExclude}, s.MatchType) {
		p.Add("match_type", "is not included in the list: success, exact, include, exclude")
	}
	if !readable {
		return
	}
	sett.CheckText(p, "match", s.Match, maxSiteMatch)
	switch status, err := strconv.Atoi(s.Match); {
	case s.MatchType.JudgesText() && s.Match == "":
		p.Add("match", "can't be blank when match_type is %s", s.MatchType)
	case s.MatchType == MatchExact && (err != nil || status < 100 || len(s.Match) != 3):
		p.Add("match", "must be a status code from 100 to 999 when match_type is exact")
	}
}

func checkRequest(p *sett.Problems, s SiteSettings) {
	if !slices.Contains(ProbeMethods(), s.Method) {
		p.Add("request_method", "is not included in the list: %s", strings.Join(ProbeMethods(), ", "))
	}
	if len(s.Body) > maxRequestBody {
		p.Add("request_body", "is too long (maximum is %d bytes)", maxRequestBody)
	}
	if strings.ContainsRune(s.Body, 0) {
		p.Add("request_body", "must not contain the character U+0000")
	}
	if len(s.Headers) > maxRequestHeaders {
		p.Add("request_headers", "are too many (maximum is %d)", maxRequestHeaders)
	}
	for i, h := range s.Headers {
		if says := h.Problem(); says != "" {
			p.Add(fmt.Sprintf("request_headers[%d]", i), "%s", says)
		}
	}
}
