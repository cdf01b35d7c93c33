// Package movein brings an organization of another error tracker into sett: it reads records from a source and hands them
// to the store, in phases of which each goes on where it was left. First come projects with their keys, then the errors
// of each as its list says them, releases, source maps and what a project watches, then events and comments of each error,
// the last seen first. Events go through the parser and the grouping of intake, so that new ones land in the errors that
// came. The package sends nothing to anyone, and never keeps a secret of the source.
package movein

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sett/internal/base/progress"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// Source is an organization of another error tracker, which is only read.
type Source interface {
	// Place says where the records are from.
	Place() move.Place
	// Projects returns all projects, or those with one of some names, and what of them does not come.
	Projects(ctx context.Context, only ...string) ([]move.Project, []move.Left, error)
	// Faults returns the page of the errors of a project that a cursor names; "" for the first.
	Faults(ctx context.Context, p move.Project, cursor string) (move.Page, error)
	// Detail returns what the list does not say of an error, with so many of its newest events.
	Detail(ctx context.Context, p move.Project, f move.Fault, newest int) (move.Detail, error)
	// Releases returns the page of the releases of a project that a cursor names; "" for the first.
	Releases(ctx context.Context, p move.Project, cursor string) (move.ReleasePage, error)
	// Release returns a release of such a page with its commits and deploys.
	Release(ctx context.Context, p move.Project, r move.Release) (move.Release, error)
	// Builds returns the newest builds of a project with their files, newest first, and what cannot be read.
	Builds(ctx context.Context, p move.Project) ([]move.Build, []move.Left, error)
	// File reads a file of such a build. One of more bytes than most is TooLarge.
	File(ctx context.Context, p move.Project, b move.Build, f move.File, most int) ([]byte, error)
	// People returns the teams with those of some projects that they have, and the members.
	People(ctx context.Context, projects []move.Project) ([]move.Team, []move.Member, []move.Left, error)
	// Owners returns the ownership rules of a project, as lines of a CODEOWNERS file.
	Owners(ctx context.Context, p move.Project) ([]string, []move.Left, error)
	// Watched returns what is watched of a project: sites, check-ins and where alerts go; nil for nothing.
	Watched(ctx context.Context, p move.Project) (*move.Monitoring, error)
	// Pages returns the status pages of the organization, with parts of what is watched; nil for none.
	Pages(ctx context.Context) (*move.Monitoring, error)
	// Left returns what does not come at all, by name.
	Left(ctx context.Context, projects []move.Project) ([]move.Left, error)
}

// Options say what is brought, from where and to whom.
type Options struct {
	Source   Source
	Moves    *movedb.Store
	Owner    movedb.Owner
	Projects []string // slugs; empty for all
	Events   int      // the newest of each error, beside one of each of its shapes
	Rules    Rules
	Code     Code
	DryRun   bool // nothing is written

	OpenFirst bool // errors that are open are completed first, in all projects: the source answers few requests

	Now     func() time.Time
	Audited func(ctx context.Context, action, of string) context.Context // of a change that makes a project, a team or an invitation
}

// MostEvents is how many of the newest events of an error a run may bring.
const MostEvents = move.MostNewest

// Run brings what there is, or says what it would bring. It can be stopped at any moment and run again: what came does
// not come twice. The report is of what came so far, also with an error.
func Run(ctx context.Context, o Options) (*move.Report, error) {
	r := &run{Options: o, from: o.Source.Place().In(o.Owner.AccountID), report: &move.Report{DryRun: o.DryRun}, ids: movedb.IDs{}}
	return r.report, r.do(ctx)
}

type run struct {
	Options
	from   move.Place
	report *move.Report
	ids    movedb.IDs // of what is watched
}

// The nouns of the report.
const (
	projectsNoun = "projects"
	keysNoun     = "keys"
	errorsNoun   = "errors"
	eventsNoun   = "events"
	commentsNoun = "comments"
	releasesNoun = "releases"
	deploysNoun  = "deploys"
	teamsNoun    = "teams"

	mapsNoun        = "source maps"
	invitationsNoun = "invitations"
	rulesNoun       = "ownership rules"
)

func (r *run) do(ctx context.Context) error {
	step := progress.Begin(ctx, "reading projects", progress.Rows, 0)
	projects, left, err := r.Source.Projects(ctx, r.Projects...)
	step.End()
	if err != nil {
		return err
	}
	r.report.Leave(left...)
	ids := make([]int64, len(projects))
	for i, p := range projects {
		if ids[i], err = r.project(ctx, p); err != nil {
			return err
		}
	}
	if err := r.people(ctx, projects, ids); err != nil {
		return err
	}
	for i, p := range projects {
		if err := r.faults(ctx, p, ids[i]); err != nil {
			return err
		}
	}
	for i, p := range projects {
		if err := r.owners(ctx, p, ids[i]); err != nil {
			return err
		}
		if err := r.releases(ctx, p, ids[i]); err != nil {
			return err
		}
		if err := r.maps(ctx, p, ids[i]); err != nil {
			return err
		}
		if err := r.watched(ctx, p, ids[i]); err != nil {
			return err
		}
	}
	if err := r.pages(ctx, ids); err != nil {
		return err
	}
	states := []move.State{""}
	if r.OpenFirst {
		states = []move.State{move.Open, ""}
	}
	for _, in := range states {
		for i, p := range projects {
			if err := r.details(ctx, p, ids[i], in); err != nil {
				return err
			}
		}
	}
	rest, err := r.Source.Left(ctx, projects)
	if err != nil {
		return err
	}
	r.report.Leave(rest...)
	return nil
}

