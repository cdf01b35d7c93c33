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

	"sett/internal/status"
)

//go:embed page/*.html part/*.html
var templateFiles embed.FS

// Shell is the data of the layout. The struct of each page embeds it.
type Shell struct {
	Title     string // of the window
	Name      string // of the status page
	Home      string // what the name links to; "" for no link
	Root      string // path of the status page, without trailing slash
	Canonical string // the canonical URL; "" for none
	Style     string // file name of the style
	Script    string // "" for none
	Custom    string // path of the custom CSS; "" for none
	Hidden    bool   // from search engines
	Feeds     bool
	Branding  bool
	Preview   bool // it is shown in a frame; its links open another window
}

// shell returns the layout data of a page; below is its path below the root.
func (f *variant) shell(title, below string) Shell {
	page := f.rendered.view.Page
	s := Shell{
		Title: title, Name: page.Name, Home: webAddress(page.Features.HomeLink), Root: f.root, Style: f.pages.style, Script: f.pages.script,
		Hidden: page.Unlisted, Feeds: true, Branding: !page.HideBranding,
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
		"when":  when,
		"iso":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"lines": lines,
		"word":  statusWord,
	}
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
	Mood     mood
	Affected []string // names of components
	Href     string
	More     bool // its own page shows more of it
}

// block prepares an incident for the templates.
func (f *variant) block(i status.StatusIncident) incidentBlock {
	b := incidentBlock{StatusIncident: i, Mood: statusMood(i), Href: f.root + incidentPath(i.ID)}
	for _, c := range f.rendered.view.Components {
		for _, id := range i.ComponentIDs {
			if c.ID == id {
				b.Affected = append(b.Affected, c.Name)
			}
		}
	}
	b.Affected = append(b.Affected, i.Gone...)
	return b
}

func incidentPath(id int64) string { return fmt.Sprintf("/incidents/%d", id) }
