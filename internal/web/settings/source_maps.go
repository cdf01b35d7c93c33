package settings

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/event/sourcemap"
	"sett/internal/ingest/unminify"
	"sett/internal/sett"
	"sett/internal/store/sourcemapdb"
	"sett/internal/web"
)

// How many revisions and maps a page lists.
const (
	mostRevisions = 200
	mostMaps      = 100
)

// sourceMapsPage is the page of the source maps of a project, by revision, with the form that tests a URL.
type sourceMapsPage struct {
	page
	Total     sourcemapdb.Total
	Revisions []revisionRow
	More      bool // than are listed
	Fields    web.Fields
	Tested    *testedURL
}

// revisionRow is a revision with its maps.
type revisionRow struct {
	sourcemapdb.Revision
	Number int
}

// Label is the name of the revision, or what stands for it.
func (r revisionRow) Label() string { return revisionLabel(r.Name) }

func revisionLabel(name string) string {
	if name == "" {
		return "none: found by debug ID"
	}
	return name
}

// Path is the query of the page of the revision.
func (r revisionRow) Path() string { return "?" + url.Values{"revision": {r.Name}}.Encode() }

// testedURL is what the form found out.
type testedURL struct {
	unminify.Origin
	Why  string
	Path string // of the revision of the map
}

// Place is the original position, or "".
func (t testedURL) Place() string {
	if !t.Mapped() || t.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s:%d:%d", t.File, t.Line, t.Column)
}

// Revision is that of the map.
func (t testedURL) Revision() string { return revisionLabel(t.Map.Revision) }

func (p *pages) sourceMapsPage(w http.ResponseWriter, r *http.Request) error {
	shown := &sourceMapsPage{page: p.newPage(r, "Source maps", "source-maps")}
	found, err := p.SourceMaps.Revisions(r.Context(), shown.ProjectID, mostRevisions+1)
	if err != nil {
		return err
	}
	for i, revision := range found[:min(len(found), mostRevisions)] {
		shown.Revisions = append(shown.Revisions, revisionRow{revision, i + 1})
	}
	shown.More = len(found) > mostRevisions
	if shown.Total, err = p.SourceMaps.Total(r.Context(), shown.ProjectID); err != nil {
		return err
	}
	status, err := p.testURL(r, shown)
	if err != nil {
		return err
	}
	return p.Show(w, r, status, "settings_source_maps", shown)
}

// testURL fills in the form with the query, and finds the map that applies to its URL.
func (p *pages) testURL(r *http.Request, shown *sourceMapsPage) (status int, err error) {
	query := r.URL.Query()
	shown.Fields = web.Fields{
		{Name: "url", Label: "URL", Kind: "text", Value: query.Get("url"), Hint: "The URL of the minified file as in the backtrace, for example https://example.com/assets/main.js.", Code: true},
		{Name: "revision", Label: "Revision", Kind: "text", Value: query.Get("revision"), Hint: "The revision of the event. Without one, " + sourcemapdb.DefaultRevision + ".", Optional: true, Code: true},
		{Name: "position", Label: "Line and column", Kind: "text", Value: query.Get("position"), Hint: "As in the backtrace, for example 1:1842.", Optional: true, Code: true},
		{Name: "debug_id", Label: "Debug ID", Kind: "text", Value: query.Get("debug_id"), Hint: "Sentry SDKs send one in debug_meta.", Optional: true, Code: true},
	}
	if !query.Has("url") {
		return http.StatusOK, nil
	}
	build, frame, err := readTest(query)
	if err != nil {
		shown.Fields.Explain(sett.ProblemsOf(err))
		return http.StatusUnprocessableEntity, nil
	}
	build.ProjectID = shown.ProjectID
	origin, err := p.Maps.Lookup(build).Test(r.Context(), frame)
	shown.Tested = &testedURL{origin, origin.Why(), revisionRow{Revision: sourcemapdb.Revision{Name: origin.Map.Revision}}.Path()}
	if origin.Reason == unminify.NotMinified {
		shown.Tested.Why = "Source maps apply to JavaScript: to URLs of web pages, and to files that end in .js, .mjs, .cjs or .bundle."
	}
	return http.StatusOK, err
}

// readTest returns what the form asks about, or an Invalid error.
func readTest(query url.Values) (b unminify.Build, f unminify.Frame, err error) {
	var p sett.Problems
	clean, wrong := sourcemap.CheckURL(query.Get("url"))
	if wrong != nil {
		p.Add("url", "%s", wrong)
	}
	b.Revision = strings.TrimSpace(query.Get("revision"))
	b.DebugIDs = map[string]string{clean: sourcemap.CleanDebugID(strings.TrimSpace(query.Get("debug_id")))}
	f.File = clean
	if position := strings.TrimSpace(query.Get("position")); position != "" {
		line, column, _ := strings.Cut(position, ":")
		var lineErr, columnErr error
		f.Line, lineErr = strconv.Atoi(line)
		f.Column, columnErr = strconv.Atoi(column)
		if lineErr != nil || columnErr != nil || f.Line < 1 || f.Column < 1 {
			p.Add("position", "must be two numbers from 1 with a colon, for example 1:1842")
		}
	}
	return b, f, p.Refusal()
}

// revisionPage is the page of the source maps of one revision.
type revisionPage struct {
	page
	Revision string
	Maps     []sourcemapdb.Found
	Pager    web.Pager
}

// Label is the name of the revision, or what stands for it.
func (r revisionPage) Label() string { return revisionLabel(r.Revision) }

func (p *pages) revisionPage(w http.ResponseWriter, r *http.Request) error {
	shown := &revisionPage{page: p.newPage(r, "Source maps", "source-maps"), Revision: r.URL.Query().Get("revision")}
	found, marks, err := p.SourceMaps.List(r.Context(), shown.ProjectID, sett.Some(shown.Revision), web.PageOf(r, mostMaps))
	if err != nil {
		return err
	}
	if len(found) == 0 && r.URL.Query().Get("page") == "" {
		return sett.Errorf(sett.NotFound, "Not found: this revision has no source maps.")
	}
	shown.Maps, shown.Pager = found, p.NewPager(r, marks)
	return p.Show(w, r, http.StatusOK, "settings_source_maps_revision", shown)
}

func (p *pages) dropSourceMap(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	if err := p.SourceMaps.Delete(r.Context(), web.Project(r), web.PathID(r, "source_map_id")); err != nil {
		return err
	}
	p.Maps.Forget()
	return p.Done(w, to(r, "/source-maps"), "source_map_deleted")
}

func (p *pages) dropRevision(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := p.SourceMaps.DeleteRevision(r.Context(), web.Project(r), form.Get("revision")); err != nil {
		return err
	}
	p.Maps.Forget()
	return p.Done(w, to(r, "/source-maps"), "source_maps_deleted")
}
