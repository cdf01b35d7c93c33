package movein

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sett/internal/base/progress"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/sett/move"
	"sett/internal/sett/status"
	"sett/internal/store/movedb"
)

// Rules say what sites, channels and status pages sett can have.
type Rules struct {
	Sites    []checks.SiteKind
	Channels []alerts.IntegrationKind
	Pages    status.StatusPageRules
}

// WatchOptions say what another monitor watches, and where it goes.
type WatchOptions struct {
	Found   *move.Monitoring
	Moves   *movedb.Store
	Owner   movedb.Owner
	Project string // name of the project that all of it goes to; it is made if there is none
	DryRun  bool   // nothing is written

	Rules Rules

	Now     func() time.Time
	Audited func(ctx context.Context, project string) context.Context // of the change that makes a project
}

// RunWatch brings what another monitor watches into a project, or says what it would bring. It can be stopped at any moment and run again: what
// came does not come twice. What is watched comes before what refers to it. The report is of what came so far, also with an error.
func RunWatch(ctx context.Context, o WatchOptions) (*move.Report, error) {
	w := &watchRun{WatchOptions: o, report: &move.Report{DryRun: o.DryRun}, ids: movedb.IDs{}}
	project, err := w.project(ctx)
	if err != nil {
		return w.report, err
	}
	return w.report, w.bring(ctx, project)
}

// watched brings what is watched of a project of another error tracker.
func (r *run) watched(ctx context.Context, p move.Project, projectID int64) error {
	found, err := r.Source.Watched(ctx, p)
	if err != nil {
		return fmt.Errorf("read what is watched of %s: %w", p.Slug, err)
	}
	if found == nil {
		return nil
	}
	return r.watch(found).bring(ctx, projectID)
}

// pages brings the status pages of the organization that show something of what came.
func (r *run) pages(ctx context.Context, projects []int64) error {
	found, err := r.Source.Pages(ctx)
	if err != nil {
		return fmt.Errorf("read status pages: %w", err)
	}
	if found == nil || len(projects) == 0 {
		return nil
	}
	found.Pages = slices.DeleteFunc(found.Pages, func(p move.StatusPage) bool {
		return !slices.ContainsFunc(p.Components, func(c move.Component) bool {
			_, came := r.ids[move.Watched{Kind: c.Kind, ID: c.ID}]
			return came
		})
	})
	return r.watch(found).bring(ctx, projects[0])
}

// watch prepares what brings something that is watched.
func (r *run) watch(found *move.Monitoring) *watchRun {
	return &watchRun{
		WatchOptions: WatchOptions{Found: found, Moves: r.Moves, Owner: r.Owner, DryRun: r.DryRun, Rules: r.Rules, Now: r.Now}, report: r.report, ids: r.ids,
	}
}

type watchRun struct {
	WatchOptions
	report *move.Report
	into   *movedb.Watching
	ids    movedb.IDs
	step   *progress.Step
}

// bring brings all into a project, which is 0 only in a dry run.
func (w *watchRun) bring(ctx context.Context, projectID int64) error {
	f := w.Found
	w.report.Leave(f.Left...)
	w.into = w.Moves.Watch(movedb.Watching{
		From: f.From.In(w.Owner.AccountID), AccountID: w.Owner.AccountID, ProjectID: projectID, Now: w.Now().UTC().Truncate(time.Microsecond), DryRun: w.DryRun,
		Sites: w.Rules.Sites, Channels: w.Rules.Channels, Pages: w.Rules.Pages,
	})
	w.step = progress.Begin(ctx, "importing what "+f.From.Source+" watches", progress.Rows, int64(len(f.Sites)+len(f.CheckIns)+len(f.Channels)+len(f.Pages)+len(f.Windows)))
	defer w.step.End()
	for _, s := range f.Sites {
		a, err := w.into.Site(ctx, s)
		if err := w.note("sites", s.Name, move.SitesPage, a, err); err != nil {
			return err
		}
		w.ids[move.Watched{Kind: move.SiteKind, ID: s.ID}] = a.ID
	}
	for _, c := range f.CheckIns {
		a, err := w.into.CheckIn(ctx, c)
		if err := w.note("check-ins", c.Name, move.CheckInsPage, a, err); err != nil {
			return err
		}
		w.ids[move.Watched{Kind: move.CheckInKind, ID: c.ID}] = a.ID
	}
	for _, c := range f.Channels {
		a, err := w.into.Channel(ctx, c)
		if err := w.note("channels", c.Name, move.ChannelsPage, a, err); err != nil {
			return err
		}
	}
	return w.rest(ctx)
}

// rest brings what refers to sites and check-ins.
func (w *watchRun) rest(ctx context.Context) error {
	for _, p := range w.Found.Pages {
		a, err := w.into.Page(ctx, p, w.ids)
		if err := w.note("status pages", p.Name, move.PagesPage, a, err); err != nil {
			return err
		}
		for _, i := range p.Incidents {
			if a.ID == "" && !w.DryRun {
				break // there is no page
			}
			a, err := w.into.Incident(ctx, a.ID, i, w.ids)
			if err := w.note("incidents", p.Name+": "+i.Name, move.PagesPage, a, err); err != nil {
				return err
			}
		}
	}
	for _, m := range w.Found.Windows {
		if !m.End.After(w.Now()) {
			continue
		}
		a, err := w.into.Maintenance(ctx, m, w.ids)
		if err := w.note("maintenance", m.Reason, move.MaintenancePage, a, err); err != nil {
			return err
		}
	}
	return nil
}

// project makes the project that all goes to, unless there is one.
func (w *watchRun) project(ctx context.Context) (int64, error) {
	p := move.Project{ID: w.Project, Slug: w.Project, Name: w.Project}
	before, err := w.Moves.FindProject(ctx, w.Found.From.In(w.Owner.AccountID), w.Owner, p)
	if err != nil {
		return 0, err
	}
	w.report.Add(projectsNoun, 1, flag(before == 0), flag(before != 0))
	if w.DryRun {
		return before, nil
	}
	if before == 0 {
		ctx = w.Audited(ctx, p.Name)
	}
	m, err := w.Moves.Project(ctx, w.Now(), w.Found.From.In(w.Owner.AccountID), w.Owner, p)
	if err != nil {
		return 0, fmt.Errorf("import project %s: %w", w.Project, err)
	}
	return m.ID, nil
}

// note counts what became of a thing, and names it if it is not as it was at the source.
func (w *watchRun) note(noun, name, page string, a movedb.Applied, err error) error {
	if err != nil {
		return fmt.Errorf("import %s: %s: %w", noun, name, err)
	}
	w.step.Add(1)
	why := a.Why
	switch a.Outcome {
	case movedb.Made:
		w.report.Add(noun, 1, 1, 0)
	case movedb.Refused:
		w.report.Add(noun, 1, 0, 0)
	case movedb.Kept:
		w.report.Add(noun, 1, 0, 1)
		why = "It has changed there since it came, and stays here as people have left it."
	case movedb.Deleted:
		w.report.Add(noun, 1, 0, 0)
		why = "It came before, and was deleted here."
	default:
		w.report.Add(noun, 1, 0, 1)
	}
	if why != "" {
		w.report.Leave(move.Left{Noun: noun, Name: name, Why: why, Page: page})
	}
	return nil
}
