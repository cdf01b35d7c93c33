package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"sett/internal/api"
	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/sett/ascode"
)

// Account is an account of a server, for the commands of configuration as code.
type Account struct {
	Server Server
	ID     string
	Set    string // the name of the files; "" for none
	Holder string // who applies files, and where, for others
}

// Account returns an account of the user: the one with an id, or the only one.
func (s Server) Account(ctx context.Context, id string) (Account, error) {
	var all serve.List[api.Account]
	if err := s.call(ctx, http.MethodGet, "/v2/accounts", nil, &all); err != nil {
		return Account{}, err
	}
	var names []string
	for _, a := range all.Results {
		if a.ID == id || id == "" && len(all.Results) == 1 {
			return Account{Server: s, ID: a.ID}, nil
		}
		names = append(names, fmt.Sprintf("%s (%s)", a.ID, a.Name))
	}
	if id == "" {
		return Account{}, fmt.Errorf("--account is missing; you have %s", strings.Join(names, ", "))
	}
	return Account{}, fmt.Errorf("you have no account %s; you have %s", id, strings.Join(names, ", "))
}

// path is that of the account in the API.
func (a Account) path() string { return "/v2/accounts/" + url.PathEscape(a.ID) }

// state reads what the server keeps of files that were applied.
func (a Account) state(ctx context.Context) (api.AccountConfiguration, ascode.State, error) {
	var answer struct{ Configuration api.AccountConfiguration }
	err := a.Server.call(ctx, http.MethodGet, a.path()+"/configuration", nil, &answer)
	c := answer.Configuration
	if c.Things == nil {
		c.Things = map[string]accounts.ConfiguredThing{}
	}
	return c, ascode.State{Set: a.Set, Salt: c.Salt, Things: c.Things}, err
}

// things is a list of the API, which is an array or has pages.
type things struct {
	results []map[string]any
	next    string
}

// UnmarshalJSON reads either.
func (t *things) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, &t.results)
	}
	var page serve.List[map[string]any]
	err := json.Unmarshal(text, &page)
	t.results, t.next = page.Results, page.Links.Next
	return err
}

// list reads all pages of a list. Links to pages have the public address of the server, which need not be the one that is asked.
func (a Account) list(ctx context.Context, path string) (all []map[string]any, err error) {
	for path != "" {
		var page things
		if err := a.Server.call(ctx, http.MethodGet, path, nil, &page); err != nil {
			return nil, err
		}
		all = append(all, page.results...)
		path = ""
		if at := strings.Index(page.next, "/v2/"); at >= 0 {
			path = page.next[at:]
		}
	}
	return all, nil
}

// current reads what the account has. Of projects it reads what wanted, unless it is nil, or the files before may have something to say about: each
// list is a request, and the API has a limit.
func (a Account) current(ctx context.Context, wanted *ascode.Thing, state ascode.State) (*ascode.Thing, error) {
	root := &ascode.Thing{Kind: ascode.Root()}
	for _, kind := range root.Kind.Kinds {
		found, err := a.list(ctx, a.listPath(kind))
		if err != nil {
			return nil, err
		}
		for _, raw := range found {
			t := root.Add(kind, raw)
			if err := a.inside(ctx, t, wanted, state); err != nil {
				return nil, err
			}
		}
	}
	return root, nil
}

// listPath is where the things of a kind of the account are listed and created.
func (a Account) listPath(kind *ascode.Kind) string {
	if kind.Name == "status_pages" {
		return a.path() + kind.Path
	}
	return "/v2" + kind.Path + "?account_id=" + url.QueryEscape(a.ID)
}

// inside reads what is in a thing.
func (a Account) inside(ctx context.Context, t, wanted *ascode.Thing, state ascode.State) error {
	if len(t.Kind.Kinds) == 0 {
		return nil
	}
	w := t
	if wanted != nil {
		if w = state.Project(wanted, t.ID, t.RawName()); w == nil {
			return nil
		}
	}
	for _, kind := range t.Kind.Kinds {
		if wanted != nil && !w.Says(kind) && !state.Has(w.Path()+"/"+kind.Name) {
			continue
		}
		path := "/v2/projects/" + t.ID + kind.Path
		if kind.Single {
			var answer map[string]map[string]any
			if err := a.Server.call(ctx, http.MethodGet, path, nil, &answer); err != nil {
				return err
			}
			t.Add(kind, answer[kind.Member])
			continue
		}
		found, err := a.list(ctx, path)
		if err != nil {
			return err
		}
		for _, raw := range kind.InOrder(found) {
			t.Add(kind, raw)
		}
	}
	return nil
}

// SchemaPath is where a server has the JSON Schema of files.
const SchemaPath = "/docs/as-code/schema.json"