// project makes the project that one of the source becomes.
func (r *run) project(ctx context.Context, p move.Project) (int64, error) {
	keys := int64(len(p.Keys))
	p.Keys = r.usableKeys(p)
	before, err := r.Moves.FindProject(ctx, r.from, r.Owner, p)
	if err != nil {
		return 0, err
	}
	if r.DryRun {
		r.report.Add(projectsNoun, 1, flag(before == 0), flag(before != 0))
		r.report.Add(keysNoun, keys, int64(len(p.Keys)), 0)
		return before, nil
	}
	making := ctx
	if before == 0 {
		making = r.Audited(ctx, "createProject", p.Name)
	}
	m, err := r.Moves.Project(making, r.Now(), r.from, r.Owner, p)
	if err != nil {
		return 0, fmt.Errorf("import project %s: %w", p.Slug, err)
	}
	for _, label := range m.Taken {
		r.report.Leave(move.Left{
			Noun: keysNoun, Name: p.Slug + ": " + label, Why: "Another project of this server has the key.", Page: move.KeysPage,
		})
	}
	r.report.Add(projectsNoun, 1, flag(m.Fresh), flag(!m.Fresh))
	r.report.Add(keysNoun, keys, int64(len(p.Keys)-len(m.Taken)), 0)
	return m.ID, nil
}

// usableKeys returns the keys with which clients may go on to report.
func (r *run) usableKeys(p move.Project) (keys []move.Key) {
	for _, k := range p.Keys {
		why := ""
		switch {
		case !k.Active:
			why = "It is off at the source."
		case len(k.Public) < 8 || len(k.Public) > 100 || strings.ContainsFunc(k.Public, func(c rune) bool { return c <= ' ' || c > '~' }):
			why = "It is no API key."
		}
		if why == "" {
			keys = append(keys, k)
			continue
		}
		r.report.Leave(move.Left{Noun: keysNoun, Name: p.Slug + ": " + k.Label, Why: why, Page: move.KeysPage})
	}
	return keys
}

func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// mostPages is how many pages of errors a project has at most: a source may send pages without end.
const mostPages = 100_000

// faults brings the errors of a project as the list says them, and goes on with the page at which an earlier run was stopped.
func (r *run) faults(ctx context.Context, p move.Project, projectID int64) error {
	list := "faults of " + p.ID
	people, cursor := map[string]movedb.Person{}, ""
	if !r.DryRun {
		var err error
		if people, err = r.Moves.People(ctx, projectID); err != nil {
			return err
		}
		if cursor, err = r.Moves.Cursor(ctx, r.from, list); err != nil {
			return err
		}
	}
	var step *progress.Step
	defer func() { step.End() }()
	for n := range mostPages {
		page, err := r.Source.Faults(ctx, p, cursor)
		if err != nil {
			return fmt.Errorf("read errors of %s: %w", p.Slug, err)
		}
		if step == nil {
			step = progress.Begin(ctx, "reading errors of "+p.Slug, progress.Errors, page.Total)
		}
		if r.DryRun && n == 0 && page.Total > int64(len(page.Faults)) {
			r.report.Add(errorsNoun, page.Total, page.Total, 0)
			return nil
		}
		if err := r.page(ctx, movedb.FaultPage{From: r.from, ProjectID: projectID, Faults: page.Faults, List: list, Next: page.Next}, people); err != nil {
			return err
		}
		step.Add(int64(len(page.Faults)))
		if cursor = page.Next; cursor == "" {
			return nil
		}
	}
	return nil
}

// page stores a page of errors, a lot in each transaction. The page after it is noted with the last of them.
func (r *run) page(ctx context.Context, page movedb.FaultPage, people map[string]movedb.Person) error {
	all, next := page.Faults, page.Next
	page.Assignees = map[string]int64{}
	for i, f := range all {
		who, known := people[strings.ToLower(f.Assignee)]
		if known {
			page.Assignees[strings.ToLower(f.Assignee)] = who.ID
		} else if f.Assignee != "" && !r.DryRun {
			all[i].Assignee = "" // once they are a user, it is a change
			r.report.Leave(move.Left{
				Noun: "assignees", Name: f.Assignee, Page: move.PeoplePage,
				Why: "No user with this address sees the project: their errors are assigned to no one.",
			})
		}
	}
	if r.DryRun {
		r.report.Add(errorsNoun, int64(len(all)), int64(len(all)), 0)
		return nil
	}
	for first := true; first || len(all) > 0; first = false {
		page.Faults = all[:min(len(all), movedb.MostFaults)]
		if all = all[len(page.Faults):]; len(all) > 0 {
			page.Next = "" // it may be read again
		} else {
			page.Next = next
		}
		made, err := r.Moves.Faults(ctx, r.Now(), page)
		if err != nil {
			return err
		}
		r.report.Add(errorsNoun, int64(len(page.Faults)), made, int64(len(page.Faults))-made)
	}
	return nil
}
