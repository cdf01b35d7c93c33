package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

//go:embed page/*.html part/*.html
var templateFiles embed.FS

// policy is the content policy of every page (ui.md): styles and scripts are files of ours, which may ask us alone.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Shell is what every page has around it. The struct of a page embeds it.
type Shell struct {
	Title   string
	Heading string    // what stands as the page's heading, when that is not its title; "-" for a page that draws its own
	User    sett.User // who is signed in; its ID is 0 when nobody is
	Here    string    // path of the page, to mark it in the navigation
	Address string    // path and query, to come back to
	Query   string    // what was searched for
	Done    string    // what the change that led here did; "" for none
	Undo    Undo      // how that is taken back
	Problem string    // why the form was refused; "" when it was not
	Theme   string    // that the user has chosen: light, dark or "" for that of their device
	Section string    // of the navigation: what the page is part of
	Scripts []string  // beside the one of all pages, such as passkey.js
	Secret  bool      // the page shows a secret, and is not compressed for that
	Now     time.Time // to which times are relative
	Nav     sett.Navigation

	scope sett.Scope
	err   error // of reading what the shell shows
}

// Undo is a form that takes back what was just done; one without a path is none.
type Undo struct {
	Path   string
	Fields []Field // that it sends, hidden
}

// May reports whether whoever looks at the page may do something where its path leads. Pages leave out what is not allowed;
// the routes of forms ask once more.
func (s Shell) May(p sett.Permission) bool { return s.scope.May(p) }

func (s Shell) problem() error { return s.err }

func (s Shell) secret() bool { return s.Secret }

// Refused notes why a form was refused.
func (s *Shell) Refused(message string) { s.Problem = message }

// doneTexts are what ?done= stands for on all pages. A text of its own in an address would let others put words in our mouth.
var doneTexts = map[string]string{
	"saved":   "Saved.",
	"deleted": "Deleted.",
}

// Shell returns what stands around a page that answers the request.
func (p *Pages) Shell(r *http.Request, title string) Shell {
	done := r.URL.Query().Get("done")
	s := Shell{
		Title: title, User: Who(r).User, Here: r.URL.Path, Address: p.addressOf(r), Theme: themeOf(r), Now: p.Now(), scope: ScopeOf(r),
	}
	if s.Done = p.done[done]; s.Done == "" {
		s.Done = doneTexts[done]
	}
	if s.User.ID != 0 {
		s.Nav, s.err = p.Store.Navigation(r.Context(), s.User.ID, Project(r), r.PathValue("account_id"))
	}
	return s
}

// addressOf returns where to find the page that answers a request: for that of a form, the page that it was sent from.
func (p *Pages) addressOf(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.URL.RequestURI()
	}
	from, err := url.Parse(r.Referer())
	if err != nil {
		return "/"
	}
	return LocalPath(strings.TrimPrefix(from.RequestURI(), p.root))
}

// In returns the shell of a page that is part of a section of the navigation.
func (s Shell) In(section string) Shell {
	s.Section = section
	return s
}

// Part returns one part of a page, such as a row that a stream brings; page is the name of its template.
func (p *Pages) Part(page, part string, data any) (string, error) {
	t, err := p.templates.set(page, part)
	if err != nil {
		return "", err
	}
	var body strings.Builder
	if err := t.ExecuteTemplate(&body, part, data); err != nil {
		return "", fmt.Errorf("draw part: %w", err)
	}
	return strings.TrimSpace(body.String()), nil
}

// Page is the struct of a page: one that embeds Shell.
type Page interface {
	problem() error
	secret() bool
}

// Draw returns a page; name is that of its template.
func (p *Pages) Draw(name string, page Page) ([]byte, error) {
	t, err := p.templates.set(name, "layout")
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "layout", page); err != nil {
		return nil, fmt.Errorf("draw page: %w", err)
	}
	return body.Bytes(), nil
}

// Show answers with a page; name is that of its template. Nothing is written when it cannot be drawn.
func (p *Pages) Show(w http.ResponseWriter, r *http.Request, status int, name string, page Page) error {
	if err := page.problem(); err != nil {
		return err
	}
	began := time.Now()
	body, err := p.Draw(name, page)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("Server-Timing", fmt.Sprintf(`db;desc="read";dur=%.2f, app;desc="draw";dur=%.2f`, millis(began.Sub(visitOf(r).began)), millis(time.Since(began))))
	if page.secret() {
		return write(w, r, status, body, nil)
	}
	return write(w, r, status, body, serve.Gzip(body))
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Refusable is the page of a form.
type Refusable interface {
	Page
	Refused(message string)
}

// Again answers a form that was refused with its page and the reason. An error that people cannot mend in the form comes
// back as it is.
func (p *Pages) Again(w http.ResponseWriter, r *http.Request, err error, name string, page Refusable) error {
	e, ok := errors.AsType[*sett.Error](err)
	if !ok || e.Code != sett.Invalid && e.Code != sett.TooMany && e.Code != sett.Conflict {
		return err
	}
	page.Refused(e.Message)
	serve.SetRetryAfter(w.Header(), e)
	return p.Show(w, r, serve.Status(e.Code), name, page)
}
