package faults

import (
	"fmt"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// SavedSearch is a search for faults that a user keeps private, or shares with all who see the project.
type SavedSearch struct {
	ID        int64
	ProjectID int64
	Shared    bool
	MadeBy    *sett.Person // nil when they are gone
	CreatedAt time.Time
	SavedSearchSettings
}

// SavedSearchSettings are what a saved search looks for.
type SavedSearchSettings struct {
	Name        string
	Q           string
	Environment string // "" for all
	Order       string // as lists of faults are sorted; "" for the newest first
}

// MostSavedSearches is how many searches a project can share, and how many of their own each user can keep in it.
const MostSavedSearches = 100

// SavedSearchChange is the body that makes a saved search.
type SavedSearchChange struct {
	Name        sett.Optional[string] `json:"name,omitzero" doc:"Its name." null:"no" example:"Open in production"`
	Q           sett.Optional[string] `json:"q,omitzero" doc:"The search, as the list of faults takes it. Default: everything."`
	Environment sett.Optional[string] `json:"environment,omitzero" doc:"Only faults of this environment. Default: all."`
	Order       sett.Optional[string] `json:"order,omitzero" enum:"recent,frequent" doc:"The order of the faults. Default: newest first."`
	Shared      sett.Optional[bool]   `json:"shared,omitzero" doc:"True shows it to all users who can see the project. Default: false."`
}

// Apply returns what is to be saved, and whether it is shared, or an Invalid error.
func (c SavedSearchChange) Apply(now time.Time) (s SavedSearchSettings, shared bool, err error) {
	var p sett.Problems
	sett.SetName(&p, c.Name, &s.Name)
	if !c.Name.Sent {
		sett.CheckName(&p, "name", "")
	}
	sett.SetField(&p, "q", c.Q, &s.Q, "")
	sett.SetField(&p, "environment", c.Environment, &s.Environment, "")
	sett.SetField(&p, "order", c.Order, &s.Order, "")
	sett.SetField(&p, "shared", c.Shared, &shared, false)
	sett.CheckSearch(&p, "q", s.Q, now)
	sett.CheckText(&p, "environment", s.Environment, sett.LongestName)
	if s.Order != "" && s.Order != "recent" && s.Order != "frequent" {
		p.Add("order", "must be recent or frequent")
	}
	return s, shared, p.Refusal()
}

// CheckSavedSearches returns an Invalid error when there are too many to make another.
func CheckSavedSearches(have int64, shared bool) error {
	if have < MostSavedSearches {
		return nil
	}
	whose := "you have saved in this project"
	if shared {
		whose = "this project shares"
	}
	return sett.Errorf(sett.Invalid, "%s", fmt.Sprintf("Delete one of the searches that %s first: there can be at most %d.", whose, MostSavedSearches))
}

// Deletable returns a Forbidden error unless a user with that scope in the project may delete the search: who made it may,
// and users who may change the project.
func (s SavedSearch) Deletable(userID int64, scope accounts.Scope) error {
	if s.MadeBy != nil && s.MadeBy.ID == userID || scope.May(accounts.ManageProject) {
		return nil
	}
	return sett.Errorf(sett.Forbidden, "Only the creator of a shared search, or a user who may change the project, can delete it.")
}
