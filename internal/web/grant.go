package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/signin"
)

// Grants are the fields that say what a token of /v3 may do.
type Grants struct {
	Reads    []GrantTick
	Writes   []GrantTick
	Projects Field
	Open     bool // they are shown, not folded
}

// GrantTick is a scope that can be chosen.
type GrantTick struct {
	Scope string
	On    bool
}

// NewGrants returns the fields as a form has them.
func NewGrants(form url.Values, open bool) Grants {
	ticks := func(scopes []string) (all []GrantTick) {
		for _, scope := range scopes {
			all = append(all, GrantTick{scope, slices.Contains(form["scopes"], scope)})
		}
		return all
	}
	return Grants{
		ticks(signin.ReadScopes()), ticks(signin.WriteScopes()),
		Field{Name: "projects", Label: "Only these projects", Kind: "text", Value: form.Get("projects"), Optional: true, Complete: "off", Hint: "IDs of projects with spaces between them. Empty: all projects of the account."},
		open,
	}
}

// GrantOf reads what a form grants in an account, and notes what is wrong. Projects must be among those that the user sees there.
func (p *Pages) GrantOf(r *http.Request, problems *sett.Problems, form url.Values, accountID string) signin.Grant {
	g := signin.Grant{Scopes: form["scopes"], AccountID: accountID}
	for text := range strings.FieldsSeq(form.Get("projects")) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err == nil {
			scope, found := p.Accounts.ProjectScope(r.Context(), Who(r).User.ID, id)
			if found == nil && scope.AccountID == accountID && scope.May("read_project") {
				g.Projects = append(g.Projects, id)
				continue
			}
		}
		problems.Add("projects", "has %.20q, which is not the ID of a project of the account", text)
	}
	return g
}
