package statuspage

import (
	"net/http"
	"strings"

	"sett/internal/serve"
	"sett/internal/sett"
	"sett/internal/sett/status/locale"
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
		root = p.root + "/status/" + slug
	}
	lang := locale.Match(r.Header.Get("Accept-Language"))
	heading, text := keysOf(e.Code)
	page := problemPage{Shell{Lang: lang, Title: lang.Text(heading), Name: "Status", Root: root, Style: p.style, Hidden: true}, lang.Text(heading), lang.Text(text), ""}
	if lang == locale.English {
		page.Message = e.Message
	}
	if e.Code == "" {
		page.RequestID = serve.RequestID(r.Context())
	}
	if p.answerPage(w, r, serve.Status(e.Code), "problem", page) != nil {
		serve.AnswerError(w, r, e)
	}
}

// keysOf returns the keys of the heading and the text for an error. English pages show the message of the error, which says more.
func keysOf(code sett.Code) (heading, text string) {
	switch code {
	case sett.NotFound:
		return "not_found", "not_found_text"
	case sett.TooMany:
		return "too_many", "too_many_text"
	case sett.Unavailable:
		return "unavailable", "try_again"
	case sett.Invalid, sett.Malformed, sett.TooLarge, sett.Conflict, sett.MethodNotAllowed, sett.Forbidden, sett.Unauthenticated:
		return "failed", "failed_text"
	}
	return "server_error", "server_text"
}

// answerPage answers with a page that is rendered only for this request.
func (p *Pages) answerPage(w http.ResponseWriter, r *http.Request, status int, name string, page any) error {
	body, err := p.writePage(name, page)
	if err != nil {
		return err
	}
	d := newAnswer(pageForm, body)
	h := w.Header()
	h["Cache-Control"], h["Content-Security-Policy"], h["Vary"] = privately, d.policy, varyLanguage
	d.write(w, r, status)
	return nil
}
