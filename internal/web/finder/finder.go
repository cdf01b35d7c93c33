// Package finder contains the page that finds anything: projects, errors, sites, check-ins, status pages, people, and the pages of settings and
// of the manual. It receives a text, and returns links to what the user may see. With scripts, Ctrl-K shows the same results on every
// page. The package changes nothing, and never lists more than a few of each kind.
package finder

import (
	"embed"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

//go:embed page/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Templates: templates, Routes: []serve.Route{
		web.Get("/search", "searchPage", accounts.SignedIn, p.search, "Find anything by its name."),
	}}
}

// Limits of a search.
const (
	mostOfKind = 8
	mostText   = 200 // characters of a text
)

// searchPage is the page with what was found.
type searchPage struct {
	web.Shell
	Text   string
	From   int64 // the project that the user came from; 0 for none
	Groups []group
}

// group is what was found of one kind.
type group struct {
	Name  string
	Links []link
}

// link is something that was found.
type link struct {
	Kind               string // of its group
	Name, Detail, Path string
	Project            string // its name, if it belongs to one
}

// Count says how many were found.
func (p searchPage) Count() string {
	n := int64(0)
	for _, g := range p.Groups {
		n += int64(len(g.Links))
	}
	return web.Count(n, "result")
}

// placesGroup is the kind of pages that are found by their names.
const placesGroup = "Places and settings"

// groupNames are the headings of the kinds. Groups are in the order in which their first links were found.
var groupNames = map[string]string{
	string(sett.ProjectPlace): "Projects", string(sett.ErrorPlace): "Errors", string(sett.SitePlace): "Sites", string(sett.CheckInPlace): "Check-ins",
	string(sett.StatusPagePlace): "Status pages", string(sett.PersonPlace): "People", placesGroup: placesGroup,
}

func groupsOf(links []link) (groups []group) {
	for _, l := range links {
		name := groupNames[l.Kind]
		i := slices.IndexFunc(groups, func(g group) bool { return g.Name == name })
		if i < 0 {
			i, groups = len(groups), append(groups, group{Name: name})
		}
		groups[i].Links = append(groups[i].Links, l)
	}
	return groups
}

func (p *pages) search(w http.ResponseWriter, r *http.Request) error {
	text := []rune(strings.TrimSpace(r.URL.Query().Get("q")))
	from, _ := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64) // without one, no project comes first
	page := searchPage{Shell: p.ShellIn(r, "Search", from), Text: string(text[:min(len(text), mostText)]), From: from}
	places, err := p.Store.Places(r.Context(), web.Who(r).User.ID, page.Text, mostOfKind)
	if err != nil {
		return err
	}
	found := linksOf(page.Nav, places)
	if page.Text != "" && page.Nav.Project.ID != 0 {
		found = append(found, link{
			Kind: string(sett.ErrorPlace), Name: "Search errors for “" + page.Text + "”", Project: page.Nav.Project.Name,
			Path: fmt.Sprintf("/projects/%d/faults?q=%s", page.Nav.Project.ID, url.QueryEscape(page.Text)),
		})
	}
	page.Groups = groupsOf(append(found, pagesNamed(page.Nav, page.Text)...))
	return p.Show(w, r, http.StatusOK, "search", page)
}

func linksOf(n accounts.Navigation, places []sett.Place) (links []link) {
	names := map[int64]string{}
	for _, p := range n.Projects {
		names[p.ID] = p.Name
	}
	seen := map[string]bool{}
	for _, p := range places {
		l := link{Kind: string(p.Kind), Name: p.Name, Detail: p.Detail, Path: pathOf(p)}
		if p.Kind != sett.ProjectPlace {
			l.Project = names[p.ProjectID]
		}
		if l.Name == "" {
			l.Name, l.Detail = p.Detail, ""
		}
		if !seen[l.Path] {
			links = append(links, l)
		}
		seen[l.Path] = true
	}
	return links
}

func pathOf(p sett.Place) string {
	switch p.Kind {
	case sett.ProjectPlace:
		return "/projects/" + p.ID
	case sett.ErrorPlace:
		return fmt.Sprintf("/projects/%d/faults/%s", p.ProjectID, p.ID)
	case sett.SitePlace:
		return fmt.Sprintf("/projects/%d/sites/%s", p.ProjectID, p.ID)
	case sett.CheckInPlace:
		return fmt.Sprintf("/projects/%d/check_ins/%s", p.ProjectID, p.ID)
	case sett.StatusPagePlace:
		return fmt.Sprintf("/accounts/%s/status_pages/%s", p.AccountID, p.ID)
	default:
		return fmt.Sprintf("/accounts/%s/people", p.AccountID)
	}
}
