// Package manual contains the built-in manual. It receives paths of chapters and returns pages that are rendered from Markdown,
// with the URL of the server and, for signed-in users, the API key of one of their projects in the examples. All texts come from
// package docs. It changes nothing, and the manual is public. Parts of it are served as plain text too, for agents.
package manual

import (
	"cmp"
	"embed"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

//go:embed page/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct {
	*web.Pages
	chapters     func() []chapter              // rendered for the first request
	instructions func() map[string]instruction // the same
}

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{
		frame, sync.OnceValue(func() []chapter { return readChapters(frame) }),
		sync.OnceValue(func() map[string]instruction { return readInstructions(frame) }),
	}
	return web.Area{Templates: templates, Routes: []serve.Route{
		web.Get("/docs", "manual", accounts.Public, p.contents, "The chapters of the manual."),
		web.Get("/docs/{chapter}", "manualChapter", accounts.Public, p.chapter, "A chapter of the manual."),
		p.instructionsRoute(),
	}}
}

// contentsPage lists the chapters.
type contentsPage struct {
	web.Shell
	Chapters []chapter
}

func (p *pages) contents(w http.ResponseWriter, r *http.Request) error {
	return p.Show(w, r, http.StatusOK, "manual", contentsPage{p.Shell(r, "Documentation"), p.chapters()})
}

// chapterPage is one chapter.
type chapterPage struct {
	web.Shell
	Chapters []chapter
	Chapter  chapter
	Next     *chapter              // the next chapter
	Project  accounts.NamedProject // the project whose key is in the examples; the ID is 0 for none
	SignIn   string                // path to sign in to see such a key; "" if not needed
}

func (p *pages) chapter(w http.ResponseWriter, r *http.Request) error {
	chapters := p.chapters()
	for i, c := range chapters {
		if c.Name == r.PathValue("chapter") {
			page, err := p.newChapterPage(r, c)
			if err != nil {
				return err
			}
			if i+1 < len(chapters) {
				page.Next = &chapters[i+1]
			}
			return p.Show(w, r, http.StatusOK, "manual_chapter", page)
		}
	}
	return sett.Errorf(sett.NotFound, "There is no such chapter. /docs lists all chapters.")
}

func (p *pages) newChapterPage(r *http.Request, c chapter) (*chapterPage, error) {
	page := &chapterPage{Shell: p.Shell(r, c.Title), Chapters: p.chapters()}
	address := examples{Address: p.ReportURL, Project: 1}
	if len(page.Nav.Projects) > 0 {
		of := projectFor(r, page.Nav.Projects)
		address.Project = of.ID
		if c.takesKey {
			project, err := p.Accounts.ProjectWithoutCounts(r.Context(), of.ID)
			if err != nil {
				return nil, err
			}
			page.Project, address.Key, page.Secret = of, project.Token, true
		}
	}
	if c.takesKey && page.User.ID == 0 {
		page.SignIn = "/login" + web.AsNext("/docs/"+c.Name)
	}
	if u, err := url.Parse(p.ReportURL); err == nil {
		address.Host, address.Port, address.Secure = u.Hostname(), cmp.Or(u.Port(), "80"), strconv.FormatBool(u.Scheme == "https")
		if u.Scheme == "https" {
			address.Port = cmp.Or(u.Port(), "443")
		}
	}
	page.Chapter = c.with(address)
	return page, nil
}

// projectFor returns the project of the request, of those that the user can see, or the first.
func projectFor(r *http.Request, seen []accounts.NamedProject) accounts.NamedProject {
	for _, p := range seen {
		if strconv.FormatInt(p.ID, 10) == r.URL.Query().Get("project") {
			return p
		}
	}
	return seen[0]
}
