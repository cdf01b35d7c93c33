package uptime

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/monitor/probe"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/web"
)

// siteForm is the form that creates or edits a site.
type siteForm struct {
	web.Shell
	Action    string // path of the form
	Preview   string // path of the preview
	Cancel    string
	Button    string
	Kinds     []kindTab // for a new site
	Kind      string    // type of the kind whose settings the form shows
	Summary   string    // title of Request
	Fields    web.Fields
	Request   web.Fields // settings that few people change
	Locations []locationTick
	Rule      string
	Wrong     string // problem of the locations
}

// locationTick is the checkbox of a location.
type locationTick struct {
	Location checks.Location
	Label    string
	On       bool
	Idle     bool // no agent or server checks from there at the moment
}

// kindTab links to the form of a kind of sites.
type kindTab struct {
	Name, Path string
	On         bool
}

// kindOf returns the kind that the URL of a form belongs to. Without a usable URL it is the one that the form was shown for.
func kindOf(form url.Values) probe.Kind {
	if kind, ok := probe.Find(strings.TrimSpace(form.Get("url"))); ok {
		return kind
	}
	return shownKind(form)
}

// shownKind returns the kind that a form was shown for.
func shownKind(form url.Values) probe.Kind {
	if kind, ok := probe.OfType(form.Get("check_type")); ok {
		return kind
	}
	return probe.Kinds()[0]
}

// complete returns a form with the defaults of the settings that it did not show, because its kind of sites has none of them.
func complete(form url.Values) url.Values {
	form, kind := maps.Clone(form), shownKind(form)
	for name, values := range valuesOfSite(checks.NewSiteSettings()) {
		if !form.Has(name) && !kind.Has(name) {
			form[name] = values
		}
	}
	if address := strings.TrimSpace(form.Get("url")); address != "" && !strings.Contains(address, "://") {
		scheme := kind.Schemes[0]
		if slices.Contains(kind.Schemes, "https") {
			scheme = "https"
		}
		form.Set("url", scheme+"://"+address)
	}
	return form
}

// ofKind returns the fields of settings that a kind of sites has, and of those that it does not have but that a form sets, so
// that people can reset them.
func ofKind(kind probe.Kind, form url.Values, fields web.Fields) (shown web.Fields) {
	defaults := valuesOfSite(checks.NewSiteSettings())
	for _, f := range fields {
		set := form.Get(f.Name) != "" && form.Get(f.Name) != defaults.Get(f.Name)
		if kind.Has(f.Name) || set {
			shown = append(shown, f)
		}
	}
	return shown
}

// siteFields returns the fields of the form.
func siteFields(kind probe.Kind, form url.Values) (fields, request web.Fields) {
	frequencies := []string{}
	for _, minutes := range checks.SiteFrequencies() {
		label := "Every minute"
		if minutes > 1 {
			label = fmt.Sprintf("Every %d minutes", minutes)
		}
		frequencies = append(frequencies, strconv.FormatInt(minutes, 10), label)
	}
	methods := []string{}
	for _, m := range checks.ProbeMethods() {
		methods = append(methods, m, m)
	}
	text := func(name, label, kind, hint string, optional bool) web.Field {
		return web.Field{Name: name, Label: label, Kind: kind, Value: form.Get(name), Hint: hint, Optional: optional}
	}
	choice := func(name, label string, pairs ...string) web.Field {
		return web.Field{Name: name, Label: label, Value: form.Get(name), Choices: web.Choices(pairs...)}
	}
	tick := func(name, label, hint string) web.Field {
		return web.Field{Name: name, Label: label, Kind: "tick", Hint: hint, On: form.Get(name) == "true"}
	}
	body := text("request_body", "Request body", "area", "At most 32 KiB. Visible only to people who can manage the project. ******** keeps the current body.", true)
	headers := text("request_headers", "Request headers", "area", "One per line, for example Accept: text/html. Secret values are visible only to people who can manage the project. ******** keeps the current value.", true)
	body.Code, headers.Code = true, true
	main := web.Fields{
		text("url", kind.Label, kind.Input, kind.Hint, false),
		text("name", "Name", "text", "Defaults to the URL.", true),
		choice("frequency", "Frequency", frequencies...),
		choice("match_type", "A check succeeds when", "success", "the status is 200–299", "exact", "the status is", "include", "the page contains the text", "exclude", "the page does not contain the text"),
		text("match", "Status or text", "text", "A status code such as 204, or the text. Not used for 200–299.", true),
		text("outage_threshold", "Failed checks in a row", "number", "Report an outage after this many failed checks in a row. Default: when half the locations fail.", true),
		text("slow_after", "Alert when slower than (ms)", "number", "A site that answers more slowly is slow, not down. Leave empty for no alert.", true),
		text("slow_checks", "Slow checks in a row", "number", "Report the site as slow after this many, and as fast again after as many fast ones. Default: 3.", true),
		tick("active", "Check this site", "Turn off to pause checks."),
	}
	more := web.Fields{
		choice("request_method", "Request method", methods...), headers, body,
		text("timeout", "Timeout", "number", "Seconds that a check may take. At most half of the frequency.", false),
		tick("validate_ssl", "Fail the check if the certificate is not valid", ""),
		tick("follow_redirects", "Follow redirects", fmt.Sprintf("Up to %d. If off, a redirect fails a check that wants 200–299.", checks.MaxRedirects)),
	}
	return ofKind(kind, form, main), ofKind(kind, form, more)
}

