package uptime

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"sett/internal/monitor/probe"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/stats"
	"sett/internal/store/uptimedb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// shownOutages is how many outages a page lists.
const shownOutages = 20

// siteSheet is the page of a site.
type siteSheet struct {
	web.Shell
	Site    checks.Site
	Address string // what is requested, such as "GET https://shop.example.org", without secrets
	State   web.State
	Rule    string
	Wants   string // what a check expects
	Tiles   []tile
	Strips  []locationStrip
	Idle    string   // locations without an agent or server
	Blocked []string // from where settings forbid its address, and which
	Span    stats.ResponseSpan
	Spans   []spanTab
	Chart   draw.Chart
	Outages []outageRow
	Slow    []slowRow // the newest times in which it was slow
	Pager   web.Pager

	Maintenance []maintenance.Window // that is active
	Ongoing     *web.Ongoing         // nil: it is not down
}

// tile is a figure with a name.
type tile struct {
	Name, Figure string
	Mood         web.Mood
	Note         string
}

// locationStrip is the newest checks from a location.
type locationStrip struct {
	Location string // its label
	Strip    draw.Strip
}

// spanTab links to the chart of a span.
type spanTab struct {
	Span  stats.ResponseSpan
	Label string
}

// outageRow is an outage.
type outageRow struct {
	checks.Outage
	From    string // the label of its location
	Lasted  time.Duration
	Headers []checks.ProbeHeader // by name
	Page    string               // the beginning of the response body
}

// siteID reads the ID of a site from the path. An invalid ID is the zero ID.
func siteID(r *http.Request) sett.UUID {
	id, err := sett.ParseUUID(r.PathValue("site_id"))
	if err != nil {
		return sett.UUID{}
	}
	return id
}

func (p *pages) sitePage(w http.ResponseWriter, r *http.Request) error {
	pulse, err := p.Uptime.SitePulse(r.Context(), p.Now(), web.Project(r), siteID(r))
	if err != nil {
		return err
	}
	live, err := p.Uptime.LiveLocations(r.Context(), p.Now())
	if err != nil {
		return err
	}
	page := &siteSheet{
		Shell: p.Shell(r, pulse.Name).In("sites"), Site: pulse.Site, Address: requested(pulse.SiteSettings), State: web.SiteState(pulse.Site), Rule: rule(pulse.SiteSettings, live, p.Locations),
		Wants: wants(pulse.SiteSettings), Strips: locationStrips(pulse, live, p.Locations), Idle: idle(pulse.Site, live, p.Locations),
	}
	page.Heading = "-"
	if pulse.Active && pulse.State == sett.SitePending {
		verdicts, err := p.Uptime.Verdicts(r.Context(), pulse.ProjectID, pulse.ID)
		if err != nil {
			return err
		}
		page.Blocked = blocked(verdicts, p.Locations)
	}
	id := pulse.ID.String()
	if page.Maintenance, err = p.activeWindows(r, page.Now, func(s maintenance.Settings) bool { return s.OfSite(id) }); err != nil {
		return err
	}
	if page.Ongoing, err = p.OngoingOf(r, page.Shell, alerts.SiteSubject(pulse.ID)); err != nil {
		return err
	}
	page.Tiles = siteTiles(pulse, page.Now)
	if err := p.drawResponses(r, page, pulse); err != nil {
		return err
	}
	if err := p.listOutages(r, page); err != nil {
		return err
	}
	if page.Slow, err = p.slowRows(r, page.Now); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "site", page)
}

// requested describes what a check of a site requests.
func requested(s checks.SiteSettings) string {
	if !has(s, "request_method") {
		return checks.ShownAddress(s.URL)
	}
	return s.Method + " " + checks.ShownAddress(s.URL)
}

// has reports whether sites of that kind have a setting, by its name in the API.
func has(s checks.SiteSettings, setting string) bool {
	kind, ok := probe.Find(s.URL)
	return ok && kind.Has(setting)
}

