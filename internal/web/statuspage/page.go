package statuspage

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"time"

	"sett/internal/sett/status"
	"sett/internal/sett/status/locale"
	"sett/internal/sett/status/logo"
)

//go:embed page/*.html part/*.html
var templateFiles embed.FS

// Shell is the data of the layout. The struct of each page embeds it.
type Shell struct {
	Lang      locale.Language
	Title     string // of the window
	Name      string // of the status page
	Home      string // what the name links to; "" for no link
	Logo      logoBlock
	Root      string // path of the status page, without trailing slash
	Canonical string // the canonical URL; "" for none
	Icon      mood   // its color is that of the icon

	Description string // what a link to the page shows of it; "" for none
	Picture     string // the address of a picture for the same; "" for none
	Style       string // file name of the style
	Script      string // "" for none
	Custom      string // path of the custom CSS; "" for none
	Hidden      bool   // from search engines
	Feeds       bool
	Branding    bool
	Preview     bool // it is shown in a frame; its links open another window
}

// shell returns the layout data of a page; below is its path below the root.
func (f *variant) shell(title, below string) Shell {
	page := f.rendered.view.Page
	s := Shell{
		Lang: f.lang, Logo: f.logoBlock(), Title: title, Name: page.Name, Home: webAddress(page.Features.HomeLink), Root: f.root, Style: f.pages.style, Script: f.pages.script,
		Icon: overallMood(f.rendered.view.Overall()), Hidden: page.Unlisted, Feeds: true, Branding: !page.HideBranding,
	}
	if name := f.rendered.customName; name != "" {
		s.Custom = f.root + "/s/" + name
	}
	s.Canonical = f.rendered.address(f.url) + below
	return s
}

// webAddress returns an address if it is safe as a link, else "": only http and https URLs with a host are.
func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return address
}

// parseTemplates reads every page together with all parts.
func parseTemplates() (map[string]*template.Template, error) {
	files, err := fs.Glob(templateFiles, "page/*.html")
	if err != nil {
		return nil, fmt.Errorf("find pages: %w", err)
	}
	parsed := map[string]*template.Template{}
	for _, file := range files {
		t, err := template.New("layout").Option("missingkey=error").Funcs(functions()).ParseFS(templateFiles, "part/*.html", file)
		if err != nil {
			return nil, fmt.Errorf("read page: %w", err)
		}
		parsed[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return parsed, nil
}

// functions are the functions of the templates.
func functions() template.FuncMap {
	return template.FuncMap{
		"t":      locale.Language.Text,
		"around": locale.Language.Around,
		"list":   locale.Language.List,
		"moment": func(l locale.Language, at time.Time) moment {
			return moment{at.UTC().Format(time.RFC3339), l.Minute(at)}
		},
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"lines": lines,
		"word":  func(l locale.Language, s status.IncidentStatus) string { return l.Text(string(s)) },
	}
}

// moment is a time as a page writes it.
type moment struct{ ISO, Text string }

// logoBlock is the picture beside the name; its URL is "" for none.
type logoBlock struct {
	URL           string
	Width, Height int
	Ink           logo.Ink
}

// shownHeight is how high a logo is shown at most, in CSS pixels; it is stored with twice as many for sharp screens.
const shownHeight, shownWidth = 48, 240

func (f *variant) logoBlock() logoBlock {
	l := f.rendered.view.Page.Logo
	if l.Name == "" || l.Width == 0 || l.Height == 0 {
		return logoBlock{}
	}
	scale := min(1, shownHeight/float64(l.Height), shownWidth/float64(l.Width))
	return logoBlock{f.root + "/s/" + l.Name, max(1, int(float64(l.Width)*scale)), max(1, int(float64(l.Height)*scale)), l.Ink}
}

// page renders a page; name is the name of its template.
func (f *variant) page(before *document, name string, page any) (*document, error) {
	return f.pages.renderPage(before, name, page)
}

func (p *Pages) renderPage(before *document, name string, page any) (*document, error) {
	body, err := p.writePage(name, page)
	if err != nil {
		return nil, err
	}
	return newDocument(before, pageForm, body), nil
}

func (p *Pages) writePage(name string, page any) ([]byte, error) {
	t, ok := p.templates[name]
	if !ok {
		return nil, fmt.Errorf("there is no page %q", name)
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "layout", page); err != nil {
		return nil, fmt.Errorf("render page: %w", err)
	}
	return body.Bytes(), nil
}

// incidentBlock is an incident as pages show it.
type incidentBlock struct {
	status.StatusIncident
	Lang     locale.Language
	Mood     mood
	Affected []string // names of components
	Impact   string   // "" for none
	Href     string
	More     bool // its own page shows more of it
}

// block prepares an incident for the templates.
func (f *variant) block(i status.StatusIncident) incidentBlock {
	i = i.In(f.lang)
	b := incidentBlock{StatusIncident: i, Lang: f.lang, Mood: statusMood(i), Impact: i.ImpactIn(f.lang), Href: f.root + incidentPath(i.ID)}
	for _, c := range f.rendered.view.Components {
		for _, id := range i.ComponentIDs {
			if c.ID == id {
				b.Affected = append(b.Affected, affectedName(f.lang, i, c))
			}
		}
	}
	b.Affected = append(b.Affected, i.Gone...)
	return b
}

// affectedName is the name of a component that an incident is about, with its state where that is not the usual one.
func affectedName(l locale.Language, i status.StatusIncident, c status.ComponentView) string {
	state := i.StateOf(c.ID)
	if i.Kind == status.Maintenance || state == status.ComponentDegraded {
		return c.Name
	}
	return l.Text("with_state", c.Name, l.Text(saidKey(state)))
}

func incidentPath(id int64) string { return fmt.Sprintf("/incidents/%d", id) }
