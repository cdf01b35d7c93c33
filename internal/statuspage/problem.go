package statuspage

import (
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
)

// problemPage shows an error.
type problemPage struct {
	Shell
	Heading   string
	Message   string
	RequestID string
}

// answerError answers with err: as a page for browsers, else like serve.AnswerError.
func (p *Pages) answerError(w http.ResponseWriter, r *http.Request, err error) {
	w.Header()["Cache-Control"] = privately
	e := serve.Explain(r, err)
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		serve.AnswerError(w, r, e)
		return
	}
	serve.SetRetryAfter(w.Header(), e)
	root := ""
	if slug := r.PathValue("slug"); slug != "" {
		root = p.base.Path + "/status/" + slug
	}
	page := problemPage{
		Shell{Title: headingOf(e.Code), Name: "Status", Root: root, Style: p.style, Hidden: true}, headingOf(e.Code), e.Message, "",
	}
	if e.Code == "" {
		page.RequestID = serve.RequestID(r.Context())
	}
	if p.answerPage(w, r, serve.Status(e.Code), "problem", page) != nil {
		serve.AnswerError(w, r, e)
	}
}

func headingOf(code sett.Code) string {
	switch code {
	case sett.NotFound:
		return "Not found"
	case sett.TooMany:
		return "Too many requests"
	case sett.Unavailable:
		return "Temporarily unavailable"
	case sett.Invalid, sett.Malformed, sett.TooLarge, sett.Conflict, sett.MethodNotAllowed, sett.Forbidden, sett.Unauthenticated:
		return "Request failed"
	}
	return "Server error"
}

// answerPage answers with a page that is rendered only for this request.
func (p *Pages) answerPage(w http.ResponseWriter, r *http.Request, status int, name string, page any) error {
	body, err := p.writePage(name, page)
	if err != nil {
		return err
	}
	d := newAnswer(pageForm, body)
	h := w.Header()
	h["Cache-Control"], h["Content-Security-Policy"], h["Vary"] = privately, d.policy, varyEncoding
	d.write(w, r, status)
	return nil
}
