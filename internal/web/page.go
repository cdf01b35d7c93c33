package web

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

//go:embed page/*.html part/*.html
var templateFiles embed.FS

// policy is the content policy of every page (ui.md): styles are ours, scripts are none. Pages with a script have ours, and
// it may ask us alone.
const (
	policy         = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
	scriptedPolicy = policy + "; script-src 'self'; connect-src 'self'"
)

// Shell is what every page has around it. The struct of a page embeds it.
type Shell struct {
	Title   string
	User    sett.User // who is signed in; its ID is 0 when nobody is
	Here    string    // path of the page, to mark it in the navigation
	Done    string    // what the change that led here did; "" for none
	Problem string    // why the form was refused; "" when it was not
	Script  bool      // the page has the script of passkeys
}

// doneTexts are what ?done= stands for. A text of its own in an address would let others put words in our mouth.
var doneTexts = map[string]string{
	"alerts":          "Saved.",
	"asked":           "If somebody has this address, a mail is on its way. Its link sets a new password within one hour.",
	"connect":         "There is a user with your address already. If that is you, sign in by other means this once, so that the two can be connected.",
	"connected":       "Your single sign-on is connected.",
	"ended":           "That browser is signed out.",
	"factor_off":      "The second factor is off.",
	"joined":          "You have joined.",
	"others":          "Every other browser is signed out.",
	"passkey_added":   "The passkey is added. From now on you can sign in with it.",
	"passkey_removed": "The passkey is removed. Your device may still show it; delete it there as well.",
	"password":        "Your password is changed, and every other browser is signed out.",
	"reset":           "Your password is changed. Sign in with it.",
	"revoked":         "The token is revoked.",
	"signed_out":      "You are signed out.",
}

func (p *Pages) shell(r *http.Request, title string) Shell {
	return Shell{Title: title, User: who(r).User, Here: r.URL.Path, Done: doneTexts[r.URL.Query().Get("done")]}
}

// scriptedShell is shell for a page with the script of passkeys.
func (p *Pages) scriptedShell(r *http.Request, title string) Shell {
	s := p.shell(r, title)
	s.Script = true
	return s
}

// contentPolicy returns what browsers may load for the page.
func (s Shell) contentPolicy() string {
	if s.Script {
		return scriptedPolicy
	}
	return policy
}

// refused notes why a form was refused.
func (s *Shell) refused(message string) { s.Problem = message }

// parseTemplates reads every page together with all parts.
func (p *Pages) parseTemplates() (map[string]*template.Template, error) {
	files, err := fs.Glob(templateFiles, "page/*.html")
	if err != nil {
		return nil, fmt.Errorf("find pages: %w", err)
	}
	parsed := map[string]*template.Template{}
	for _, file := range files {
		t, err := template.New("layout").Option("missingkey=error").Funcs(p.functions()).ParseFS(templateFiles, "part/*.html", file)
		if err != nil {
			return nil, fmt.Errorf("read page: %w", err)
		}
		parsed[strings.TrimSuffix(path.Base(file), ".html")] = t
	}
	return parsed, nil
}

// functions are what templates can call beside the methods of their struct.
func (p *Pages) functions() template.FuncMap {
	return template.FuncMap{
		"at":     func(path string) string { return p.root + path }, // a path of ours, as browsers know it
		"style":  func() string { return p.root + "/s/" + p.style.name },
		"script": func() string { return p.root + "/s/" + p.script.name },
		"when":   when,
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// when writes a time for people who may be anywhere.
func when(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") }

// show answers with a page; name is that of its template. Nothing is written when it cannot be drawn.
func (p *Pages) show(w http.ResponseWriter, status int, name string, page interface{ contentPolicy() string }) error {
	t, ok := p.templates[name]
	if !ok {
		return fmt.Errorf("there is no page %q", name)
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "layout", page); err != nil {
		return fmt.Errorf("draw page: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", page.contentPolicy())
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body.Bytes())
	return nil
}

// refusable is the page of a form.
type refusable interface {
	contentPolicy() string
	refused(message string)
}

// again answers a form that was refused with its page and the reason. An error that people cannot mend in the form comes
// back as it is.
func (p *Pages) again(w http.ResponseWriter, err error, name string, page refusable) error {
	e, ok := errors.AsType[*sett.Error](err)
	if !ok || e.Code != sett.Invalid && e.Code != sett.TooMany && e.Code != sett.Conflict {
		return err
	}
	page.refused(e.Message)
	serve.SetRetryAfter(w.Header(), e)
	return p.show(w, serve.Status(e.Code), name, page)
}
