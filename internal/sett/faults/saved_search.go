package faults

import (
	"fmt"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// SavedSearch is a search that a user keeps private, or shares with all who see the project.
type SavedSearch struct {
	ID        int64
	ProjectID int64
	Place     SearchPlace
	Shared    bool
	MadeBy    *sett.Person // nil when they are gone
	CreatedAt time.Time
	SavedSearchSettings
}

// SearchPlace is what a saved search is about.
type SearchPlace string

// The places. A search of one is not seen in the other.
const (
	OfErrors   SearchPlace = "errors"
	OfInsights SearchPlace = "insights" // structured events: a search or a query
)

// Noun is what messages call a saved search of the place.
func (p SearchPlace) Noun() string {
	if p == OfInsights {
		return "query"
	}
	return "search"
}

// SavedSearchSettings are what a saved search looks for.
type SavedSearchSettings struct {
	Name        string
	Q           string
	Environment string // of errors; "" for all
	Order       string // of errors, as lists of faults are sorted; "" for the newest first
	Period      string // of structured events
	View        string // of structured events
}

// longestQuery is how many bytes a saved query may have, as many as one that is asked.
const longestQuery = 8_000

// CheckQuery returns the settings of a query of structured events as they are stored, or an Invalid error. Whether the query can be read is not checked.
func (s SavedSearchSettings) CheckQuery() (SavedSearchSettings, error) {
	var p sett.Problems
	s.Name = strings.TrimSpace(s.Name)
	sett.CheckName(&p, "name", s.Name)
	sett.CheckText(&p, "query", strings.NewReplacer("\n", " ", "\t", " ").Replace(s.Q), longestQuery)
	sett.CheckText(&p, "period", s.Period, sett.LongestName)
	sett.CheckText(&p, "view", s.View, sett.LongestName)
	return s, p.Refusal()
}

// MostSavedSearches is how many searches of each place a project can share, and how many of their own each user can keep in it.
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

// CheckRoom returns an Invalid error when there are too many to make another.
func (p SearchPlace) CheckRoom(have int64, shared bool) error {
	if have < MostSavedSearches {
		return nil
	}
	whose := "you have saved in this project"
	if shared {
		whose = "this project shares"
	}
	return sett.Errorf(sett.Invalid, "%s", fmt.Sprintf("Delete one of the %s that %s first: there can be at most %d.", plurals[p], whose, MostSavedSearches))
}

var plurals = map[SearchPlace]string{OfErrors: "searches", OfInsights: "queries"}

// Deletable returns a Forbidden error unless a user with that scope in the project may delete the search, or change it: who made it may,
// and users who may change the project.
func (s SavedSearch) Deletable(userID int64, scope accounts.Scope) error {
	if s.MadeBy != nil && s.MadeBy.ID == userID || scope.May(accounts.ManageProject) {
		return nil
	}
	return sett.Errorf(sett.Forbidden, "Only the creator of a shared %s, or a user who may change the project, can change or delete it.", s.Place.Noun())
}
