package web

import (
	"net/http"
	"slices"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// errorPage says what went wrong.
type errorPage struct {
	Shell
	Message   string
	RequestID string
}

// Error answers with err: with a page where people look, else as serve.AnswerError. It is meant for serve.MuxOptions.
func (p *Pages) Error(w http.ResponseWriter, r *http.Request, err error) {
	if !forPeople(r) {
		serve.AnswerError(w, r, err)
		return
	}
	e := serve.Explain(r, err)
	page := errorPage{Shell: Shell{Title: titleOf(e.Code), Theme: themeOf(r), Now: p.Now()}, Message: e.Message, RequestID: serve.RequestID(r.Context())}
	serve.SetRetryAfter(w.Header(), e)
	if p.Show(w, r, serve.Status(e.Code), "error", page) != nil {
		serve.AnswerError(w, r, err)
	}
}

// machines are the first words of the paths that programs ask for.
func machines() []string {
	return []string{"v1", "v2", "healthz", "readyz", "metrics", "openapi.json"}
}

// forPeople reports whether a request is a browser's, for something to look at.
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
		return "Not available right now"
	case sett.Invalid, sett.Malformed, sett.TooLarge, sett.Conflict, sett.MethodNotAllowed:
		return "That did not work"
	default:
		return "Something went wrong"
	}
}