func siteTiles(s stats.SitePulse, now time.Time) []tile {
	state := tile{Name: "Up for", Figure: "–"}
	if !s.ChangedAt.IsZero() {
		state.Figure = spell(now.Sub(s.ChangedAt))
	}
	if s.State == sett.SiteDown {
		state.Name, state.Mood = "Down for", web.Critical
	}
	if s.Slow() {
		state.Note, state.Mood = "slow for "+spell(now.Sub(s.SlowSince)), web.Warning
	}
	if s.ChangedAt.IsZero() && s.State == sett.SiteUp {
		state.Figure = spell(now.Sub(s.CreatedAt))
	}
	slow := "–"
	if median := stats.Took(0.5, s.Checks); median > 0 {
		slow = millis(median)[:len(millis(median))-3] + " / " + millis(stats.Took(0.95, s.Checks))
	}
	tiles := []tile{
		state,
		{Name: "24 hours", Figure: share(stats.UpShare(s.Checks)), Note: "of checks"},
		{Name: "30 days", Figure: share(checks.ShareOf(30, s.Days).Percent()), Note: "of the time"},
		{Name: "90 days", Figure: share(checks.ShareOf(90, s.Days).Percent()), Note: "of the time"},
		{Name: "Median / p95", Figure: slow, Note: "24 hours"},
	}
	if has(s.SiteSettings, "validate_ssl") {
		cert, mood := certificate(s.Site, now)
		own := tile{Name: "Certificate", Figure: cert, Mood: mood}
		if s.CertAuthority != "" {
			own.Note = "of the authority"
		}
		tiles = append(tiles, own)
	}
	return tiles
}

func locationStrips(s stats.SitePulse, live []checks.LiveLocation, labels checks.LocationLabels) (strips []locationStrip) {
	for _, l := range checks.Locations() {
		checks := stats.ChecksFrom(l, s.Checks)
		if len(checks) == 0 && (!s.Selects(l) || len(s.Locations) == 0 && !isLive(l, live)) {
			continue
		}
		strips = append(strips, locationStrip{labels.Of(l), checkStrip(checks, stats.StripChecks, 12, slowFrom(s.Site, checks))})
	}
	return strips
}

func isLive(l checks.Location, live []checks.LiveLocation) bool {
	return slices.ContainsFunc(live, func(have checks.LiveLocation) bool { return have.Location == l })
}

// blocked says from where a site is not checked because settings forbid its address, and which.
func blocked(verdicts []checks.Verdict, labels checks.LocationLabels) (lines []string) {
	for _, v := range verdicts {
		if v.Blocked() {
			lines = append(lines, labels.Of(v.Location)+": "+checks.PlainReason(v.Reason)+".")
		}
	}
	return lines
}

// idle names the locations that were selected for a site, but from which no agent or server checks.
func idle(s checks.Site, live []checks.LiveLocation, labels checks.LocationLabels) string {
	switch {
	case len(live) == 0:
		return "This server checks no sites at the moment."
	case len(s.Locations) == 0: // all that there are
		return ""
	}
	var names []string
	for _, l := range checks.Locations() {
		if s.Selects(l) && !isLive(l, live) {
			names = append(names, labels.Within(l))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "No checks from " + strings.Join(names, ", ") + " at the moment. Run an agent to check from there."
}

func (p *pages) listOutages(r *http.Request, page *siteSheet) error {
	found, marks, err := p.Uptime.ListOutages(r.Context(), page.Site.ProjectID, page.Site.ID, uptimedb.SpanFilter{Page: web.PageOf(r, shownOutages)})
	if err != nil {
		return err
	}
	page.Pager = p.NewPager(r, marks)
	page.Pager.Export = p.ExportPath(r, r.URL.Path+"/outages")
	for _, o := range found {
		row := outageRow{Outage: o, From: p.Locations.Of(o.Location), Lasted: lasted(o, page.Now)}
		if !page.May(accounts.WatchProject) { // responses are only for users who may edit the site
			page.Outages = append(page.Outages, row)
			continue
		}
		row.Page = string(o.Body)
		for name, value := range o.Headers {
			row.Headers = append(row.Headers, checks.ProbeHeader{Key: name, Value: value})
		}
		slices.SortFunc(row.Headers, func(a, b checks.ProbeHeader) int { return strings.Compare(a.Key, b.Key) })
		page.Outages = append(page.Outages, row)
	}
	return nil
}
