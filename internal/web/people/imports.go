package people

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
	"sett/internal/web"
)

// importList is the page on which people start an import, with those that were started.
type importList struct {
	page
	Sources []importSource
	Source  importSource // the chosen one
	Fields  web.Fields
	Imports []importRow
	Open    bool // one is running: no other can start
}

// importSource is a service that people move from.
type importSource struct {
	ID, Name string
	Command  string // for what only the command line imports; "" for what this page does
	Token    string // what its token is, and where to create it
	Example  string // of its address
	Chapter  string // of the manual
}

// Files reports whether people give its files, and no address.
func (s importSource) Files() bool { return move.Settings{From: s.ID}.OfFiles() }

var importSources = []importSource{
	{
		move.FromSentry, "Sentry or GlitchTip", "",
		"An auth token with the scopes org:read, project:read, team:read, member:read, event:read and project:releases.", "https://sentry.example.org", "/docs/import",
	},
	{
		move.FromHoneybadger, "Honeybadger", "",
		"The personal token on your profile page at Honeybadger. An API key of a project does not work.", "https://app.honeybadger.io", "/docs/import#from-honeybadger",
	},
	{
		move.FromBugsink, "Bugsink", "",
		"An auth token of Bugsink that may read projects, teams, issues, events and releases.", "https://bugsink.example.org", "/docs/import#from-bugsink",
	},
	{
		move.FromHealthchecks, "Healthchecks", "",
		"A read-write API key, from the settings of the project at Healthchecks.", "https://healthchecks.io", "/docs/import-monitors#from-healthchecks",
	},
	{"kuma", "Uptime Kuma", "sett import kuma kuma.db", "", "", "/docs/import-monitors#from-uptime-kuma"},
	{move.FromGatus, "Gatus", "", "", "", "/docs/import-monitors#from-gatus"},
	{move.FromOpenStatus, "OpenStatus", "", "", "", "/docs/import-monitors#from-openstatus"},
	{"sett", "Another sett", "sett import sett FILE", "", "", "/docs/export#store-one"},
}

// sourceOf returns the source with an id, or the first.
func sourceOf(id string) importSource {
	for _, s := range importSources {
		if s.ID == id {
			return s
		}
	}
	return importSources[0]
}

// importRow is an import in the list.
type importRow struct {
	move.Import
	Name string // of the source
	Is   web.State
}

func newImportRow(i move.Import) importRow {
	row := importRow{Import: i, Name: sourceOf(i.Settings.From).Name}
	switch i.State {
	case move.ImportWaiting:
		row.Is = web.State{Mood: web.Info, Word: "Waiting"}
	case move.ImportRunning:
		row.Is = web.State{Mood: web.Info, Word: "Running"}
	case move.ImportDone:
		row.Is = web.State{Mood: web.Fine, Word: "Finished"}
	case move.ImportFailed:
		row.Is = web.State{Mood: web.Critical, Word: "Failed"}
	case move.ImportStopped:
		row.Is = web.State{Mood: web.Paused, Word: "Stopped"}
	}
	return row
}

// What returns what an import does.
func (i importRow) What() string {
	if i.DryRun {
		return "Look"
	}
	return "Import"
}

func (p *pages) newImportList(r *http.Request, source importSource, form url.Values) (*importList, error) {
	v := &importList{page: p.newPage(r, "Import", "imports"), Sources: importSources, Source: source}
	if source.Command == "" {
		v.Fields = importFields(source, form)
	}
	all, err := p.Moves.ListImports(r.Context(), v.AccountID)
	for _, i := range all {
		v.Imports = append(v.Imports, newImportRow(i))
		v.Open = v.Open || i.Open()
	}
	return v, err
}

// importFields are the fields of a source, as a form has them. The token is never shown again.
func importFields(source importSource, form url.Values) web.Fields {
	address := web.Field{Name: "url", Label: "Address", Kind: "url", Value: form.Get("url"), Hint: "Of the server, for example " + source.Example + "."}
	token := tokenField(source)
	if (move.Settings{From: source.ID}).Monitor() {
		project := web.Field{Name: "project", Label: "Project", Kind: "text", Value: form.Get("project"), Hint: "Gets what comes. It is created if there is none of this name."}
		if source.Files() {
			return web.Fields{token, project}
		}
		return web.Fields{address, token, project}
	}
	fields := web.Fields{address, token}
	switch source.ID {
	case move.FromSentry:
		fields = append(fields, web.Field{Name: "org", Label: "Organization", Kind: "text", Value: form.Get("org"), Hint: "Its slug, as in the address of its pages."})
	case move.FromHoneybadger:
		fields = append(fields, web.Field{Name: "theirs", Label: "Account there", Kind: "text", Value: form.Get("theirs"), Optional: true, Hint: "Its ID. Only needed if the token sees several."})
	}
	events := form.Get("events")
	if events == "" {
		events = "3"
	}
	return append(fields,
		web.Field{Name: "projects", Label: "Projects", Kind: "area", Lines: 3, Value: form.Get("projects"), Optional: true, Hint: "One per line. Empty: all of them."},
		web.Field{Name: "events", Label: "Events per error", Kind: "number", Value: events, Hint: "The newest of each error, at most 100. Each takes a request."},
	)
}

