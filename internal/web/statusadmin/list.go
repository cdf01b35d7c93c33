package statusadmin

import (
	"net/http"

	"sett/internal/sett/accounts"
	"sett/internal/sett/status"
	"sett/internal/web"
)

// pageList is the list of an account's status pages.
type pageList struct {
	web.Shell
	Account string
	Pages   []pageRow
	Pager   web.Pager
	Empty   web.Empty
}

// pageRow is one of them.
type pageRow struct {
	status.StatusPage
	URL        string
	State      web.State
	Components int
	DomainIs   web.State
}

const pagesPerPage = 50

func (p *pages) list(w http.ResponseWriter, r *http.Request) error {
	found, marks, err := p.Status.ListStatusPages(r.Context(), account(r), web.PageOf(r, pagesPerPage))
	if err != nil {
		return err
	}
	page := pageList{Shell: p.shell(r, "Status pages"), Account: account(r), Pager: p.NewPager(r, marks), Empty: web.Empty{
		Title: "No status pages yet", Text: "A status page shows the public the state of your sites and check-ins, incidents and scheduled maintenance.",
		Manual: p.At("/docs/status-pages"),
	}}
	if page.May(accounts.ManageStatusPages) {
		page.Empty.Action, page.Empty.Link = "Create status page", p.At("/accounts/"+page.Account+"/status_pages/new")
	}
	for _, one := range found {
		page.Pages = append(page.Pages, p.rowOf(one))
	}
	return p.Show(w, r, http.StatusOK, "status_pages", page)
}

func (p *pages) rowOf(one status.WatchedStatusPage) pageRow {
	view := status.StatusView{Page: one.StatusPage}
	for _, c := range one.Watched {
		view.Components = append(view.Components, c.ComponentView)
	}
	return pageRow{one.StatusPage, one.Address(p.BaseURL), overallWords(view.Overall()), len(one.Watched), domainWords(one.Domain)}
}
