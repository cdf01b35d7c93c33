package events

import (
	"net/http"

	"sett/internal/web"
)

// wallPage is a dashboard that fills a screen: without navigation and forms. It updates itself.
type wallPage struct {
	*dashboardPage
	Leave   string // path of the dashboard's own page; "": the reader has none
	Updated web.Moment
}

// wallRefresh is after how many seconds a page on a wall updates itself.
const wallRefresh = 60

// wall shows a dashboard on a full screen.
func (p *pages) wall(w http.ResponseWriter, r *http.Request) error {
	d, err := p.Dashboards.ByID(r.Context(), web.Project(r), r.PathValue("dashboard_id"))
	if err != nil {
		return err
	}
	page := p.newDashboardPage(r, d)
	if err := p.fill(r, page, d); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "wall", newWall(page, page.Path+withQuery(r)))
}

func newWall(page *dashboardPage, leave string) *wallPage {
	page.Bare, page.Refresh, page.Scripts, page.Sheets = true, wallRefresh, []string{"wall.js"}, []string{"board.css"}
	return &wallPage{page, leave, page.Moment(page.Now)}
}

// withQuery returns the query of a request with its question mark: the period and the parameters of queries stay between both pages.
func withQuery(r *http.Request) string {
	if r.URL.RawQuery == "" {
		return ""
	}
	return "?" + r.URL.RawQuery
}