// valuesOfSite returns the settings of a site as form values.
func valuesOfSite(s checks.SiteSettings) url.Values {
	form := url.Values{
		"url": {s.URL}, "name": {s.Name}, "frequency": {strconv.FormatInt(s.Frequency, 10)}, "match_type": {string(s.MatchType)},
		"match": {s.Match}, "request_method": {s.Method}, "request_body": {s.Body}, "request_headers": {headerLines(s.Headers)},
		"timeout": {strconv.FormatInt(int64(s.Timeout/time.Second), 10)}, "active": {strconv.FormatBool(s.Active)}, "validate_ssl": {strconv.FormatBool(s.ValidateSSL)},
		"follow_redirects": {strconv.FormatBool(s.FollowRedirects)},
	}
	for _, l := range s.Locations {
		form.Add("locations", string(l))
	}
	if s.SlowAfter > 0 {
		form.Set("slow_after", strconv.FormatInt(s.SlowAfter.Milliseconds(), 10))
	}
	if s.SlowChecks != checks.NewSiteSettings().SlowChecks {
		form.Set("slow_checks", strconv.FormatInt(s.SlowChecks, 10))
	}
	if s.OutageThreshold > 0 {
		form.Set("outage_threshold", strconv.FormatInt(s.OutageThreshold, 10))
	}
	return form
}

func headerLines(headers []checks.ProbeHeader) string {
	var lines []string
	for _, h := range headers {
		lines = append(lines, h.Key+": "+h.Value)
	}
	return strings.Join(lines, "\n")
}

// readHeaders is the inverse of headerLines. A line without a colon is a header without a value.
func readHeaders(text string) (headers []checks.ProbeHeader) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			key, value, _ := strings.Cut(line, ":")
			headers = append(headers, checks.ProbeHeader{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)})
		}
	}
	return headers
}

// siteChange returns the change of a form. An empty field resets a setting to its default; an unchecked checkbox is not sent.
func siteChange(form url.Values) checks.SiteChange {
	form = complete(form)
	return checks.SiteChange{
		Name: sett.Some(form.Get("name")), URL: sett.Some(strings.TrimSpace(form.Get("url"))), Frequency: number(form, "frequency"),
		MatchType: orNull(form, "match_type"), Match: sett.Some(form.Get("match")), RequestMethod: orNull(form, "request_method"),
		RequestBody: sett.Some(strings.ReplaceAll(form.Get("request_body"), "\r\n", "\n")), RequestHeaders: sett.Some(readHeaders(form.Get("request_headers"))),
		Locations: sett.Some(form["locations"]), ValidateSSL: sett.Some(form.Get("validate_ssl") == "true"),
		OutageThreshold: number(form, "outage_threshold"), SlowAfter: number(form, "slow_after"), SlowChecks: number(form, "slow_checks"), Active: sett.Some(form.Get("active") == "true"), Timeout: number(form, "timeout"),
		FollowRedirects: sett.Some(form.Get("follow_redirects") == "true"),
	}
}

// siteAuthor returns what the settings of a site need to know about the user.
func (p *pages) siteAuthor(r *http.Request) checks.SiteAuthor {
	return checks.SiteAuthor{Blind: !web.ScopeOf(r).May(accounts.ManageProject), Identity: p.ProxyHeader.Name()}
}

