package accounts

import (
	"slices"
	"strings"

	"sett/internal/sett"
)

// Identity is a user as an issuer of OpenID Connect knows them. Issuer and Subject together never change and never pass to
// another user; all other fields may (OpenID Connect Core, section 5.7).
type Identity struct {
	Issuer        string
	Subject       string
	Email         string // lower case
	EmailVerified bool
	Name          string
	Groups        []string // nil: it does not say
	Unlisted      bool     // it has more groups than it sends
}

// CheckEmail returns a Forbidden error when no user can be made of the identity: another person may have its address.
func (i Identity) CheckEmail() error {
	var problems sett.Problems
	sett.CheckEmail(&problems, "email", i.Email)
	switch {
	case len(problems) > 0:
		return sett.Errorf(sett.Forbidden, "Your single sign-on sent no email address, so no user could be created for you. "+
			"Ask its administrator to send the address.")
	case !i.EmailVerified:
		return sett.Errorf(sett.Forbidden, "Your single sign-on has not confirmed that the address %s is yours. Confirm it there; "+
			"or, if you are a user here, sign in by other means first and then connect your single sign-on on the page Security.", i.Email)
	}
	return nil
}

// UserName returns the name of a user made of the identity: its own, or its address where that is no name.
func (i Identity) UserName() string {
	name := strings.TrimSpace(i.Name)
	var problems sett.Problems
	if sett.CheckName(&problems, "name", name); len(problems) > 0 {
		return i.Email
	}
	return name
}

// GroupRole is the role of those who are in a group.
type GroupRole struct {
	Group string
	Role  Role
}

// Joining is what identities become in which account.
type Joining struct {
	AccountID string // "" for the first that there is
	Role      Role
	Follow    bool // those who are users already get the role as well
}

// JoiningOf decides the role of a user with these groups in an account. Where no group has a role, new users become Members
// and existing users keep their role. Otherwise the strongest of their groups decides for both, and the error is
// Forbidden when none of them has a role.
func JoiningOf(accountID string, roles []GroupRole, groups []string) (Joining, error) {
	if len(roles) == 0 {
		return Joining{AccountID: accountID, Role: Member}, nil
	}
	strongest := -1
	for _, r := range roles {
		if slices.Contains(groups, r.Group) {
			strongest = max(strongest, slices.Index(Roles, r.Role))
		}
	}
	if strongest < 0 {
		return Joining{}, sett.Errorf(sett.Forbidden, "None of your groups may sign in here. Ask the operator of this server, or of your single sign-on, to add you to one that may.")
	}
	return Joining{AccountID: accountID, Role: Roles[strongest], Follow: true}, nil
}

// Follow returns the role that a user gets whose groups say which: an account keeps its last owner.
func (s Standing) Follow(to Role) Role {
	if s.LastOwner() {
		return Owner
	}
	return to
}
