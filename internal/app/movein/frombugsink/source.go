// Package frombugsink reads an installation of Bugsink through its API: projects with their keys, errors with state, counts,
// comments and events, releases and teams. It takes an address and a token; it returns records of package move, page by page,
// and what does not come. It asks one request at a time, and only reads. All that a server answers is a stranger's: texts are
// cut, ids and addresses checked, bodies bounded. It may ask any address, since the operator writes it on the command line.
package frombugsink

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/app/movein/remote"
	"sett/internal/sett"
	"sett/internal/sett/move"
)

// Options say what is read, and how.
type Options struct {
	URL   string // of the server
	Token string

	Do   func(*http.Request) (*http.Response, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration, why string) error
}

// Source is an installation, or the part of it that a token may see.
type Source struct {
	*remote.Server
	move.NoBuilds

	teamOf map[string]string // project → its team
}

// New returns a source; the error is Invalid for an address that is none.
func New(o Options) (*Source, error) {
	server, err := remote.New(remote.Options{
		URL: o.URL, Example: "https://bugsink.example.org", Header: http.Header{"Authorization": {"Bearer " + o.Token}},
		Refused: "Create one with bugsink-manage create_auth_token, or on the page of its tokens.", Do: o.Do, Now: o.Now, Wait: o.Wait,
	})
	if err != nil {
		return nil, err
	}
	return &Source{Server: server, teamOf: map[string]string{}}, nil
}

// Place returns where the records are from.
func (s *Source) Place() move.Place { return move.Place{Source: "bugsink", Host: s.Host()} }

// page is a page of a list, which has the address of the next one.
type page[T any] struct {
	Next    string `json:"next"`
	Results []T    `json:"results"`
}

// next returns the cursor of the next page; "" for none. Of its address nothing else is used: it may lead anywhere.
func (p page[T]) next(before string) string {
	u, err := url.Parse(p.Next)
	if err != nil {
		return ""
	}
	if cursor := u.Query().Get("cursor"); cursor != before && len(cursor) < 1000 {
		return cursor
	}
	return ""
}

func (s *Source) get(ctx context.Context, path string, query url.Values, into any) error {
	_, err := s.JSON(ctx, "api", "api/canonical/0/"+path+"/", query, into)
	return err
}

// mostPages is how many pages a list has at most that is read as a whole, 250 rows each.
const mostPages = 100

// all calls row with each page of a list.
func all[T any](ctx context.Context, s *Source, path string, query url.Values, rows func([]T)) error {
	q := url.Values{}
	for key, values := range query {
		q[key] = values
	}
	for range mostPages {
		var p page[T]
		if err := s.get(ctx, path, q, &p); err != nil {
			return err
		}
		rows(p.Results)
		next := p.next(q.Get("cursor"))
		if next == "" {
			return nil
		}
		q.Set("cursor", next)
	}
	return nil
}

type projectJSON struct {
	ID           int64  `json:"id"`
	Team         string `json:"team"`
	Name         string `json:"name"`
	Slug         string `json:"slug"`
	DSN          string `json:"dsn"`
	OnNew        bool   `json:"alert_on_new_issue"`
	OnRegression bool   `json:"alert_on_regression"`
	OnUnmute     bool   `json:"alert_on_unmute"`
	MostEvents   int64  `json:"retention_max_event_count"`
}

// Projects returns the projects that the token may see, or those of them with one of some slugs, names or ids.
func (s *Source) Projects(ctx context.Context, only ...string) (projects []move.Project, left []move.Left, err error) {
	missed := slices.Clone(only)
	err = all(ctx, s, "projects", nil, func(rows []projectJSON) {
		for _, p := range rows {
			called := func(name string) bool { return name == p.Slug || name == p.Name || name == strconv.FormatInt(p.ID, 10) }
			if p.ID <= 0 || len(only) > 0 && !slices.ContainsFunc(only, called) {
				continue
			}
			missed = slices.DeleteFunc(missed, called)
			project, more := s.project(p)
			projects, left = append(projects, project), append(left, more...)
		}
	})
	if remote.IsMissing(err) {
		return nil, nil, sett.Errorf(sett.NotFound, "%s has no projects for this token. It needs a Bugsink of version 2, and a token that may read projects, issues and events.", s.Host())
	}
	if err == nil && len(missed) > 0 {
		err = sett.Errorf(sett.NotFound, "%s has no project %q that this token may read. --project is its slug, name or id.", s.Host(), missed[0])
	}
	if err != nil {
		return nil, nil, err
	}
	return projects, left, nil
}