func orNull(form url.Values, name string) sett.Optional[string] {
	value := form.Get(name)
	return sett.Optional[string]{Sent: true, Null: value == "", Value: value}
}

func number(form url.Values, name string) sett.Optional[int64] {
	text := strings.TrimSpace(form.Get(name))
	if text == "" {
		return sett.Optional[int64]{Sent: true, Null: true}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return sett.Optional[int64]{Sent: true, Bad: "must be a whole number"}
	}
	return sett.Some(n)
}

// newSiteForm returns a form with values; site is nil for a new site.
func (p *pages) newSiteForm(r *http.Request, form url.Values, site *checks.Site) (*siteForm, error) {
	live, err := p.Uptime.LiveLocations(r.Context(), p.Now())
	if err != nil {
		return nil, err
	}
	list := fmt.Sprintf("/projects/%d/sites", web.Project(r))
	page := &siteForm{Shell: p.Shell(r, "New site").In("sites"), Action: list, Preview: list + "/preview", Cancel: list, Button: "Create site"}
	kind := kindOf(form)
	page.Kind, page.Summary = kind.Type, "Request and certificate"
	if !kind.Has("request_method") {
		page.Summary = "Timeout"
	}
	settings := checks.NewSiteSettings()
	if site != nil {
		page.Shell = p.Shell(r, "Edit "+site.Name).In("sites")
		page.Action = list + "/" + site.ID.String()
		page.Preview, page.Cancel, page.Button, settings = page.Action+"/preview", page.Action, "Save", site.SiteSettings
	}
	page.Secret = true // headers and the body may be secrets
	if site == nil {
		for _, k := range probe.Kinds() {
			page.Kinds = append(page.Kinds, kindTab{k.Name, list + "/new?type=" + k.Type, k.Type == kind.Type})
		}
	}
	page.Fields, page.Request = siteFields(kind, form)
	page.Locations = locationTicks(form["locations"], live, p.Locations)
	change := siteChange(form)
	if asked, err := (checks.SiteChange{URL: sett.Some("http://a.test"), Locations: change.Locations, OutageThreshold: change.OutageThreshold, Timeout: change.Timeout, SlowAfter: change.SlowAfter, SlowChecks: change.SlowChecks}).Apply(settings); err == nil {
		settings = asked
	}
	page.Rule = rule(settings, live, p.Locations)
	return page, nil
}

// locationTicks offers the locations that check sites at the moment, and those that are chosen. A single one that is not chosen is no choice.
func locationTicks(chosen []string, live []checks.LiveLocation, labels checks.LocationLabels) (ticks []locationTick) {
	for _, l := range checks.Locations() {
		on := slices.Contains(chosen, string(l))
		if on || isLive(l, live) {
			ticks = append(ticks, locationTick{l, labels.Of(l), on, !isLive(l, live)})
		}
	}
	if len(ticks) == 1 && !ticks[0].On {
		return nil
	}
	return ticks
}

func (p *pages) newSitePage(w http.ResponseWriter, r *http.Request) error {
	form := valuesOfSite(checks.NewSiteSettings())
	form.Set("check_type", r.URL.Query().Get("type"))
	return p.showSiteForm(w, r, form, nil)
}

func (p *pages) showSiteForm(w http.ResponseWriter, r *http.Request, form url.Values, site *checks.Site) error {
	page, err := p.newSiteForm(r, form, site)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "site_form", page)
}

// previewSite shows a form as it was filled in, with the resulting rule. It changes nothing but is a POST: headers and body of a
// check may contain secrets, which do not belong in URLs, and may be longer than URLs.
func (p *pages) previewSite(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if r.PathValue("site_id") == "" {
		return p.showSiteForm(w, r, form, nil)
	}
	site, err := p.Uptime.SiteByID(r.Context(), web.Project(r), siteID(r))
	if err != nil {
		return err
	}
	return p.showSiteForm(w, r, form, &site)
}

func (p *pages) editSitePage(w http.ResponseWriter, r *http.Request) error {
	site, err := p.Uptime.SiteByID(r.Context(), web.Project(r), siteID(r))
	if err != nil {
		return err
	}
	return p.showSiteForm(w, r, valuesOfSite(site.Editable(p.siteAuthor(r))), &site)
}
