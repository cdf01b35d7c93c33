package client

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"sett/internal/api"
	"sett/internal/base/cell"
	"sett/internal/base/phrase"
	"sett/internal/serve"
)

// Noun is a kind of things that a server has, for the commands that read them.
type Noun struct {
	Name    string   // of the command that lists them: sites
	One     string   // a word for one of them: site
	About   string   // what the command does, for its help
	Columns []Column // in the order of Row.Cells
	Limit   int      // how many are listed unless another number is asked for

	path   string // in the API, below that of the project or account
	where  place
	direct bool // one of them is asked for by its id, and the list is not read for it
	read   func(json.RawMessage) (Row, error)
}

// place is where the things of a noun are.
type place int

const (
	inProject place = iota
	inAccount
	inServer
)

// Column is a field of a noun, by the name that scripts know it by.
type Column struct {
	Name, Doc string
	Wide      bool // tables for people leave it out
}

// Row is one thing that a server has.
type Row struct {
	ID    string
	Names []string // what else people call it
	Page  string   // the address of its page; "" for none
	Cells []any

	about string // of a thing without a name
}

// OfProject reports whether the things of a noun are in a project.
func (n Noun) OfProject() bool { return n.where == inProject }

// Plural is what several of them are called.
func (n Noun) Plural() string {
	if strings.HasSuffix(n.One, "ch") {
		return n.One + "es"
	}
	return n.One + "s"
}

// About says in a few words what a thing is, beside its id: for an error its class and message.
func (r Row) About() string {
	if len(r.Names) > 0 {
		return r.Names[0]
	}
	return r.about
}

// PageOf returns the address of the page that lists a noun.
func (s Server) PageOf(n Noun) string {
	address := strings.TrimRight(s.Address, "/")
	if n.where != inProject {
		return address + "/"
	}
	path := n.path
	if n.Name == searchesNoun().Name {
		path = Errors().path // where they are chosen
	}
	return address + "/projects/" + strconv.FormatInt(s.Project, 10) + path
}

// of completes a noun by how its things are shown.
func of[T any](n Noun, view func(T) Row) Noun {
	n.read = func(text json.RawMessage) (Row, error) {
		var thing T
		if err := json.Unmarshal(text, &thing); err != nil {
			return Row{}, err
		}
		return view(thing), nil
	}
	return n
}

// Unknown is the error for a word that names nothing.
type Unknown struct {
	One, Word string
	Known     []string // names that there are
	List      string   // what lists them, such as a command
}

func (u Unknown) Error() string {
	said := fmt.Sprintf("there is no %s %q", u.One, u.Word)
	if near := u.near(); len(near) > 0 {
		return said + "; did you mean " + cell.Plain(strings.Join(near, ", or ")) + "?"
	}
	return said + "; " + u.List + " lists those that there are"
}

// near returns names that the word may stand for, best first, at most three.
func (u Unknown) near() (near []string) {
	if best, ok := phrase.Nearest(strings.ToLower(u.Word), lowered(u.Known)); ok {
		near = append(near, u.Known[slices.Index(lowered(u.Known), best)])
	}
	for _, name := range u.Known {
		if strings.Contains(strings.ToLower(name), strings.ToLower(u.Word)) && !slices.Contains(near, name) {
			near = append(near, name)
		}
	}
	return near[:min(len(near), 3)]
}

func lowered(words []string) (low []string) {
	for _, word := range words {
		low = append(low, strings.ToLower(word))
	}
	return low
}

// listOf is a page of a list of the API, which is an array where no pages are.
type listOf struct {
	Links   serve.Links
	Results []json.RawMessage
	Total   int
	Unread
}

// Unread is what a search could not read, so that things may be missing in its list.
type Unread struct {
	SearchedSince *time.Time `json:"searched_since"` // of older events, some were not searched; nil: all were
	UnreadBlocks  int        `json:"unread_blocks"`  // of events
}

// Says says in a sentence what was not read; "" if all was.
func (u Unread) Says() string {
	switch {
	case u.SearchedSince != nil:
		return fmt.Sprintf("the search ran out of time: of events before %s, some were not searched", u.SearchedSince.UTC().Format(time.RFC3339))
	case u.UnreadBlocks > 0:
		return fmt.Sprintf("the search could not read %d blocks of events, so errors may be missing", u.UnreadBlocks)
	}
	return ""
}

// UnmarshalJSON reads either.
func (l *listOf) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, &l.Results)
	}
	type plainList listOf // without this method
	return json.Unmarshal(text, (*plainList)(l))
}

// unreadOf says what a search could not read.
func unreadOf(l api.FaultList) string { return Unread{l.SearchedSince, l.UnreadBlocks}.Says() }

// Listed is what was read of a list.
type Listed struct {
	Rows  []Row
	More  bool // that were not read
	Total int  // of all that match; 0 if the server does not say
	Unread
}

