package serve

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sett/internal/sett/accounts"
)

// docsFiles are the pages of the documentation, and in members.html what they share.
//
//go:embed docs.html webhooks.html members.html
var docsFiles embed.FS

//go:embed docs.css
var docsCSS string

// DocsHandlers serve the documentation of a route table as pages without scripts, made once: under "" the basics and a list
// of all routes, and under the name of each resource its routes with their parameters, the fields of their bodies and
// responses, and curl lines to copy. It panics when a page cannot be drawn, because a route's tags contradict its types.
func DocsHandlers(info Info, routes []Route) map[string]http.Handler {
	page := docsPage{Info: info, Style: template.CSS(docsCSS), Errors: docsErrors()} //nolint:gosec // a file of our own
	for _, rt := range routes {
		page.add(rt)
	}
	t := docsTemplate("docs.html")
	handlers := map[string]http.Handler{"": drawn(t, page)}
	for _, chapter := range page.Chapters {
		page.Chapter = chapter
		handlers[chapter.Name] = drawn(t, page)
	}
	return handlers
}

// WhenAsked makes a handler when the first request comes for it.
func WhenAsked(build func() http.Handler) http.Handler {
	h := sync.OnceValue(build)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h().ServeHTTP(w, r) })
}

// docsTemplate returns one of the pages of the documentation.
func docsTemplate(name string) *template.Template {
	return template.Must(template.ParseFS(docsFiles, "members.html", name)).Lookup(name)
}

// drawn draws a page once and serves it; nothing in it may run, and its one style is that of docs.css.
func drawn(t *template.Template, page any) http.Handler {
	var body bytes.Buffer
	if err := t.Execute(&body, page); err != nil {
		panic(fmt.Errorf("draw documentation: %w", err))
	}
	style := sha256.Sum256([]byte(docsCSS))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(style[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	etag := fmt.Sprintf(`W/"%x"`, sha256.Sum256(body.Bytes()))
	packed := Gzip(body.Bytes())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("ETag", etag)
		ServePacked(w, r, body.Bytes(), packed)
	})
}

// docsPage is what docs.html shows.
type docsPage struct {
	Info     Info
	Style    template.CSS
	Errors   []docsError
	Chapters []*docsChapter
	Chapter  *docsChapter // the one that the page shows; nil for the list of all
}

type docsError struct {
	Status  int
	Meaning string
}

type docsChapter struct {
	Tag    string
	Name   string // in the URL
	Routes []docsRoute
}

type docsRoute struct {
	Route
	Access string
	Params []member
	Body   []member
	Result []member
	Answer string // such as "201 Created, an object"
	Curl   string
}

func docsErrors() []docsError {
	var list []docsError
	for _, code := range everyCode() {
		list = append(list, docsError{Status(code), meaning(code)})
	}
	return list
}

func (p *docsPage) add(rt Route) {
	i := slices.IndexFunc(p.Chapters, func(c *docsChapter) bool { return c.Tag == rt.Tag })
	if i < 0 {
		i = len(p.Chapters)
		p.Chapters = append(p.Chapters, &docsChapter{Tag: rt.Tag, Name: strings.ReplaceAll(strings.ToLower(rt.Tag), " ", "-")})
	}
	shown := docsRoute{
		Route: rt, Access: accessTo(rt.Permission), Params: paramsOf(p.Info, rt), Answer: answerOf(rt), Curl: curlOf(p.Info, rt),
	}
	if rt.Body != nil {
		shown.Body = membersOf(reflect.TypeOf(rt.Body), "", nil)
	}
	if rt.Result != nil {
		shown.Result = membersOf(reflect.TypeOf(rt.Result), "", nil)
	}
	p.Chapters[i].Routes = append(p.Chapters[i].Routes, shown)
}

func accessTo(p accounts.Permission) string {
	switch p {
	case accounts.Public:
		return "No credentials."
	case accounts.ReportWithKey:
		return "The API key of a project."
	case accounts.ReadFigures:
		return "The token of --metrics-token (SETT_METRICS_TOKEN), or a network of --metrics-networks."
	default:
		return "A personal token with the permission to " + strings.ReplaceAll(string(p), "_", " ") + "."
	}
}

func paramsOf(info Info, rt Route) []member {
	var params []member
	for _, name := range rt.pathParams() {
		p := info.Params[name]
		params = append(params, member{Name: name, Type: p.typeName() + " in the path", Doc: p.Doc, Values: p.Enum, Required: true})
	}
	for _, f := range routeQuery(rt) {
		t := f.Type
		if isOptional(t) {
			t = optionalElem(t)
		}
		params = append(params, newMember(f.Name, t, f.remarks, false))
	}
	return params
}

func answerOf(rt Route) string {
	moved := ""
	if rt.Moved != "" {
		moved = "; or 301 Moved Permanently: " + rt.Moved
	}
	return answered(rt) + moved
}

func answered(rt Route) string {
	answer := fmt.Sprintf("%d %s, ", rt.success(), http.StatusText(rt.success()))
	switch {
	case rt.Media != "":
		return answer + rt.Media
	case rt.Result == nil:
		return answer + "no body"
	}
	answer += typeText(reflect.TypeOf(rt.Result))
	for _, status := range rt.Also {
		answer += fmt.Sprintf("; or %d %s with the same body", status, http.StatusText(status))
	}
	return answer
}
