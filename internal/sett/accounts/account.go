// Package accounts has the nouns and rules of those who use a server: accounts, users, teams, roles, invitations, projects and their
// environments, and the audit log. It takes rows, requests and the current time, and returns permissions, new settings and problems. It is
// pure. It knows nothing of what happens in a project.
package accounts

import (
	"slices"
	"time"

	"sett/internal/sett"
)

// Account owns projects, teams and everything in them.
type Account struct {
	ID        string
	Name      string
	Email     string
	Active    bool
	Parked    bool
	CreatedAt time.Time
}

// AccountSummary is an account with how much there is in it, as those see it who run the server.
type AccountSummary struct {
	Account
	Owners   []string // their addresses, in the order of the alphabet
	Users    int64
	Projects int64
}

// UsageDay is how the notices of an account ended on one UTC day.
type UsageDay struct {
	Day     time.Time // its midnight
	Stored  int64
	Limited int64
	Ignored int64
	Invalid int64
}

// AccountUsage is how the notices of an account ended in one month: an entry a day, from the first of the month.
type AccountUsage []UsageDay

// NewAccountUsage returns a usage of nothing: an entry for every day of now's month (UTC) that has begun. The days to
// come are left out, because a zero would claim to know how they end.
func NewAccountUsage(now time.Time) AccountUsage {
	var u AccountUsage
	for day := Month(now); !day.After(now); day = day.AddDate(0, 0, 1) {
		u = append(u, UsageDay{Day: day})
	}
	return u
}

// Set replaces the entry of d's day; a day that u does not have is dropped.
func (u AccountUsage) Set(d UsageDay) {
	if i := d.Day.UTC().Day() - 1; len(u) > i && u[i].Day.Equal(d.Day) {
		u[i] = d
	}
}

// QuotaConsumed returns which part of the monthly quota the stored notices are: 0.75 is 75 percent, and more than 1 is
// possible when the quota was lowered. Without a quota it is 0.
func (u AccountUsage) QuotaConsumed(l Limits) float64 {
	if l.MonthlyQuota <= 0 {
		return 0
	}
	var stored int64
	for _, d := range u {
		stored += d.Stored
	}
	return float64(stored) / float64(l.MonthlyQuota)
}

// AccountUser is a user with what they are in an account.
type AccountUser struct {
	sett.Person
	Role Role
}

// AccountUserChange is the body of an update of an account's user: only what was sent changes.
type AccountUserChange struct {
	Role sett.Optional[Role] `json:"role,omitzero" enum:"Member,Billing,Admin,Owner" null:"no"`
}

// Apply returns the role of a user who had the given one, or an Invalid error.
func (c AccountUserChange) Apply(role Role) (Role, error) {
	var p sett.Problems
	sett.SetField(&p, "role", c.Role, &role, "")
	if c.Role.Bad == "" {
		CheckRole(&p, "role", role)
	}
	return role, p.Refusal()
}

// CheckRole notes that a role is none of the contract's.
func CheckRole(p *sett.Problems, field string, role Role) {
	if !slices.Contains(Roles, role) {
		p.Add(field, "is not included in the list: %s, %s, %s, %s", Member, Billing, Admin, Owner)
	}
}

// Standing decides whether the role of a user in an account may be changed.
type Standing struct {
	Asker  Role  // of who asks
	User   Role  // of the user
	Owners int64 // how many owners the account has
	Self   bool  // who asks is the user
}

// ChangeRole returns a Forbidden error when who asks may not give the user this role, and an Invalid one when the account
// would have no owner left.
func (s Standing) ChangeRole(to Role) error {
	if err := s.mayManage(); err != nil {
		return err
	}
	if to == Owner && s.Asker != Owner {
		return sett.Errorf(sett.Forbidden, "Only an owner of this account can make another user an owner. Ask one of them.")
	}
	if to != Owner && s.LastOwner() {
		return sett.Refuse("role", "can't be changed, because this is the last owner of the account: make another user an owner first")
	}
	return nil
}

