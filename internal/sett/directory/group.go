package directory

import (
	"slices"
	"strings"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
)

// Group is a group of a directory.
type Group struct {
	ID         string
	Name       string // unique in the directory
	ExternalID string
	Role       accounts.Role // that its people get; "" for none
	TeamID     int64         // that its people are in; 0 for none
	SignedIn   bool          // known by sign-ins (SAML), not sent by SCIM
	Members    []string      // ids of people, sorted
	People     int64         // how many are members
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// Check returns an Invalid error about a group that cannot be stored.
func (g Group) Check() error {
	if strings.TrimSpace(g.Name) == "" {
		return sett.Errorf(sett.Invalid, "displayName is missing.")
	}
	if err := checkText("displayName", g.Name); err != nil {
		return err
	}
	return checkText("externalId", g.ExternalID)
}

// GroupChange is what an owner changes of a group. What was not sent stays; null ends it.
type GroupChange struct {
	Role   sett.Optional[accounts.Role] `json:"role,omitzero" enum:"Member,Billing,Admin,Owner" doc:"Null: the group gives none."`
	TeamID sett.Optional[int64]         `json:"team_id,omitzero" doc:"Null: the group gives none."`
}

// Apply changes a group, or returns an Invalid error.
func (c GroupChange) Apply(g *Group) error {
	var p sett.Problems
	sett.SetField(&p, "role", c.Role, &g.Role, "")
	if c.Role.Filled() && c.Role.Bad == "" {
		accounts.CheckRole(&p, "role", g.Role)
	}
	sett.SetField(&p, "team_id", c.TeamID, &g.TeamID, 0)
	return p.Refusal()
}

// Place is what a person gets from their groups.
type Place struct {
	Role  accounts.Role // "" : it stays what it is
	Teams []int64       // sorted
}

// PlaceOf decides the role and the teams of a person. given are the roles and teams of their groups; byGroups says that some group of the
// directory gives a role. Then the strongest role of a person's groups counts, and initial for people in none of them. Otherwise people
// keep the role that they have, and only new ones get initial.
func PlaceOf(has, initial accounts.Role, byGroups bool, roles []accounts.Role, teams []int64) Place {
	teams = slices.Clone(teams)
	slices.Sort(teams)
	p := Place{Teams: slices.Compact(teams)}
	strongest := -1
	for _, r := range roles {
		strongest = max(strongest, slices.Index(accounts.Roles, r))
	}
	switch {
	case byGroups && strongest >= 0:
		p.Role = accounts.Roles[strongest]
	case byGroups || has == "":
		p.Role = initial
	}
	return p
}
