package status

import (
	"net/http"
	"strconv"

	"sett/internal/status"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// about is the common data of pages about one status page.
type about struct {
	web.Shell
	Page status.StatusPage
	URL  string // the public URL
	Tab  string
}

// about returns the common data of a page about a status page; tab is the open one.
func (p *pages) about(r *http.Request, page status.StatusPage, title, tab string) about {
	shell := p.shell(r, page.Name+": "+title)
	shell.Heading = page.Name
	return about{shell, page, page.Address(p.BaseURL), tab}
}

// to returns the path of a page about the status page of the request.
func to(r *http.Request, rest string) string {
	return "/accounts/" + account(r) + "/status_pages/" + r.PathValue("status_page_id") + rest
}

// At returns a path below the status page.
func (a about) At(rest string) string {
	return "/accounts/" + a.Page.AccountID + "/status_pages/" + a.Page.ID + rest
}

// overviewPage is a summary of what the public sees.
type overviewPage struct {
	about
	State      web.State
	Components []component
	Open       []incidentRow
	DomainIs   web.State
}

// component is a component with its days.
type component struct {
	status.ComponentView
	Is      web.State
	Strip   draw.Strip
	Percent string // "" without data
}

// dayWidth is the width of a day in the summary, in pixels.
const dayWidth = 5

func (p *pages) overview(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	view, err := p.Status.StatusView(r.Context(), p.Now(), one.ID)
	if err != nil {
		return err
	}
	page := overviewPage{about: p.about(r, one, "overview", "overview"), State: overallWords(view.Overall()), DomainIs: domainWords(one.Domain)}
	for _, c := range view.Components {
		page.Components = append(page.Components, drawComponent(c))
	}
	for _, i := range view.Incidents {
		if i.ResolvedAt.IsZero() {
			page.Open = append(page.Open, rowOfIncident(i, one))
		}
	}
	return p.Show(w, r, http.StatusOK, "status_page", page)
}

func drawComponent(c status.ComponentView) component {
	var cells []string
	for _, d := range c.Days {
		cells = append(cells, string(d.Level()))
	}
	drawn := component{ComponentView: c, Is: componentWords(c.State), Strip: draw.NewStrip(cells, dayWidth, c.Summary())}
	if percent, ok := c.Percent(); ok {
		drawn.Percent = strconv.FormatFloat(float64(int(percent*100))/100, 'f', -1, 64) + " %"
	}
	return drawn
}
