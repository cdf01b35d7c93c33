// Package fromsentry reads an organization of Sentry, or of GlitchTip, through its API: projects with keys, errors with
// their state, comments and events. It takes an address and a token; it returns records of package move, page by page,
// and what does not come. It asks one request at a time, waits as the server says, and only reads. All that a server
// answers is a stranger's: texts are cut, addresses checked, bodies bounded. It may ask any address, also of this
// network, since the operator writes it on the command line: who lets users choose it must hand in a client that may
// not.
package fromsentry

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

// Scopes are what a token needs.
const Scopes = "org:read, project:read, team:read, member:read, event:read and project:releases"

// Options say what is read, and how.
type Options struct {
	URL   string // of the server, without a path
	Token string
	Org   string // its slug

	Do   func(*http.Request) (*http.Response, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration, why string) error
}

// Source is an organization at a server.
type Source struct {
	c   *client
	org string

	noRaw  bool // the server does not give events as they were sent
	ownSet bool // it is a GlitchTip: it has orders of its own, and groups by less than Sentry
	noOrg  bool // issues are below no organization
	noStat bool // it has no counts of issues
}

// New returns a source; the error is Invalid for an address that is none.
func New(o Options) (*Source, error) {
	server, err := remote.New(remote.Options{
		URL: o.URL, Example: "https://sentry.example.org", Header: http.Header{"Authorization": {"Bearer " + o.Token}},
		Refused: "Create one with the scopes " + Scopes + ".", Limit: limits, Do: o.Do, Now: o.Now, Wait: o.Wait,
	})
	if err != nil {
		return nil, err
	}
	if o.Org == "" || strings.ContainsAny(o.Org, "/?#%. ") {
		return nil, sett.Errorf(sett.Invalid, "--org must be the slug of the organization, as it is in the addresses of its pages")
	}
	return &Source{c: &client{server}, org: o.Org}, nil
}

// Place returns where the records are from.
func (s *Source) Place() move.Place { return move.Place{Source: "sentry", Host: s.c.Host()} }

// Org returns the slug of the organization.
func (s *Source) Org() string { return s.org }

func (s *Source) ofOrg(path string) string { return "organizations/" + s.org + "/" + path }

func ofProject(org, slug, path string) string {
	return "projects/" + org + "/" + url.PathEscape(slug) + "/" + path
}

// text is a JSON string or number, of which both are the same to us: ids are numbers in old versions.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	s := string(b)
	if q, err := strconv.Unquote(s); err == nil {
		s = q
	}
	if s == "null" {
		s = ""
	}
	*t = text(s)
	return nil
}

type projectJSON struct {
	ID       text   `json:"id"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Platform string `json:"platform"`
}

// Projects returns the projects of the organization, or those of them with one of some slugs.
func (s *Source) Projects(ctx context.Context, only ...string) (projects []move.Project, left []move.Left, err error) {
	missed := slices.Clone(only)
	err = all(ctx, s.c, "projects", s.ofOrg("projects"), nil, func(rows []projectJSON) {
		for _, p := range rows {
			if len(only) == 0 || slices.Contains(only, p.Slug) {
				projects = append(projects, move.Project{
					ID: move.Line(string(p.ID), move.MostName), Slug: move.Line(p.Slug, move.MostName),
					Name: move.Line(cmp.Or(p.Name, p.Slug), move.MostName), Language: languages[firstWord(p.Platform)],
				})
				missed = slices.DeleteFunc(missed, func(slug string) bool { return slug == p.Slug })
			}
		}
	})
	if remote.IsMissing(err) {
		return nil, nil, sett.Errorf(sett.NotFound, "%s has no organization %q that this token may read. The token needs the scopes %s.",
			s.c.Host(), s.org, Scopes)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(missed) > 0 {
		return nil, nil, sett.Errorf(sett.NotFound, "The organization %s has no project %q. --project is the slug, as it is in the addresses of its pages.",
			s.org, missed[0])
	}
	for i := range projects {
		more, err := s.complete(ctx, &projects[i])
		if err != nil {
			return nil, nil, err
		}
		left = append(left, more...)
	}
	return projects, left, nil
}

// complete reads the keys and environments of a project.
func (s *Source) complete(ctx context.Context, p *move.Project) (left []move.Left, err error) {
	type keyJSON struct {
		Public   string `json:"public"`
		Label    string `json:"label"`
		Name     string `json:"name"`
		IsActive *bool  `json:"isActive"`
	}
	err = all(ctx, s.c, "keys", ofProject(s.org, p.Slug, "keys"), nil, func(rows []keyJSON) {
		for _, k := range rows {
			active := k.IsActive == nil || *k.IsActive
			p.Keys = append(p.Keys, move.Key{Public: strings.ToLower(strings.ReplaceAll(k.Public, "-", "")), Label: move.Line(cmp.Or(k.Label, k.Name), move.MostName), Active: active})
		}
	})
	if remote.IsMissing(err) {
		left = append(left, move.Left{
			Noun: "keys", Name: p.Slug, Why: "The token may not read them (project:read): clients need the new key.", Page: move.KeysPage,
		})
		err = nil
	}
	if err != nil {
		return nil, err
	}
	err = all(ctx, s.c, "environments", ofProject(s.org, p.Slug, "environments"), nil, func(rows []struct {
		Name string `json:"name"`
	},
	) {
		for _, e := range rows {
			if name := move.Line(e.Name, move.MostName); name != "" {
				p.Environments = append(p.Environments, name)
			}
		}
	})
	if remote.IsMissing(err) {
		return left, nil // they come with the events
	}
	return left, err
}

func firstWord(platform string) string {
	word, _, _ := strings.Cut(platform, "-")
	return word
}

// languages are sett's names of the platforms of projects.
var languages = map[string]string{
	"ruby": "ruby", "javascript": "js", "node": "node", "python": "python", "go": "golang", "php": "php", "java": "java", "elixir": "elixir",
}
