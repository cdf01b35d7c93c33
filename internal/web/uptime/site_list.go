package uptime

import (
	"fmt"
	"net/http"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/maintenance"
	"sett/internal/sett/stats"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// listed is how many sites or check-ins a page lists.
const listed = 25

// siteList is the page of a project's sites.
type siteList struct {
	web.Shell
	Project int64
	Sites   []siteRow
	Pager   web.Pager

	Maintenance []maintenance.Window // that is active
}

// siteRow is one site.
type siteRow struct {
	checks.Site
	Address string // without secrets; "" if it equals the name
	State   web.State
	Strip   draw.Strip
	Median  string
	Month   string
	Cert    string
	Mood    web.Mood // of the certificate
	Outage  checks.Outage
	Lasting time.Duration // duration of the outage so far
	Looker  string        // at the outage; "" for none
}

func (p *pages) sitesPage(w http.ResponseWriter, r *http.Request) error {
	lines, marks, err := p.Uptime.SiteLines(r.Context(), p.Now(), web.Project(r), web.PageOf(r, listed))
	if err != nil {
		return err
	}
	page := siteList{Shell: p.Shell(r, "Uptime").In("sites"), Project: web.Project(r), Pager: p.NewPager(r, marks)}
	page.Heading = "-"
	if page.Maintenance, err = p.activeWindows(r, page.Now, ofAny); err != nil {
		return err
	}
	var down []alerts.AlertSubject
	for _, line := range lines {
		page.Sites = append(page.Sites, newSiteRow(line, page.Now))
		if line.State == sett.SiteDown {
			down = append(down, alerts.SiteSubject(line.ID))
		}
	}
	who, err := p.Deliveries.WhoLooks(r.Context(), page.Project, down)
	if err != nil {
		return err
	}
	for i, row := range page.Sites {
		page.Sites[i].Looker = who[alerts.SiteSubject(row.ID)]
	}
	return p.Show(w, r, http.StatusOK, "sites", page)
}

func newSiteRow(line stats.SiteLine, now time.Time) siteRow {
	row := siteRow{
		Site: line.Site, State: web.SiteState(line.Site), Strip: checkStrip(line.Recent, stats.RecentChecks, 5, slowFrom(line.Site, line.Recent)),
		Median: millis(stats.Took(0.5, line.Recent)), Month: share(line.Month.Percent()), Outage: line.LastOutage,
	}
	if line.Name != line.URL {
		row.Address = checks.ShownAddress(line.URL)
	}
	row.Cert, row.Mood = certificate(line.Site, now)
	row.Lasting = lasted(line.LastOutage, now)
	return row
}

// slowFrom returns from what duration on a check of a site is shown as slow: over the limit of the site, or else over what is usual.
func slowFrom(s checks.Site, recent []checks.UptimeCheck) time.Duration {
	if s.SlowAfter > 0 {
		return s.SlowAfter + 1
	}
	return stats.Slow(recent)
}

// lasted returns the duration of an outage, so far if it is ongoing.
func lasted(o checks.Outage, now time.Time) time.Duration {
	if o.UpAt.IsZero() {
		return now.Sub(o.DownAt)
	}
	return o.UpAt.Sub(o.DownAt)
}

// checkStrip returns a strip of n checks, the newest on the right; missing checks are empty cells.
func checkStrip(checks []checks.UptimeCheck, n, width int, slow time.Duration) draw.Strip {
	checks = checks[max(0, len(checks)-n):]
	var failed, late int
	cells := make([]string, 0, n)
	for range n - len(checks) {
		cells = append(cells, "none")
	}
	for _, c := range checks {
		switch {
		case !c.Up:
			cells, failed = append(cells, "crit"), failed+1
		case c.Duration >= slow:
			cells, late = append(cells, "warn"), late+1
		default:
			cells = append(cells, "ok")
		}
	}
	return draw.NewStrip(cells, width, fmt.Sprintf("the last %d checks: %d failed, %d slow", len(checks), failed, late))
}
