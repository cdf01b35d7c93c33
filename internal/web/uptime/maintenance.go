package uptime

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"sett/internal/base/phrase"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/maintenance"
	"sett/internal/web"
)

const (
	listedWindows = 25
	mostChoices   = 500 // of sites, and of check-ins
)

// maintenanceList is the page of a project's maintenance windows, with the form of a new one.
type maintenanceList struct {
	web.Shell
	Project int64
	Windows []windowRow
	Form    windowForm
	Pager   web.Pager
}

// windowRow is a maintenance window in the list.
type windowRow struct {
	maintenance.Window
	Is     web.State
	For    string // whose alerts it holds
	By     string
	Result string
}

// Open reports whether the window can be changed.
func (r windowRow) Open() bool { return r.Is.Word != string(maintenance.Ended) }

// Active reports whether the window is active.
func (r windowRow) Active() bool { return r.Is.Word == string(maintenance.Active) }

func newWindowRow(w maintenance.Window, now time.Time) windowRow {
	moods := map[maintenance.State]web.Mood{maintenance.Planned: web.Info, maintenance.Active: web.Warning, maintenance.Ended: web.Fine}
	state := w.State(now)
	row := windowRow{Window: w, Is: web.State{Mood: moods[state], Word: string(state)}, For: windowFor(w.Settings), By: "an operator or a deleted user"}
	if w.MadeBy != nil {
		row.By = w.MadeBy.Called()
	}
	switch {
	case state == maintenance.Planned:
	case w.Held == 0:
		row.Result = "nothing"
	case w.SettledAt.IsZero():
		row.Result = phrase.Count(w.Held, "notification") + " so far"
	default:
		row.Result = fmt.Sprintf("%s, %d sent at the end", phrase.Count(w.Held, "notification"), w.Sent)
	}
	return row
}

// windowFor says whose alerts a window holds.
func windowFor(s maintenance.Settings) string {
	var parts []string
	if n := int64(len(s.SiteIDs)); n > 0 {
		parts = append(parts, phrase.Count(n, "site"))
	}
	if n := int64(len(s.CheckInIDs)); n > 0 {
		parts = append(parts, phrase.Count(n, "check-in"))
	}
	if len(parts) == 0 {
		parts = []string{"all sites and check-ins"}
	}
	if s.Errors {
		parts = append(parts, "errors")
	}
	return strings.Join(parts, ", ")
}

func (p *pages) maintenancePage(w http.ResponseWriter, r *http.Request) error {
	page, err := p.newMaintenanceList(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "maintenance", page)
}

func (p *pages) newMaintenanceList(r *http.Request, form url.Values) (*maintenanceList, error) {
	found, marks, err := p.Deliveries.ListMaintenance(r.Context(), web.Project(r), web.PageOf(r, listedWindows))
	if err != nil {
		return nil, err
	}
	page := &maintenanceList{Shell: p.Shell(r, "Maintenance windows").In("sites"), Project: web.Project(r), Pager: p.NewPager(r, marks)}
	page.Heading, page.Secret = "-", true // it contains the IDs of check-ins
	for _, one := range found {
		page.Windows = append(page.Windows, newWindowRow(one, page.Now))
	}
	if page.May(accounts.WatchProject) {
		page.Form, err = p.newWindowForm(r, maintenance.Window{}, page.Now, form)
	}
	return page, err
}

// activeWindows returns the windows of a project that are active and of which of holds.
func (p *pages) activeWindows(r *http.Request, now time.Time, of func(maintenance.Settings) bool) ([]maintenance.Window, error) {
	open, err := p.Deliveries.OpenMaintenance(r.Context(), now, web.Project(r))
	return slices.DeleteFunc(open, func(w maintenance.Window) bool { return w.State(now) != maintenance.Active || !of(w.Settings) }), err
}

// ofAny holds of every window.
func ofAny(maintenance.Settings) bool { return true }

func (p *pages) createWindow(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	made, err := p.Deliveries.CreateMaintenance(r.Context(), p.Now(), web.Who(r).User.ID, web.Project(r), windowIn(form, maintenance.Window{}))
	if err != nil {
		page, failed := p.newMaintenanceList(r, form)
		if failed != nil {
			return failed
		}
		page.Form.Fields.Explain(sett.ProblemsOf(err))
		return p.Again(w, r, err, "maintenance", page)
	}
	if made.State(p.Now()) == maintenance.Planned {
		return p.Done(w, maintenanceAt(r), "maintenance_planned")
	}
	return p.Done(w, maintenanceAt(r), "maintenance_started")
}

func maintenanceAt(r *http.Request) string {
	return fmt.Sprintf("/projects/%d/maintenance", web.Project(r))
}

func (p *pages) endWindow(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	if err := p.Deliveries.EndMaintenance(r.Context(), p.Now(), web.Project(r), web.PathID(r, "window_id")); err != nil {
		return err
	}
	return p.Done(w, maintenanceAt(r), "maintenance_ended")
}

func (p *pages) deleteWindow(w http.ResponseWriter, r *http.Request) error {
	if _, err := web.ReadForm(w, r); err != nil {
		return err
	}
	if err := p.Deliveries.DeleteMaintenance(r.Context(), p.Now(), web.Project(r), web.PathID(r, "window_id")); err != nil {
		return err
	}
	return p.Done(w, maintenanceAt(r), "maintenance_deleted")
}