// paths returns where the lists of a noun are in the API.
func (s Server) paths(ctx context.Context, n Noun) (paths []string, err error) {
	switch n.where {
	case inServer:
		return []string{"/v2" + n.path}, nil
	case inAccount:
		var all serve.List[api.Account]
		err := s.call(ctx, http.MethodGet, "/v2/accounts", nil, &all)
		for _, a := range all.Results {
			paths = append(paths, "/v2/accounts/"+url.PathEscape(a.ID)+n.path)
		}
		return paths, err
	}
	path, err := s.project(ctx)
	return []string{path + n.path}, err
}

// List reads things of a noun, at most limit of them. The query narrows it, as the API has it.
func (s Server) List(ctx context.Context, n Noun, query url.Values, limit int) (found Listed, err error) {
	paths, err := s.paths(ctx, n)
	if err != nil {
		return found, err
	}
	for i, path := range paths {
		if len(found.Rows) >= limit {
			found.More = i < len(paths)
			break
		}
		if err := s.pages(ctx, n, path, query, limit, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// pages adds the pages of one list. Links to pages have the public address of the server, which need not be the one that is asked.
func (s Server) pages(ctx context.Context, n Noun, path string, query url.Values, limit int, found *Listed) error {
	asked := url.Values{"limit": {strconv.Itoa(min(limit, mostOfPage))}}
	for name, values := range query {
		asked[name] = values
	}
	for path += "?" + asked.Encode(); path != ""; {
		var page listOf
		if err := s.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return err
		}
		for i, raw := range page.Results {
			if len(found.Rows) >= limit {
				found.More = i < len(page.Results)
				break
			}
			row, err := n.read(raw)
			if err != nil {
				return s.strange(http.StatusOK)
			}
			found.Rows = append(found.Rows, row)
		}
		found.Total = page.Total
		if page.Unread.Says() != "" {
			found.Unread = page.Unread
		}
		if path = next(page.Links); path != "" && len(found.Rows) >= limit {
			found.More = true
			return nil
		}
	}
	return nil
}

// next returns the path of the page after one; "" for the last.
func next(l serve.Links) string {
	if at := strings.Index(l.Next, "/v2/"); at >= 0 {
		return l.Next[at:]
	}
	return ""
}

// mostOfPage is how many things a page of the API has at most.
const mostOfPage = 1000

// Find reads the thing of a noun that a word names: by its id, its name in any case, or the address of its page.
func (s Server) Find(ctx context.Context, n Noun, word string) (Row, error) {
	if address, ok := ParseAddress(word); ok {
		return s.findAddress(ctx, n, address)
	}
	if n.direct {
		row, err := s.one(ctx, n, word)
		if err == nil || !absent(err) {
			return row, err
		}
	}
	found, err := s.List(ctx, n, nil, n.Limit) // of what has no end, the newest: each page is a request
	if err != nil {
		return Row{}, err
	}
	at, err := pick(n, found.Rows, word)
	if err != nil {
		return Row{}, err
	}
	return found.Rows[at], nil
}

// pick returns which of the rows a word names: by its id, or by a name that no other has.
func pick(n Noun, rows []Row, word string) (at int, err error) {
	unknown := Unknown{One: n.One, Word: word, List: "sett " + n.Name}
	var ids []string
	for i, row := range rows {
		switch {
		case row.ID == word:
			return i, nil
		case row.called(word):
			at, ids = i, append(ids, row.ID)
		}
		unknown.Known = append(unknown.Known, cmp.Or(slices.Concat(row.Names, []string{row.ID})...))
	}
	switch len(ids) {
	case 0:
		return 0, unknown
	case 1:
		return at, nil
	}
	return 0, fmt.Errorf("several %s are called %q; name one by its id: %s", n.Plural(), word, strings.Join(ids, ", "))
}

// one reads the thing with an id.
func (s Server) one(ctx context.Context, n Noun, id string) (Row, error) {
	paths, err := s.paths(ctx, n)
	if err != nil {
		return Row{}, err
	}
	var raw json.RawMessage
	if err := s.call(ctx, http.MethodGet, paths[0]+"/"+url.PathEscape(id), nil, &raw); err != nil {
		return Row{}, err
	}
	row, err := n.read(raw)
	if err != nil {
		return row, s.strange(http.StatusOK)
	}
	return row, nil
}

// findAddress reads the thing of a noun whose page has this address.
func (s Server) findAddress(ctx context.Context, n Noun, a Address) (Row, error) {
	if n.where == inProject && a.Project > 0 {
		s.Project = a.Project
	}
	id, ok := a.idOf(n)
	if !ok {
		return Row{}, fmt.Errorf("%s is no address of a %s; copy that of its page", a.Text, n.One)
	}
	row, err := s.Find(ctx, n, id)
	if err == nil && n.where != inAccount { // a status page may have a domain of its own
		err = a.sameServer(cmp.Or(row.Page, s.Address))
	}
	return row, err
}

func (r Row) called(word string) bool {
	return slices.ContainsFunc(r.Names, func(name string) bool { return name != "" && strings.EqualFold(name, word) })
}
