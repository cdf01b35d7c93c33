package sett

import "slices"

// AccountUser is a user with what they are in an account.
type AccountUser struct {
	Person
	Role Role
}

// AccountUserChange is the body of an update of an account's user: only what was sent changes.
type AccountUserChange struct {
	Role Optional[Role] `json:"role,omitzero" enum:"Member,Billing,Admin,Owner" null:"no"`
}

// Apply returns the role of a user who had the given one, or an Invalid error.
func (c AccountUserChange) Apply(role Role) (Role, error) {
	var p Problems
	set(&p, "role", c.Role, &role, "")
	if c.Role.Bad == "" {
		CheckRole(&p, "role", role)
	}
	return role, p.Refusal()
}

// CheckRole notes that a role is none of the contract's.
func CheckRole(p *Problems, field string, role Role) {
	if !slices.Contains(Roles, role) {
		p.Add(field, "is not included in the list: %s, %s, %s, %s", Member, Billing, Admin, Owner)
	}
}

// Standing is what decides whether somebody may change what a user is in an account.
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
		return Errorf(Forbidden, "Only an owner of this account can make another user an owner. Ask one of them.")
	}
	if to != Owner && s.lastOwner() {
		return Refuse("role", "can't be changed, because this is the last owner of the account: make another user an owner first")
	}
	return nil
}

// Remove returns a Forbidden error when who asks may not remove the user from the account, and an Invalid one when it
// would have no owner left. Everybody may go themselves.
func (s Standing) Remove() error {
	if err := s.mayManage(); err != nil && !s.Self {
		return err
	}
	if s.lastOwner() {
		return Errorf(Invalid, "This is the last owner of the account. Make another user an owner first.")
	}
	return nil
}

func (s Standing) mayManage() error {
	switch scope := (Scope{Role: s.Asker}); {
	case !scope.May(ManagePeople):
		return Errorf(Forbidden, "Your role in this account does not allow this. Ask an admin or owner of it.")
	case s.User == Owner && s.Asker != Owner:
		return Errorf(Forbidden, "Only an owner of this account can change or remove an owner. Ask one of them.")
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

func (s Standing) lastOwner() bool { return s.User == Owner && s.Owners <= 1 }
