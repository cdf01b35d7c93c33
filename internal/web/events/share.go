package events

import (
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"strings"

	"sett/internal/base/turn"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/dashboard"
	"sett/internal/web"
)

// share is the public link of a dashboard for its page.
type share struct {
	There    bool
	Disabled bool // public links are disabled in the project
	By       string
	At       web.Moment
	Made     string // the link, if it was just created
}

func (p *pages) shareOf(r *http.Request, page *dashboardPage, id string) (it share, err error) {
	if !page.MayEdit {
		return it, nil
	}
	found, err := p.Dashboards.ShareOf(r.Context(), page.project, id)
	it = share{There: !found.CreatedAt.IsZero(), Disabled: found.Disabled, At: page.Moment(found.CreatedAt)}
	if found.MadeBy != nil {
		it.By = found.MadeBy.Called()
	}
	return it, err
}

// makeShare creates a public link and shows it once: only its hash is stored.
func (p *pages) makeShare(w http.ResponseWriter, r *http.Request) error {
	token, project, id := sett.NewShareToken(), web.Project(r), r.PathValue("dashboard_id")
	if err := p.Dashboards.Share(r.Context(), p.Now(), web.Who(r).User.ID, project, id, auth.HashToken(token)); err != nil {
		return err
	}
	d, err := p.Dashboards.ByID(r.Context(), project, id)
	if err != nil {
		return err
	}
	page, err := p.dashboardPage(r, d)
	if err != nil {
		return err
	}
	page.Here, page.Secret, page.Share.Made = page.Path, true, p.BaseURL+"/share/dashboards/"+token
	page.Address = page.Here
	return p.Show(w, r, http.StatusOK, "dashboard", page)
}

func (p *pages) endShare(w http.ResponseWriter, r *http.Request) error {
	project, id := web.Project(r), r.PathValue("dashboard_id")
	if err := p.Dashboards.Unshare(r.Context(), project, id); err != nil {
		return err
	}
	return p.Done(w, dashboardPath(dashboard.Dashboard{ID: id, ProjectID: project}), "unshared")
}

// public is what public links show, so that strangers cost little: a dashboard is read at most every half minute, and one of a project at a time.
type public struct {
	kept    web.Kept[dashboardVersion, board]
	readers *turn.Places
}

// mostReaders is how many dashboards are read at once for public links.
const mostReaders = 4

type dashboardVersion struct{ id, version string }

func newPublic(log *slog.Logger) public {
	return public{web.Kept[dashboardVersion, board]{Log: log}, turn.New(mostReaders, 1)}
}

// sharedDashboard shows a dashboard to anyone with its public link. It never says why a link is invalid.
func (p *pages) sharedDashboard(w http.ResponseWriter, r *http.Request) error {
	d, err := p.Dashboards.Shared(r.Context(), auth.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	w.Header().Set("X-Robots-Tag", "noindex, nofollow")
	theme := p.Shell(r, "").Theme
	page := p.newDashboardPage(r, d)
	page.Shell = web.Shell{Title: d.Title, Heading: "-", Secret: true, Theme: theme, Now: p.Now().UTC()} // the same for everyone: without the signed-in user
	page.public, page.value = true, func(string) string { return "" }
	if page.Period, err = periodOf(d.DefaultTS, page.Now); err != nil || d.DefaultTS == "" {
		page.Period, _ = periodOf("3h", page.Now)
	}
	if page.board, err = p.published(r, page, d); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "wall", newWall(page, ""))
}

// published returns the widgets of a dashboard for everybody. All who want those of a project wait for the one who reads them.
func (p *pages) published(r *http.Request, page *dashboardPage, d dashboard.Dashboard) (board, error) {
	leave, err := p.readers.Take(r.Context(), d.ProjectID)
	if err != nil {
		return board{}, err
	}
	defer leave()
	return p.kept.ReadWhole(r.Context(), p.Now(), dashboardVersion{d.ID, versionOf(d.UpdatedAt)}, func(ctx context.Context) (board, error) {
		err := p.fill(r.WithContext(ctx), page, d)
		for _, v := range page.Widgets {
			v.publish()
		}
		return board{Widgets: page.Widgets}, err
	})
}

// publish removes what not everybody may see: links, events themselves, what is wrong with a query, and email addresses.
func (v *widgetView) publish() {
	v.Link = ""
	for i := range v.Lines {
		v.Lines[i].Path = ""
	}
	if v.Wrong != nil {
		v.Wrong = &wrong{Message: "This query cannot be read."}
	}
	if v.Result != nil && len(v.Result.Rows) > 0 {
		if v.Result.Rows = nil; v.Table || v.Result.Chart == nil {
			v.Result, v.Empty = nil, "Single events are not shown here."
		}
	}
	hideMailsIn(reflect.ValueOf(v))
}

// hideMailsIn masks email addresses in all texts of a value, so that what a widget has in future is masked too.
func hideMailsIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			hideMailsIn(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			hideMailsIn(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			hideMailsIn(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() && strings.Contains(v.String(), "@") {
			v.SetString(web.HideMails(v.String()))
		}
	default:
	}
}