func tokenField(source importSource) web.Field {
	if source.Files() {
		return web.Field{Name: "files", Label: "Files", Kind: "file", Hint: "One or several YAML files, at most 1 MiB together."}
	}
	return web.Field{Name: "token", Label: "Token", Kind: "password", Hint: source.Token}
}

func (p *pages) importsPage(w http.ResponseWriter, r *http.Request) error {
	source, form := r.URL.Query().Get("source"), url.Values(nil)
	if id, err := strconv.ParseInt(r.URL.Query().Get("like"), 10, 64); err == nil {
		like, err := p.Moves.ImportByID(r.Context(), r.PathValue("account_id"), id)
		if err != nil {
			return err
		}
		source, form = like.Settings.From, formOf(like.Settings)
	}
	v, err := p.newImportList(r, sourceOf(source), form)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "imports", v)
}

// lookForImport starts a look: an import that writes nothing.
func (p *pages) lookForImport(w http.ResponseWriter, r *http.Request) error {
	form, files, err := readImport(w, r)
	if err != nil {
		return err
	}
	var problems sett.Problems
	settings := importSettings(&problems, form).Check(&problems)
	token := secretOf(&problems, &settings, form, files)
	var id int64
	if err = problems.Refusal(); err == nil {
		id, err = p.Moves.AddImport(r.Context(), p.Now(), importOwner(r), settings, token, true)
	}
	if err != nil {
		v, failed := p.newImportList(r, sourceOf(form.Get("from")), form)
		if failed != nil {
			return failed
		}
		v.Fields.Explain(problems)
		return p.Again(w, r, err, "imports", v)
	}
	return p.Done(w, importPath(r, id), "look_started")
}

// readImport reads a form with a token, or one with files.
func readImport(w http.ResponseWriter, r *http.Request) (url.Values, []move.Given, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		form, err := web.ReadForm(w, r)
		return form, nil, err
	}
	form, sent, err := web.ReadFiles(w, r, "files", move.MostFileBytes)
	var files []move.Given
	for _, f := range sent {
		files = append(files, move.Given(f))
	}
	return form, files, err
}

// secretOf returns what an import needs beside its settings, and what is erased when it ends: the token of a server, or files.
func secretOf(problems *sett.Problems, settings *move.Settings, form url.Values, files []move.Given) string {
	if !settings.OfFiles() {
		return move.CheckToken(problems, form.Get("token"))
	}
	files = move.CheckFiles(problems, files)
	if len(*problems) > 0 {
		return ""
	}
	settings.Files = move.FileNames(files)
	packed, err := move.PackFiles(files)
	if err != nil {
		problems.Add("files", "cannot be stored; choose them again")
	}
	return packed
}

// importSettings reads a form.
func importSettings(problems *sett.Problems, form url.Values) move.Settings {
	s := move.Settings{From: form.Get("from"), URL: form.Get("url"), Org: form.Get("org"), Theirs: form.Get("theirs"), Project: form.Get("project")}
	for line := range strings.Lines(form.Get("projects")) {
		if name := strings.TrimSpace(line); name != "" {
			s.Projects = append(s.Projects, name)
		}
	}
	if s.Monitor() {
		return s
	}
	n, err := strconv.Atoi(strings.TrimSpace(form.Get("events")))
	if err != nil {
		problems.Add("events", "must be a number from 0 to %d", move.MostNewest)
	}
	s.Events = n
	return s
}

// formOf returns settings as a form has them.
func formOf(s move.Settings) url.Values {
	return url.Values{
		"url": {s.URL}, "org": {s.Org}, "theirs": {s.Theirs}, "project": {s.Project}, "projects": {strings.Join(s.Projects, "\n")}, "events": {strconv.Itoa(s.Events)},
	}
}

func importOwner(r *http.Request) movedb.Owner {
	return movedb.Owner{AccountID: r.PathValue("account_id"), UserID: web.Who(r).User.ID}
}

// importPath returns the path of an import in the account of a request.
func importPath(r *http.Request, id int64) string {
	return account(r, "/imports/"+strconv.FormatInt(id, 10))
}
