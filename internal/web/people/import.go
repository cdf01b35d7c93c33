package people

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/web"
)

// importView is the page of an import: how far it is, then what came and what did not.
type importView struct {
	page
	Import importRow
	Left   []leftRow
	Token  web.Fields // for Import after a look, and for Go on
	Said   string     // what a screen reader says of it; "" for nothing
}

// importRefresh is after how many seconds browsers without scripts load the page of a running import again.
const importRefresh = 5

// Path returns the path of the import.
func (v *importView) Path() string {
	return fmt.Sprintf("/accounts/%s/imports/%d", v.AccountID, v.Import.ID)
}

// Step returns what the import does now, in words.
func (v *importView) Step() string {
	p := v.Import.Progress
	if p.Step == "" {
		return "Starting"
	}
	return strings.ToUpper(p.Step[:1]) + p.Step[1:]
}

// Count returns how much of the step is done; "" if it does not count.
func (v *importView) Count() string {
	switch p := v.Import.Progress; {
	case p.Total > 0:
		return web.Number(p.Done) + " of " + web.Number(p.Total)
	case p.Done > 0:
		return web.Number(p.Done)
	}
	return ""
}

// Remaining returns how long the step takes, as it seems; "" if that is not known.
func (v *importView) Remaining() string {
	if v.Import.Progress.Left <= 0 {
		return ""
	}
	return web.Span(time.Duration(v.Import.Progress.Left) * time.Millisecond)
}

// cameView is the table of what came, or would.
type cameView struct {
	Title string
	Rows  []move.Came
}

// Came returns what came so far; nil for nothing known: an import that did not get as far as to find something.
func (v *importView) Came() *cameView {
	switch i := v.Import; {
	case i.Report == nil, i.State != move.ImportDone && len(i.Report.Came) == 0:
		return nil
	case i.DryRun && i.State == move.ImportDone:
		return &cameView{"This would come", i.Report.Came}
	case i.DryRun:
		return &cameView{"Found so far", i.Report.Came}
	case i.State == move.ImportDone:
		return &cameView{"This came", i.Report.Came}
	default:
		return &cameView{"This came so far", i.Report.Came}
	}
}

// leftRow is something that did not come, with the page where to make it.
type leftRow struct {
	move.Left
	Path string // of the page; "" if it is not known which
}

// accountPlaces and projectPlaces are the paths of the pages that reports name.
var (
	accountPlaces = map[string]string{
		move.PeoplePage: "/people", move.TeamsPage: "/teams", move.PagesPage: "/status_pages",
	}
	projectPlaces = map[string]string{
		move.SettingsPage: "/settings/general", move.KeysPage: "/settings/keys", move.ChannelsPage: "/settings/channels", move.GroupingPage: "/settings/grouping", move.RetentionPage: "/settings/data",
		move.OwnersPage: "/settings/access#ownership", move.SourceMapsPage: "/settings/source-maps", move.ReleasesPage: "/releases", move.SitesPage: "/sites", move.CheckInsPage: "/check_ins",
		move.MaintenancePage: "/maintenance",
	}
)

// newLeftRow finds the page of what was left. What is named after a project, or is the only one of the account, has it there.
func newLeftRow(l move.Left, accountID, into string, projects []accounts.NamedProject) leftRow {
	row := leftRow{Left: l}
	if path, ok := accountPlaces[l.Page]; ok {
		row.Path = "/accounts/" + url.PathEscape(accountID) + path
	}
	path, ok := projectPlaces[l.Page]
	if !ok {
		return row
	}
	name, _, _ := strings.Cut(l.Name, ": ")
	for _, p := range projects {
		if strings.EqualFold(p.Name, name) || into != "" && strings.EqualFold(p.Name, into) || len(projects) == 1 {
			row.Path = fmt.Sprintf("/projects/%d%s", p.ID, path)
			break
		}
	}
	return row
}

