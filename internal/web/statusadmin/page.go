package statusadmin

import (
	"io"
	"net/http"

	"sett/internal/sett"
	"sett/internal/sett/status"
	"sett/internal/sett/status/logo"
	"sett/internal/web"
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
	State    web.State
	Shown    []shownRow
	Open     []incidentRow
	DomainIs web.State
}

func (p *pages) overview(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	view, err := p.Status.StatusView(r.Context(), p.Now(), one.ID)
	if err != nil {
		return err
	}
	page := overviewPage{about: p.about(r, one, "overview", "overview"), State: overallWords(view.Overall()), Shown: shownRows(view), DomainIs: domainWords(one.Domain)}
	page.Frames = true
	for _, i := range view.Incidents {
		if i.ResolvedAt.IsZero() {
			page.Open = append(page.Open, rowOfIncident(i, one))
		}
	}
	return p.Show(w, r, http.StatusOK, "status_page", page)
}

// framePolicy is that of the preview: it loads styles and images of this server, and its links open other windows.
const framePolicy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; " +
	"sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox"

// preview answers with the public page, drawn by the code that draws it for visitors.
func (p *pages) preview(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	body, err := p.StatusPreview(r.Context(), one.ID, p.At(to(r, "/preview")), r.Header.Get("Accept-Language"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", framePolicy)
	h.Set("X-Frame-Options", "SAMEORIGIN")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the reader is gone
	return nil
}

// previewStyle answers with the custom CSS of a page, for its preview.
func (p *pages) previewStyle(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, one.Features.Style()) // the reader is gone
	return nil
}

// previewLogo answers with the logo of a page, for its preview and its settings.
func (p *pages) previewLogo(w http.ResponseWriter, r *http.Request) error {
	one, err := p.Status.StatusPageByID(r.Context(), account(r), r.PathValue("status_page_id"))
	if err != nil {
		return err
	}
	body, err := p.Status.StatusLogo(r.Context(), one.ID)
	if err != nil {
		return err
	}
	if body == nil {
		return sett.Errorf(sett.NotFound, "This page has no logo")
	}
	h := w.Header()
	h.Set("Content-Type", logo.Type(one.Logo.Name))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(body) // the reader is gone
	return nil
}