// project makes a record of a project, and says what of its settings does not come.
func (s *Source) project(p projectJSON) (project move.Project, left []move.Left) {
	project = move.Project{ID: strconv.FormatInt(p.ID, 10), Slug: move.Line(cmp.Or(p.Slug, p.Name), move.MostName), Name: move.Line(cmp.Or(p.Name, p.Slug), move.MostName)}
	s.teamOf[project.ID] = p.Team
	if dsn, err := url.Parse(p.DSN); err == nil && dsn.User != nil {
		project.Keys = []move.Key{{Public: strings.ToLower(dsn.User.Username()), Label: "Bugsink", Active: true}}
	} else {
		left = append(left, move.Left{Noun: "keys", Name: project.Slug, Why: "The server does not show its DSN: clients need the new key.", Page: move.KeysPage})
	}
	var of []string
	for _, alert := range []struct {
		on   bool
		what string
	}{{p.OnNew, "new"}, {p.OnRegression, "regressed"}, {p.OnUnmute, "unmuted"}} {
		if alert.on {
			of = append(of, alert.what)
		}
	}
	if len(of) > 0 {
		left = append(left, move.Left{
			Noun: "alert settings", Name: project.Slug, Page: move.ChannelsPage, Why: "It sends mail about errors that are " + strings.Join(of, ", ") + ": say in a channel which events it gets.",
		})
	}
	if p.MostEvents > 0 {
		left = append(left, move.Left{
			Noun: "retention", Name: project.Slug, Page: move.RetentionPage, Why: "It keeps " + strconv.FormatInt(p.MostEvents, 10) + " events; sett keeps events for a number of days.",
		})
	}
	return project, left
}

// People returns the teams with those of their projects that come. The API does not show people.
func (s *Source) People(ctx context.Context, projects []move.Project) (teams []move.Team, members []move.Member, left []move.Left, err error) {
	err = all(ctx, s, "teams", nil, func(rows []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	},
	) {
		for _, t := range rows {
			team := move.Team{ID: move.Line(t.ID, move.MostName), Name: move.Line(t.Name, move.MostName)}
			for _, p := range projects {
				if t.ID != "" && s.teamOf[p.ID] == t.ID {
					team.Projects = append(team.Projects, p.ID)
				}
			}
			if team.ID != "" && team.Name != "" {
				teams = append(teams, team)
			}
		}
	})
	if remote.IsMissing(err) {
		left, err = append(left, move.Left{Noun: "teams", Why: "The token may not read them: create them.", Page: move.TeamsPage}), nil
	}
	return teams, nil, append(left, move.Left{Noun: "members", Why: "The API of Bugsink does not show people: invite them.", Page: move.PeoplePage}), err
}

// Releases returns a page of the releases of a project, newest first.
func (s *Source) Releases(ctx context.Context, p move.Project, cursor string) (found move.ReleasePage, err error) {
	var rows page[struct {
		Version  string `json:"version"`
		Released string `json:"date_released"`
	}]
	err = s.get(ctx, "releases", of("project", p.ID, cursor), &rows)
	if remote.IsMissing(err) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.Next = rows.next(cursor)
	for _, r := range rows.Results {
		version, at := move.Line(r.Version, move.MostName), timeOf(r.Released)
		if version != "" && version == r.Version && !at.IsZero() { // it has events without a release as a release without a name
			found.Releases = append(found.Releases, move.Release{Version: version, Created: at})
		}
	}
	return found, nil
}

// of asks for a page of what a project or an issue has.
func of(noun, id, cursor string) url.Values {
	query := url.Values{noun: {id}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	return query
}

// Release returns a release as it is: Bugsink knows no commits or deploys.
func (s *Source) Release(_ context.Context, _ move.Project, r move.Release) (move.Release, error) {
	return r, nil
}

// Owners returns nothing: Bugsink has no ownership rules.
func (s *Source) Owners(context.Context, move.Project) ([]string, []move.Left, error) {
	return nil, nil, nil
}

// Watched returns nothing: Bugsink watches nothing.
func (s *Source) Watched(context.Context, move.Project) (*move.Monitoring, error) {
	return nil, nil
}

// Left returns what never comes.
func (s *Source) Left(context.Context, []move.Project) ([]move.Left, error) {
	return []move.Left{
		{Noun: "other events", Why: "Only the newest of each error come, and one of each of its shapes. Counts are those of the source, by day for the last 30 days."},
		{Noun: "assignees", Why: "Bugsink has none: assign errors to people in sett.", Page: move.AssignPage},
		{Noun: "messaging services", Why: "The API of Bugsink does not show them.", Page: move.ChannelsPage},
		{Noun: "source maps, debug files", Why: "The API of Bugsink does not show them: upload them again.", Page: move.SourceMapsPage},
	}, nil
}

// timeOf reads a time of the API, in UTC. One that no tracker can have seen is no time.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 2005 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}

// Pages returns nothing: there are no status pages.
func (*Source) Pages(context.Context) (*move.Monitoring, error) { return nil, nil }
