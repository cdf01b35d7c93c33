package project

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store/faultdb"
	"sett/internal/web"
	"sett/internal/web/draw"
)

// deploysPage is the deploys of a project.
type deploysPage struct {
	web.Shell
	Environment  string
	Environments []string
	Deploys      []deployRow
	Pager        web.Pager
	Nothing      web.Empty
}

// deployRow is a deploy with its effect.
type deployRow struct {
	faults.Deploy
	faults.DeployEffect
	When web.Moment
}

// Name returns the short revision.
func (d deployRow) Name() string { return cmp.Or(web.ShortRevision(d.Revision), "Deploy") }

// Release returns the path of the page of its revision; "" if there is none.
func (d deployRow) Release() string { return web.ReleasePath(d.ProjectID, d.Revision) }

// Hour compares the events in the hour after a deploy with the hour before.
func (d deployRow) Hour() string {
	switch change := d.HourAfter - d.HourBefore; {
	case change > 0:
		return "+" + web.Number(change)
	case change < 0:
		return "−" + web.Number(-change)
	}
	return "±0"
}

// deploysListed is how many deploys a page lists.
const deploysListed = 25

func (p *pages) deploys(w http.ResponseWriter, r *http.Request) error {
	id, environment := web.Project(r), r.URL.Query().Get("environment")
	found, marks, err := p.Faults.ListDeploys(r.Context(), id, faultdb.DeployFilter{Environment: environment, Page: web.PageOf(r, deploysListed)})
	if err != nil {
		return err
	}
	project, err := p.Accounts.ProjectWithoutCounts(r.Context(), id)
	if err != nil {
		return err
	}
	page := deploysPage{Shell: p.Shell(r, "Deploys").In("releases"), Environment: environment, Environments: project.Environments, Pager: p.NewPager(r, marks)}
	page.Heading = "-"
	if page.Deploys, err = p.deployRows(r, page.Shell, found); err != nil {
		return err
	}
	page.Nothing = web.Empty{
		Title: "No deploys yet", Action: "How to record deploys", Link: p.At(setupPath(id)) + "#deploys", Manual: p.At("/docs"),
		Text: "Record your deploys to see which errors each of them caused or resolved. Charts mark every deploy.",
	}
	return p.Show(w, r, http.StatusOK, "deploys", page)
}

func (p *pages) deployRows(r *http.Request, s web.Shell, deploys []faults.Deploy) (rows []deployRow, err error) {
	effects, err := p.Faults.DeployEffects(r.Context(), web.Project(r), deploys)
	for _, d := range deploys {
		rows = append(rows, deployRow{d, effects[d.ID], s.Moment(d.CreatedAt)})
	}
	return rows, err
}

// deployPage is one deploy.
type deployPage struct {
	web.Shell
	Row                     deployRow
	Compare                 string // URL of the change; "" for none
	Repository              string // linked only if it is a web URL
	Chart                   draw.Chart
	New, Reopened, Resolved []happening
	Ended                   web.Moment // time of the next deploy
}

// mostEffects is how many timeline entries after a deploy are read.
const mostEffects = 200

func (p *pages) deploy(w http.ResponseWriter, r *http.Request) error {
	id := web.Project(r)
	d, err := p.Faults.DeployByID(r.Context(), id, web.PathID(r, "deploy_id"))
	if err != nil {
		return err
	}
	if d.Previous, err = p.Faults.PreviousRevision(r.Context(), id, d.ID); err != nil {
		return err
	}
	page := deployPage{Shell: p.Shell(r, "Deploy").In("releases"), Compare: d.CompareURL()}
	if strings.HasPrefix(d.Repository, "http://") || strings.HasPrefix(d.Repository, "https://") {
		page.Repository = d.Repository
	}
	rows, err := p.deployRows(r, page.Shell, []faults.Deploy{d})
	if err != nil {
		return err
	}
	page.Row, page.Ended = rows[0], page.Moment(rows[0].Until)
	page.Title = "Deploy " + page.Row.Name()
	if page.Chart, err = p.chart(r, id, d.Environment, stats.PastDay, middle(d.CreatedAt, p.Now())); err != nil {
		return err
	}
	if err := p.effects(r, &page); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "deploy", page)
}

// middle returns the end of the 24 hours with a time in their middle, but at most now.
func middle(at, now time.Time) time.Time {
	if end := at.Add(12 * time.Hour); end.Before(now) {
		return end
	}
	return now
}

// effects finds the faults that were new, reopened or resolved after a deploy.
func (p *pages) effects(r *http.Request, page *deployPage) error {
	d, end := page.Row.Deploy, page.Row.Until
	if end.IsZero() {
		end = page.Now
	}
	entries, _, err := p.Faults.Timeline(r.Context(), end, faultdb.TimelineFilter{
		ProjectIDs: []int64{d.ProjectID}, Kinds: []faults.TimelineKind{faults.TimelineNew, faults.TimelineReopened, faults.TimelineResolved}, Limit: mostEffects,
	})
	for _, h := range happenings(page.Shell, entries, false) {
		switch {
		case h.At.Before(d.CreatedAt) || d.Environment != "" && h.Environment != d.Environment && h.Kind != faults.TimelineResolved:
		case h.Kind == faults.TimelineNew:
			page.New = append(page.New, h)
		case h.Kind == faults.TimelineReopened:
			page.Reopened = append(page.Reopened, h)
		case h.By == "":
			page.Resolved = append(page.Resolved, h)
		}
	}
	return err
}

// setupPath returns the path of the page that explains how to connect an app.
func setupPath(project int64) string { return fmt.Sprintf("/projects/%d/setup", project) }