func (p *pages) newImportView(ctx context.Context, r *http.Request, frame page) (*importView, error) {
	found, err := p.Moves.ImportByID(ctx, r.PathValue("account_id"), web.PathID(r, "import_id"))
	if err != nil {
		return nil, err
	}
	v := &importView{page: frame, Import: newImportRow(found)}
	v.AccountID = found.AccountID
	if found.Report != nil {
		projects := v.Nav.Projects
		if len(projects) == 0 && v.User.ID != 0 {
			nav, err := p.Store.Navigation(ctx, v.User.ID, 0, found.AccountID)
			if err != nil {
				return nil, err
			}
			projects = nav.Projects
		}
		for _, l := range found.Report.Sorted() {
			v.Left = append(v.Left, newLeftRow(l, found.AccountID, found.Settings.Project, projects))
		}
	}
	if !found.Open() {
		v.Token = web.Fields{tokenField(sourceOf(found.Settings.From))}
		v.Token[0].Hint = "sett erased it when the " + strings.ToLower(v.Import.What()) + " ended. Give it again."
		if found.Settings.OfFiles() {
			v.Token[0].Hint = "sett erased them when the " + strings.ToLower(v.Import.What()) + " ended. Choose them again."
		}
	} else {
		v.Refresh = importRefresh
	}
	return v, nil
}

func (p *pages) importPage(w http.ResponseWriter, r *http.Request) error {
	v, err := p.newImportView(r.Context(), r, p.newPage(r, "Import", "imports"))
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "import", v)
}

// importEvents sends the page of an import anew when it has changed, until it ends.
func (p *pages) importEvents(w http.ResponseWriter, r *http.Request) error {
	if _, err := p.Moves.ImportByID(r.Context(), r.PathValue("account_id"), web.PathID(r, "import_id")); err != nil {
		return err
	}
	last, state := "", move.ImportState("")
	return p.Listen(w, r, func(ctx context.Context, e web.Events) (over bool, err error) {
		v, err := p.newImportView(ctx, r, page{Shell: p.ShellOfPart(r), Tab: "imports"})
		if err != nil {
			return false, err
		}
		if state != "" && state != v.Import.State {
			v.Said = "This import is now: " + v.Import.Is.Word
		}
		text, err := p.Part("import", "moving", v)
		if err != nil {
			return false, err
		}
		if text != last {
			last, state = text, v.Import.State
			err = e.Send("part", "", text)
		}
		return !v.Import.Open(), err
	})
}

// startImport imports what a look found, with its settings.
func (p *pages) startImport(w http.ResponseWriter, r *http.Request) error {
	return p.withToken(w, r, func(v *importView, token string) (int64, error) {
		if !v.Import.DryRun || v.Import.State != move.ImportDone {
			return 0, sett.Errorf(sett.Conflict, "Look first: an import starts after a look that has finished.")
		}
		return p.Moves.AddImport(r.Context(), p.Now(), importOwner(r), v.Import.Settings, token, false)
	}, "import_started")
}

// continueImport lets an import that failed or was stopped go on.
func (p *pages) continueImport(w http.ResponseWriter, r *http.Request) error {
	return p.withToken(w, r, func(v *importView, token string) (int64, error) {
		return v.Import.ID, p.Moves.ContinueImport(r.Context(), importOwner(r), v.Import.ID, token)
	}, "import_goes_on")
}

// withToken reads the form with the token, and shows it again if do refuses it.
func (p *pages) withToken(w http.ResponseWriter, r *http.Request, do func(*importView, string) (int64, error), done string) error {
	form, files, err := readImport(w, r)
	if err != nil {
		return err
	}
	v, err := p.newImportView(r.Context(), r, p.newPage(r, "Import", "imports"))
	if err != nil {
		return err
	}
	var problems sett.Problems
	token := secretOf(&problems, &v.Import.Settings, form, files)
	var id int64
	if err = problems.Refusal(); err == nil {
		id, err = do(v, token)
	}
	if err != nil {
		v.Token.Explain(problems)
		return p.Again(w, r, err, "import", v)
	}
	return p.Done(w, importPath(r, id), done)
}

func (p *pages) stopImport(w http.ResponseWriter, r *http.Request) error {
	id := web.PathID(r, "import_id")
	if _, err := p.Moves.ImportByID(r.Context(), r.PathValue("account_id"), id); err != nil {
		return err
	}
	if err := p.Moves.StopImport(r.Context(), p.Now(), r.PathValue("account_id"), id); err != nil {
		return err
	}
	return p.Done(w, importPath(r, id), "import_stopped")
}
