// Package fromhoneybadger reads an account of Honeybadger, or of another server with the same API (/v2), such as sett:
// projects with keys, errors with state, comments and notices, deploys, teams and users. It takes an address and a
// personal token; it returns records of package move, page by page, and what does not come. A server answers so few
// requests an hour that it asks for nothing twice, and waits for the next hour however often it must. It only reads. All
// that a server answers is a stranger's: texts are cut, addresses checked, bodies bounded.
package fromhoneybadger

import (
	"cmp"
	"context"
	"encoding/base64"
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
	URL     string // of the server, without a path
	Token   string // of a user
	Account string // its id; "" if the user has one

	Do   func(*http.Request) (*http.Response, error)
	Now  func() time.Time
	Wait func(ctx context.Context, d time.Duration, why string) error
}

// Source is an account at a server.
type Source struct {
	move.NoBuilds

	server  *remote.Server
	account string

	answered map[string]bool // what has been read: a later refusal is about the limit
}

// New returns a source; the error is Invalid for an address that is none.
func New(o Options) (*Source, error) {
	if strings.ContainsAny(o.Account, "/?#%. ") {
		return nil, sett.Errorf(sett.Invalid, "--from-account must be the id of an account there")
	}
	server, err := remote.New(remote.Options{
		URL: o.URL, Example: "https://app.honeybadger.io", Refused: "It is the personal token, on your profile page there, and no API key of a project.",
		Header: http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(o.Token+":"))}},
		Limit:  limits, Do: o.Do, Now: o.Now, Wait: o.Wait,
	})
	if err != nil {
		return nil, err
	}
	return &Source{server: server, account: o.Account, answered: map[string]bool{}}, nil
}

// limits says when the next request may be sent. Over the limit, the server refuses requests as it refuses those that a
// token may not send.
func limits(r *http.Response, _ time.Time) (until time.Time, only bool) {
	if r.Header.Get("X-RateLimit-Remaining") == "0" {
		until = remote.Reset(r.Header.Get("X-RateLimit-Reset"))
	}
	return until, r.StatusCode == http.StatusForbidden && !until.IsZero()
}

// hourly is what the limit is of, and what it is called while one waits.
const hourly = "the limit of requests per hour"

// get reads one answer. A kind of thing that was answered before is refused for the limit alone; of another, projects say it.
func (s *Source) get(ctx context.Context, kind, path string, query url.Values, into any) error {
	for {
		_, err := s.server.JSON(ctx, "", path, query, into)
		if err == nil {
			s.answered[kind] = true
		}
		if !remote.IsForbidden(err) {
			return err
		}
		if !s.answered[kind] {
			var nothing struct{}
			if len(s.answered) == 0 {
				return err
			}
			if _, limited := s.server.JSON(ctx, "", "v2/projects", nil, &nothing); !remote.IsForbidden(limited) {
				return cmp.Or(limited, err)
			}
		}
		now := s.server.Now()
		if err := s.server.Pause(ctx, now.Truncate(time.Hour).Add(time.Hour+time.Second), hourly); err != nil {
			return err
		}
	}
}

// list is a page of results.
type list[T any] struct {
	Results []T `json:"results"`
	Total   int64
	Links   struct {
		Next string `json:"next"`
	} `json:"links"`
}

// next returns the query of the next page. Of its address nothing else is used: it may lead anywhere.
func (l *list[T]) next() string {
	if len(l.Results) == 0 {
		return ""
	}
	u, err := url.Parse(l.Links.Next)
	if err != nil {
		return ""
	}
	return u.RawQuery
}

// page reads the page of a list that a cursor names; "" for the first, which has the query.
func page[T any](ctx context.Context, s *Source, kind, path string, query url.Values, cursor string) (l list[T], err error) {
	if cursor != "" {
		query, _ = url.ParseQuery(cursor) // it is one that a page named; of one that is damaged, what can be read
	}
	err = s.get(ctx, kind, path, query, &l)
	if l.next() == cursor {
		l.Links.Next = ""
	}
	return l, err
}

// mostPages is how many pages a list has at most that is read as a whole: a server may send pages without end.
const mostPages = 1000

// all reads a whole list; none of it if it is missing or may not be read.
func all[T any](ctx context.Context, s *Source, kind, path string, query url.Values) (rows []T, err error) {
	if rows, err = whole[T](ctx, s, kind, path, query); remote.IsMissing(err) || remote.IsOther(err) {
		err = nil
	}
	return rows, err
}

