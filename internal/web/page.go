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
	"sett/internal/sett/accounts"
)

//go:embed page/*.html part/*.html
var templateFiles embed.FS

// policy is the content security policy of every page: styles and scripts are files of this server and may only connect to it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Shell is the data of the layout. The struct of each page embeds it.
type Shell struct {
	Title   string
	Heading string        // the heading if it differs from the title; "-" if the page renders its own
	User    accounts.User // the signed-in user; the ID is 0 for anonymous requests
	Here    string        // path of the page, for the navigation
	Address string        // path and query of the page
	Query   string        // the search
	Doing   bool          // what Done says is not finished
	Done    string        // message about the change that was just made; "" for none
	Undo    Undo          // form that undoes the change
	Problem string        // why the form was rejected; "" if it was not
	Theme   string        // light, dark or "" for that of the system
	Section string        // section of the navigation
	Scripts []string      // additional scripts, such as passkey.js
	Sheets  []string      // additional style sheets, such as board.css
	NoMail  bool          // the server sends no email
	Bare    bool          // the page is alone: without header and navigation
	Refresh int           // seconds after which browsers without scripts load the page again; 0: never
	Secret  bool          // the page shows a secret and is therefore not compressed
	Frames  bool          // the page shows another page of this server in a frame
	Now     time.Time     // the time that relative times refer to, in the time zone of the viewer
	Nav     accounts.Navigation

	scope accounts.Scope
	err   error // error while reading the data of the shell
}

// Undo is a form that undoes a change; without a path there is none.
type Undo struct {
	Path   string
	Fields []Field // hidden fields
}

// May reports whether the user has a permission on the object of the path. Pages leave out what is not allowed; the routes of
// forms check again.
func (s Shell) May(p accounts.Permission) bool { return s.scope.May(p) }

func (s Shell) problem() error { return s.err }

func (s Shell) secret() bool { return s.Secret }

func (s Shell) policy() string {
	if s.Frames {
		return policy + "; frame-src 'self'"
	}
	return policy
}

// Refused sets why a form was rejected.
func (s *Shell) Refused(message string) { s.Problem = message }

// doneTexts are the messages of ?done= on all pages. A free text in the URL would let others inject messages.
var doneTexts = map[string]string{
	"saved":   "Saved.",
	"deleted": "Deleted.",
}

// Shell returns the shell of a page.
func (p *Pages) Shell(r *http.Request, title string) Shell { return p.ShellIn(r, title, Project(r)) }

// ShellIn returns the shell of a page that is shown in a project; 0 stands for none.
func (p *Pages) ShellIn(r *http.Request, title string, project int64) Shell {
	done := r.URL.Query().Get("done")
	s := Shell{
		Title: title, User: Who(r).User, Here: r.URL.Path, Address: p.addressOf(r), Theme: themeOf(r), Now: p.NowFor(r), NoMail: !p.Mail, scope: ScopeOf(r),
	}
	if s.Done = p.done[done]; s.Done == "" {
		s.Done = doneTexts[done]
	}
	if s.User.ID != 0 {
		s.Nav, s.err = p.Store.Navigation(r.Context(), s.User.ID, project, r.PathValue("account_id"))
	}
	return s
}

// ShellOfPart returns the shell for a part of a page that a stream sends, which has no navigation.
func (p *Pages) ShellOfPart(r *http.Request) Shell {
	return Shell{User: Who(r).User, Now: p.Now(), scope: ScopeOf(r)}
}

// addressOf returns the path of the current page: for a form, the page that it was sent from.
func (p *Pages) addressOf(r *http.Request) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return r.URL.RequestURI()
	}
	from, err := url.Parse(r.Referer())
	if err != nil {
		return "/"
	}
	address := from.RequestURI()
	if rest, below := strings.CutPrefix(address, p.root); below && strings.HasPrefix(rest, "/") {
		address = rest
	}
	return LocalPath(address)
}

// In returns the shell with a section of the navigation.
func (s Shell) In(section string) Shell {
	s.Section = section
	return s
}

// Part renders a part of a page, such as a row for a stream; page is the name of the page's template.
func (p *Pages) Part(page, part string, data any) (string, error) {
	t, err := p.templates.set(page, part)
	if err != nil {
		return "", err
	}
	var body strings.Builder
	if err := t.ExecuteTemplate(&body, part, data); err != nil {
		return "", fmt.Errorf("render part: %w", err)
	}
	return strings.TrimSpace(body.String()), nil
}

// Page is the struct of a page, which embeds Shell.
type Page interface {
	problem() error
	secret() bool
	policy() string
}

// Render returns a page; name is the name of its template.
func (p *Pages) Render(name string, page Page) ([]byte, error) {
	t, err := p.templates.set(name, "layout")
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "layout", page); err != nil {
		return nil, fmt.Errorf("render page: %w", err)
	}
	return body.Bytes(), nil
}

// Show answers with a page; name is the name of its template. It writes nothing if rendering fails.
func (p *Pages) Show(w http.ResponseWriter, r *http.Request, status int, name string, page Page) error {
	if err := page.problem(); err != nil {
		return err
	}
	began := time.Now()
	body, err := p.Render(name, page)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.policy())
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

// Again answers a rejected form with its page and the reason. It returns errors that users cannot fix in the form.
func (p *Pages) Again(w http.ResponseWriter, r *http.Request, err error, name string, page Refusable) error {
	e, ok := errors.AsType[*sett.Error](err)
	if !ok || e.Code != sett.Invalid && e.Code != sett.TooMany && e.Code != sett.Conflict {
		return err
	}
	page.Refused(refusedText(err, e))
	serve.SetRetryAfter(w.Header(), e)
	return p.Show(w, r, serve.Status(e.Code), name, page)
}