// Remove returns a Forbidden error when who asks may not remove the user from the account, and an Invalid one when it
// would have no owner left. Everybody may go themselves.
func (s Standing) Remove() error {
	if err := s.mayManage(); err != nil && !s.Self {
		return err
	}
	if s.LastOwner() {
		return sett.Errorf(sett.Invalid, "This is the last owner of the account. Make another user an owner first.")
	}
	return nil
}

func (s Standing) mayManage() error {
	switch scope := (Scope{Role: s.Asker}); {
	case !scope.May(ManagePeople):
		return sett.Errorf(sett.Forbidden, "Your role in this account does not allow this. Ask an admin or owner of it.")
	case s.User == Owner && s.Asker != Owner:
		return sett.Errorf(sett.Forbidden, "Only an owner of this account can change or remove an owner. Ask one of them.")
	}
	return nil
}

// Loses reports whether the user is an owner or admin and would be less with that role.
func (s Standing) Loses(to Role) bool {
	return s.User == Owner && to != Owner || s.User == Admin && to != Owner && to != Admin
}

// LosesTeams reports whether the user, as an admin of teams, could manage them and could not with that role.
func (s Standing) LosesTeams(to Role) bool {
	admin := func(r Role) bool { return Scope{Role: r, OfTeam: true, TeamAdmin: true}.May(ManageTeam) }
	return admin(s.User) && !admin(to)
}

// LastOwner reports whether the account would have no owner without the user.
func (s Standing) LastOwner() bool { return s.User == Owner && s.Owners <= 1 }

// UserSummary is a user with everything that they belong to, as those see it who run the server.
type UserSummary struct {
	sett.Person
	SecondFactor bool          // they show one beside their password
	Accounts     []UserAccount // in the order of their ids
}

// UserAccount is an account that a user belongs to, and what they are in it.
type UserAccount struct {
	ID   string
	Name string
	Role Role
}

// Team connects users of an account with projects of it.
type Team struct {
	ID        int64
	Name      string
	CreatedAt time.Time
	Owner     *sett.Person // who made it; nil when they have left the account
	Members   []TeamMember
	Projects  []Project

	Invitations []Invitation // none for those who may not manage the team: they hold tokens
}

// TeamMember is a user in a team; its id is the user's, so that it is the same in every team and beside every fault.
type TeamMember struct {
	sett.Person
	Admin     bool
	CreatedAt time.Time // when they came into the team
}

// TeamStanding decides whether a member may be removed from a team.
type TeamStanding struct {
	Asker Scope // of who asks, in the team
	Self  bool  // who asks is the member
}

// Remove returns a Forbidden error when who asks may not take the member out of the team. Everybody may go themselves.
func (s TeamStanding) Remove() error {
	if s.Self || s.Asker.May(ManageTeam) {
		return nil
	}
	return sett.Errorf(sett.Forbidden, "Only an admin of this team or of the account can remove others from it. Ask one of them.")
}

// TeamChange is the body of a team's create and update: only what was sent changes.
type TeamChange struct {
	Name sett.Optional[string] `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Checkout"`
}

// Apply returns the name of a team that had the given name, "" for a new one, or an Invalid error.
func (c TeamChange) Apply(name string) (string, error) {
	var p sett.Problems
	sett.SetName(&p, c.Name, &name)
	return name, p.Refusal()
}

// TeamMemberChange is the body of an update of a team's member: only what was sent changes.
type TeamMemberChange struct {
	Admin sett.Optional[sett.LenientBool] `json:"admin,omitzero" doc:"Admins of a team manage it and its projects; null is false."`
}

// Apply returns whether a member is an admin, or an Invalid error.
func (c TeamMemberChange) Apply(admin bool) (bool, error) {
	var p sett.Problems
	flag := sett.LenientBool(admin)
	sett.SetField(&p, "admin", c.Admin, &flag, false)
	return bool(flag), p.Refusal()
}