// whole is all, with an error if the list is missing or may not be read.
func whole[T any](ctx context.Context, s *Source, kind, path string, query url.Values) (rows []T, err error) {
	cursor := ""
	for range mostPages {
		l, err := page[T](ctx, s, kind, path, query, cursor)
		if err != nil {
			return rows, err
		}
		rows = append(rows, l.Results...)
		if cursor = l.next(); cursor == "" {
			break
		}
	}
	return rows, nil
}

// Place returns where the records are from.
func (s *Source) Place() move.Place { return move.Place{Source: "honeybadger", Host: s.server.Host()} }

type projectJSON struct {
	ID           int64    `json:"id"`
	Name         string   `json:"name"`
	Token        string   `json:"token"`
	Active       *bool    `json:"active"`
	Language     string   `json:"language"`
	Environments []string `json:"environments"`
}

// Projects returns the projects of the account, or those of them with one of some names or ids.
func (s *Source) Projects(ctx context.Context, only ...string) (projects []move.Project, left []move.Left, err error) {
	if err := s.choose(ctx); err != nil {
		return nil, nil, err
	}
	missed := slices.Clone(only)
	cursor := ""
	for range mostPages {
		l, err := page[projectJSON](ctx, s, "projects", "v2/projects", s.ofAccount(), cursor)
		if remote.IsMissing(err) {
			return nil, nil, sett.Errorf(sett.Forbidden, "%s lets this token read no projects, or its limit of requests per hour is used up. Check the token, or try again in an hour.", s.server.Host())
		}
		if err != nil {
			return nil, nil, err
		}
		for _, p := range l.Results {
			id, name := strconv.FormatInt(p.ID, 10), move.Line(p.Name, move.MostName)
			names := func(text string) bool { return text == id || strings.EqualFold(text, name) }
			if p.ID > 0 && (len(only) == 0 || slices.ContainsFunc(only, names)) {
				projects = append(projects, projectOf(p))
				missed = slices.DeleteFunc(missed, names)
			}
		}
		if cursor = l.next(); cursor == "" {
			break
		}
	}
	if len(missed) > 0 {
		return nil, nil, sett.Errorf(sett.NotFound, "The account has no project %q. --project is the name or the id of one.", missed[0])
	}
	return projects, nil, nil
}

func projectOf(p projectJSON) move.Project {
	name := move.Line(cmp.Or(p.Name, strconv.FormatInt(p.ID, 10)), move.MostName)
	m := move.Project{ID: strconv.FormatInt(p.ID, 10), Slug: name, Name: name}
	if slices.Contains(languages, p.Language) {
		m.Language = p.Language
	}
	if p.Token != "" {
		m.Keys = []move.Key{{Public: p.Token, Label: "Honeybadger", Active: p.Active == nil || *p.Active}}
	}
	for _, e := range p.Environments[:min(len(p.Environments), mostEnvironments)] {
		if e = move.Line(e, move.MostName); e != "" {
			m.Environments = append(m.Environments, e)
		}
	}
	return m
}

// mostEnvironments is how many environments of a project come.
const mostEnvironments = 100

// languages are those of the contract.
var languages = []string{"js", "elixir", "golang", "java", "node", "php", "python", "ruby", "other"}

type accountJSON struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// choose finds the account of the token, unless one was named.
func (s *Source) choose(ctx context.Context) error {
	if s.account != "" {
		return nil
	}
	accounts, err := all[accountJSON](ctx, s, "accounts", "v2/accounts", nil)
	if err != nil || len(accounts) == 0 {
		return err
	}
	if len(accounts) == 1 {
		s.account = move.Line(accounts[0].ID, move.MostName)
		return nil
	}
	var names []string
	for _, a := range accounts[:min(len(accounts), 20)] {
		names = append(names, move.Line(a.ID, 60)+" ("+move.Line(a.Name, 60)+")")
	}
	return sett.Errorf(sett.Invalid, "--from-account must be one of the accounts of the token: %s", strings.Join(names, ", "))
}

func (s *Source) ofAccount() url.Values {
	if s.account == "" {
		return nil
	}
	return url.Values{"account_id": {s.account}}
}

func ofProject(p move.Project, path string) string {
	return "v2/projects/" + url.PathEscape(p.ID) + "/" + path
}

// timeOf reads a time of the API, in UTC. One that no tracker can have seen is no time.
func timeOf(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil || t.Year() < 2005 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Microsecond)
}
