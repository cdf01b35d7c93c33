package project

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"sett/internal/sett/faults"
	"sett/internal/sett/release"
	"sett/internal/sett/repo"
	"sett/internal/web"
)

// releasesPage is the releases of a project.
type releasesPage struct {
	web.Shell
	Releases []releaseRow
	Pager    web.Pager
	Nothing  web.Empty
}

// releaseRow is a release with its figures.
type releaseRow struct {
	release.Report
	Created, First, Last, Released web.Moment
	Deploys                        []deployOfRelease // the newest, newest first; only in the list
}

// Name returns the short version.
func (r releaseRow) Name() string { return web.ShortRevision(r.Version) }

// Path returns the path of its page.
func (r releaseRow) Path() string { return web.ReleasePath(r.ProjectID, r.Version) }

// PreviousPath returns the path of the page of the previous release.
func (r releaseRow) PreviousPath() string { return web.ReleasePath(r.ProjectID, r.Previous) }

// PreviousName returns the short version of the previous release.
func (r releaseRow) PreviousName() string { return web.ShortRevision(r.Previous) }

// CrashFree returns the share of sessions that did not crash, or "" if there are no sessions. It is 100% only without any crash.
func (r releaseRow) CrashFree() string {
	share, ok := r.Sessions.CrashFree()
	switch {
	case !ok:
		return ""
	case r.Sessions.Crashed > 0 && share > 0.9999:
		return "99.99%"
	case share == 1:
		return "100%"
	}
	return fmt.Sprintf("%.2f%%", 100*share)
}

// State returns the verdict for a tag; its word is empty if there is nothing to compare with.
func (r releaseRow) State() web.State {
	switch r.Verdict.State {
	case release.Better:
		return web.State{Mood: web.Fine, Word: "Better"}
	case release.Worse:
		return web.State{Mood: web.Critical, Word: "Worse"}
	case release.Same:
		return web.State{Mood: web.Muted, Word: "Same"}
	case release.Early:
		return web.State{Mood: web.Muted, Word: "Too early"}
	}
	return web.State{}
}

// releasesListed is how many releases a page lists.
const releasesListed = 25

func (p *pages) releases(w http.ResponseWriter, r *http.Request) error {
	id := web.Project(r)
	found, marks, err := p.Releases.List(r.Context(), id, web.PageOf(r, releasesListed))
	if err != nil {
		return err
	}
	page := releasesPage{Shell: p.Shell(r, "Releases").In("releases"), Pager: p.NewPager(r, marks)}
	page.Heading = "-"
	if page.Releases, err = p.releaseRows(r, page.Shell, found); err != nil {
		return err
	}
	if err := p.deploysOf(r, &page); err != nil {
		return err
	}
	page.Nothing = web.Empty{
		Title: "No releases yet", Action: "How to report the revision", Link: p.At(setupPath(id)), Manual: p.At("/docs/concepts"),
		Text: "A release appears when an event, a deploy or a session names its revision. It shows what is new or worse than before.",
	}
	return p.Show(w, r, http.StatusOK, "releases", page)
}

func (p *pages) releaseRows(r *http.Request, s web.Shell, found []release.Release) (rows []releaseRow, err error) {
	reports, err := p.Releases.Reports(r.Context(), p.Now(), web.Project(r), found)
	for _, one := range reports {
		rows = append(rows, releaseRow{one, s.Moment(one.CreatedAt), s.Moment(one.FirstSeenAt), s.Moment(one.LastSeenAt), s.Moment(one.ReleasedAt), nil})
	}
	return rows, err
}

// deploysOf reads the newest deploys of the releases of a page.
func (p *pages) deploysOf(r *http.Request, page *releasesPage) error {
	var versions []string
	for _, row := range page.Releases {
		versions = append(versions, row.Version)
	}
	deploys, err := p.Releases.LatestDeploys(r.Context(), web.Project(r), versions)
	for i, row := range page.Releases {
		for _, d := range deploys[row.Version] {
			page.Releases[i].Deploys = append(page.Releases[i].Deploys, deployOfRelease{d, page.Moment(d.CreatedAt)})
		}
	}
	return err
}

