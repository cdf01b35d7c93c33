package sentryapi

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"sett/internal/serve"
	"sett/internal/sett"
)

// organizationAnswer is an account.
type organizationAnswer struct {
	ID   string `json:"id"`
	Slug string `json:"slug"`
	Name string `json:"name"`
}

func (a *API) organization(w http.ResponseWriter, r *http.Request, c caller) error {
	return serve.WriteJSON(w, http.StatusOK, organizationAnswer{c.account.ID, r.PathValue("org"), c.account.Name})
}

// listedOrganization is an account in a list. sentry-cli reads no list without all of these fields.
type listedOrganization struct {
	organizationAnswer
	DateCreated   time.Time `json:"dateCreated"`
	EarlyAdopter  bool      `json:"isEarlyAdopter"`
	Requires2FA   bool      `json:"require2FA"`
	RequiresEmail bool      `json:"requireEmailVerification"`
	Features      []string  `json:"features"`
}

// listOrganizations lists the accounts of the caller.
func (a *API) listOrganizations(w http.ResponseWriter, r *http.Request, c caller) error {
	all, err := a.accountsOf(r, c)
	if err != nil {
		return err
	}
	answer := []listedOrganization{}
	for _, one := range all {
		found, err := a.Accounts.AccountByID(r.Context(), one.ID)
		if err != nil {
			return err
		}
		answer = append(answer, listedOrganization{organizationAnswer: organizationAnswer{one.ID, slugOf(one.Name, one.ID), one.Name}, DateCreated: found.CreatedAt, Features: []string{}})
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// listedProject is a project in a list.
type listedProject struct {
	ID   string    `json:"id"`
	Slug string    `json:"slug"`
	Name string    `json:"name"`
	Team *struct{} `json:"team"` // always null: a project may have several teams
}

// listProjects lists the projects of an account that the caller may use.
func (a *API) listProjects(w http.ResponseWriter, r *http.Request, c caller) error {
	all, err := a.projectsOf(r, c)
	if err != nil {
		return err
	}
	answer := []listedProject{}
	for _, p := range all {
		id := strconv.FormatInt(p.ID, 10)
		answer = append(answer, listedProject{ID: id, Slug: slugOf(p.Name, id), Name: p.Name})
	}
	return serve.WriteJSON(w, http.StatusOK, answer)
}

// slugOf returns the word by which a request may name what has a name and an id.
func slugOf(name, id string) string { return cmp.Or(sett.Slug(name), id) }
