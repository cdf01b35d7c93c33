package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// errorPage shows an error.
type errorPage struct {
	Shell
	Message   string
	RequestID string
}

// Error answers with err: with a page for browsers, else like serve.AnswerError. It is meant for serve.MuxOptions.
func (p *Pages) Error(w http.ResponseWriter, r *http.Request, err error) {
	if !forPeople(r) {
		serve.AnswerError(w, r, err)
		return
	}
	if path, ok := p.pageOfForm(r, err); ok {
		_ = p.Redirect(w, path)
		return
	}
	e := serve.Explain(r, err)
	page := errorPage{Shell: p.around(r, e.Code), Message: PlainMessage(e.Message), RequestID: serve.RequestID(r.Context())}
	serve.SetRetryAfter(w.Header(), e)
	if p.Show(w, r, serve.Status(e.Code), "error", page) != nil {
		serve.AnswerError(w, r, err)
	}
}

// pageOfForm returns the path of the page above a form, for browsers that load the URL of a form again: it only accepts the form.
func (p *Pages) pageOfForm(r *http.Request, err error) (path string, ok bool) {
	if sett.CodeOf(err) != sett.MethodNotAllowed || r.Method != http.MethodGet {
		return "", false
	}
	asked := strings.Split(r.URL.Path, "/")
	same := func(named, segment string) bool { return strings.HasPrefix(named, "{") || named == segment }
	for _, rt := range p.routes {
		if named := strings.Split(rt.Path, "/"); rt.Method == http.MethodPost && slices.EqualFunc(named, asked, same) {
			return p.pageAbove(named, asked), true
		}
	}
	return "", false
}

// pageAbove returns the nearest path above another that is a page; named are the segments of its route.
func (p *Pages) pageAbove(named, segments []string) string {
	for i := len(named) - 1; i > 1; i-- {
		if p.own[http.MethodGet+" "+strings.Join(named[:i], "/")] {
			return LocalPath((&url.URL{Path: strings.Join(segments[:i], "/")}).EscapedPath())
		}
	}
	return "/"
}

// around returns the shell of an error page. It has the navigation of the signed-in user, unless the server itself failed.
func (p *Pages) around(r *http.Request, code sett.Code) Shell {
	s := Shell{Title: titleOf(code), Theme: themeOf(r), Now: p.Now(), Address: "/"}
	if code == "" || code == sett.Unavailable {
		return s
	}
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	r = r.WithContext(ctx)
	who, required, err := p.visitor(r)
	if err != nil || who.User.ID == 0 || required.AccountID != "" {
		return s
	}
	if nav, err := p.Store.Navigation(ctx, who.User.ID, 0, ""); err == nil {
		s.User, s.Nav = who.User, nav
	}
	return s
}

// machines are the first segments of paths for programs.
func machines() []string {
	return []string{"v1", "v2", "healthz", "readyz", "metrics", "openapi.json"}
}

// forPeople reports whether a browser requests a page.
func forPeople(r *http.Request) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return !slices.Contains(machines(), first) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func titleOf(code sett.Code) string {
	switch code {
	case sett.NotFound:
		return "Not found"
	case sett.Forbidden:
		return "Not allowed"
	case sett.TooMany:
		return "Too many attempts"
	case sett.Unavailable:
		return "Temporarily unavailable"
	case sett.Invalid, sett.Malformed, sett.TooSlow, sett.TooLarge, sett.Conflict, sett.MethodNotAllowed:
		return "Request failed"
	default:
		return "Server error"
	}
}