// releasePage is one release.
type releasePage struct {
	web.Shell
	Row                     releaseRow
	Link                    string // its URL, if that is one of the web
	New, Reopened, Resolved []happening
	Deploys                 []environmentOfRelease // the one with the latest deploy first
	Commits                 []commitOfRelease
}

// commitOfRelease is a commit with its address at the host; "" if that is not known.
type commitOfRelease struct {
	release.Commit
	Address string
}

// commitsOf reads the commits of a release. They are links if one repository of the project is that of all its deploys.
func (p *pages) commitsOf(r *http.Request, version string, deploys []faults.Deploy) (shown []commitOfRelease, err error) {
	commits, err := p.Releases.Commits(r.Context(), web.Project(r), version)
	if err != nil || len(commits) == 0 {
		return nil, err
	}
	places, err := p.Repos.ReadPlaces(r.Context(), p.DB.Read, web.Project(r))
	for _, d := range deploys {
		if d.Repository != "" {
			places = slices.DeleteFunc(places, func(at repo.Repository) bool { return !at.IsAt(d.Repository) })
		}
	}
	for _, c := range commits {
		one := commitOfRelease{Commit: c}
		if len(places) == 1 {
			one.Address = places[0].CommitURL(c.SHA)
		}
		shown = append(shown, one)
	}
	return shown, err
}

// environmentOfRelease is the deploys of a release to an environment, newest first.
type environmentOfRelease struct {
	Name    string // "" for the whole project
	Latest  deployOfRelease
	Earlier []deployOfRelease
	More    int64 // that are not shown
}

type deployOfRelease struct {
	faults.Deploy
	When web.Moment
}

// byEnvironment groups the deploys of a release, which are newest first.
func byEnvironment(s web.Shell, deploys []faults.Deploy) (environments []environmentOfRelease) {
	at := map[string]int{}
	for _, d := range deploys {
		one := deployOfRelease{d, s.Moment(d.CreatedAt)}
		i, known := at[d.Environment]
		if !known {
			at[d.Environment] = len(environments)
			environments = append(environments, environmentOfRelease{Name: d.Environment, Latest: one})
			continue
		}
		if of := &environments[i]; len(of.Earlier) < mostEarlierDeploys {
			of.Earlier = append(of.Earlier, one)
		} else {
			of.More++
		}
	}
	return environments
}

// The bounds of the page of a release.
const (
	mostFaultsOfRelease  = 50 // of each kind
	mostDeploysOfRelease = 500
	mostEarlierDeploys   = 10 // of each environment
)

func (p *pages) release(w http.ResponseWriter, r *http.Request) error {
	id, version := web.Project(r), r.PathValue("revision")
	found, err := p.Releases.ByVersion(r.Context(), id, version)
	if err != nil {
		return err
	}
	page := releasePage{Shell: p.Shell(r, "Release "+web.ShortRevision(version)).In("releases")}
	if strings.HasPrefix(found.URL, "https://") || strings.HasPrefix(found.URL, "http://") {
		page.Link = found.URL
	}
	rows, err := p.releaseRows(r, page.Shell, []release.Release{found})
	if err != nil {
		return err
	}
	page.Row = rows[0]
	if err := p.faultsOfRelease(r, &page); err != nil {
		return err
	}
	deploys, err := p.Releases.Deploys(r.Context(), id, version, mostDeploysOfRelease)
	if err != nil {
		return err
	}
	page.Deploys = byEnvironment(page.Shell, deploys)
	if page.Commits, err = p.commitsOf(r, version, deploys); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "release", page)
}

// faultsOfRelease reads the faults that were new, reopened or resolved in a release.
func (p *pages) faultsOfRelease(r *http.Request, page *releasePage) (err error) {
	for _, part := range []struct {
		event release.Event
		list  *[]happening
	}{{release.New, &page.New}, {release.Reopened, &page.Reopened}, {release.Resolved, &page.Resolved}} {
		entries, failed := p.Releases.Faults(r.Context(), page.Row.ProjectID, page.Row.Version, part.event, mostFaultsOfRelease)
		*part.list, err = happenings(page.Shell, entries, false), cmp.Or(err, failed)
	}
	return err
}
