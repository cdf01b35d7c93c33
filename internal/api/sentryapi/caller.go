package sentryapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/store/sourcemapdb"
)

// caller is who makes a request: a user with a personal token, or a client with the API key of a project.
type caller struct {
	auth.Principal
	key     accounts.KeyedProject // its ProjectID is 0 for a user
	account accounts.NamedAccount // that the path names; its ID is "" where it names none
}

// sender returns whose chunks a caller uses.
func (c caller) sender() sourcemapdb.Sender {
	return sourcemapdb.Sender{AccountID: c.account.ID, UserID: c.User.ID, ProjectID: c.key.ProjectID}
}

// uploader says with whom the caller shares its turns: all of a project's key, or the user, as a number that is no project's.
func (c caller) uploader() int64 {
	if c.key.ProjectID != 0 {
		return c.key.ProjectID
	}
	return -c.User.ID
}

// admit authenticates and counts a request, and finds the account.
func (a *API) admit(w http.ResponseWriter, r *http.Request) (c caller, err error) {
	if c, err = a.authenticate(w, r); err != nil {
		return c, err
	}
	serve.Known(r.Context())
	if c.key.ProjectID > 0 {
		serve.SetPrincipal(r.Context(), "project:"+strconv.FormatInt(c.key.ProjectID, 10))
	} else {
		serve.SetPrincipal(r.Context(), "user:"+strconv.FormatInt(c.User.ID, 10))
	}
	if c.ReadOnly && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return c, sett.Errorf(sett.Forbidden, "This token is read-only. Use a token with the scope write, which you can create at /me/tokens.")
	}
	if org := r.PathValue("org"); org != "" {
		c.account, err = a.accountOf(r, c, org)
	}
	return c, err
}

func (a *API) authenticate(w http.ResponseWriter, r *http.Request) (c caller, err error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return c, sett.Errorf(sett.Unauthenticated, "Authentication is required: set SENTRY_AUTH_TOKEN to a personal token of sett, which you can create at /me/tokens, or to an API key of the project.")
	}
	a.Limiter.Fresh(a.Now()).WriteTo(w.Header())
	c.Principal, err = a.Tokens.Authenticate(r)
	if sett.CodeOf(err) == sett.Unauthenticated {
		if keyed, failed := a.Keys.Project(r.Context(), token); sett.CodeOf(failed) != sett.Forbidden {
			c.key = keyed
			return c, cmp.Or(failed, keyed.Scope.RefuseMore("manage releases or upload source maps"))
		}
	}
	if err != nil {
		return c, err
	}
	quota, err := a.Limiter.Take(c.User.ID, a.Now())
	quota.WriteTo(w.Header())
	return c, err
}

// accountOf returns the account that a path names, by its id or its name.
func (a *API) accountOf(r *http.Request, c caller, org string) (accounts.NamedAccount, error) {
	all, err := a.accountsOf(r, c)
	if err != nil {
		return accounts.NamedAccount{}, err
	}
	var named []sett.Named
	for _, one := range all {
		named = append(named, sett.Named{ID: one.ID, Name: one.Name})
	}
	i, err := sett.FindNamed("Account", org, named)
	if err != nil {
		return accounts.NamedAccount{}, err
	}
	return all[i], nil
}

func (a *API) accountsOf(r *http.Request, c caller) ([]accounts.NamedAccount, error) {
	if c.key.ProjectID == 0 {
		return a.Accounts.NamedAccounts(r.Context(), c.User.ID)
	}
	found, err := a.Accounts.AccountByID(r.Context(), c.key.AccountID)
	return []accounts.NamedAccount{{ID: found.ID, Name: found.Name}}, err
}

// projectsOf returns the projects of the account that the caller may use.
func (a *API) projectsOf(r *http.Request, c caller) ([]accounts.NamedProject, error) {
	if c.key.ProjectID == 0 {
		return a.Accounts.NamedProjects(r.Context(), c.User.ID, c.account.ID)
	}
	found, err := a.Accounts.ProjectWithoutCounts(r.Context(), c.key.ProjectID)
	return []accounts.NamedProject{{ID: found.ID, Name: found.Name, AccountID: c.key.AccountID}}, err
}

// projectName is how a request names a project: by its id, which may be a number, or by its name.
type projectName string

// UnmarshalJSON takes any value. What names no project is not found.
func (n *projectName) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*string)(n)) != nil {
		*n = projectName(text)
	}
	return nil
}

// mostProjects is how many projects a request may name.
const mostProjects = 50

// named returns the projects that a request names, by their ids or names: the one in the path, or those of the body. It names none where
// both are missing.
func (a *API) named(r *http.Request, c caller, asked []projectName) (found []accounts.NamedProject, err error) {
	if name := r.PathValue("project"); name != "" {
		asked = []projectName{projectName(name)}
	}
	switch {
	case len(asked) == 0:
		return nil, nil
	case len(asked) > mostProjects:
		return nil, sett.Errorf(sett.Invalid, "The request names more than %d projects. Send one request for some of them at a time.", mostProjects)
	}
	all, err := a.projectsOf(r, c)
	if err != nil {
		return nil, err
	}
	var named []sett.Named
	for _, p := range all {
		named = append(named, sett.Named{ID: strconv.FormatInt(p.ID, 10), Name: p.Name})
	}
	seen := map[int]bool{}
	for _, name := range asked {
		i, err := sett.FindNamed("Project", string(name), named)
		if err != nil {
			return nil, err
		}
		if !seen[i] {
			seen[i], found = true, append(found, all[i])
		}
	}
	return found, nil
}

// audited returns a request under whose context the store keeps an entry in the audit log: of a user who deletes something. Uploads and deploys
// are reports, as those with an API key.
func (a *API) audited(rt serve.Route, r *http.Request, c caller) *http.Request {
	if rt.Method != http.MethodDelete || c.key.ProjectID > 0 {
		return r
	}
	scope := accounts.Scope{AccountID: c.account.ID, Name: c.account.Name}
	asked := r.WithContext(auth.WithPrincipal(r.Context(), c.Principal))
	entry := func() accounts.AuditEntry {
		return auth.AuditEntry(asked, rt, scope, asked.URL.Query(), sett.MaskedBody(nil), a.Now(), a.Proxies)
	}
	return r.WithContext(accountdb.WithAudit(asked.Context(), entry))
}
