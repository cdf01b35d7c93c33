package sett

import "time"

// Team connects users of an account with projects of it.
type Team struct {
	ID        int64
	Name      string
	CreatedAt time.Time
	Owner     *Person // who made it; nil when they have left the account
	Members   []TeamMember
	Projects  []Project

	Invitations []Invitation // none for those who may not manage the team: they hold tokens
}

// TeamMember is a user in a team; its id is the user's, so that it is the same in every team and beside every fault.
type TeamMember struct {
	Person
	Admin     bool
	CreatedAt time.Time // when they came into the team
}

// TeamStanding is what decides whether somebody may take a member out of a team.
type TeamStanding struct {
	Asker Scope // of who asks, in the team
	Self  bool  // who asks is the member
}

// Remove returns a Forbidden error when who asks may not take the member out of the team. Everybody may go themselves.
func (s TeamStanding) Remove() error {
	if s.Self || s.Asker.May(ManageTeam) {
		return nil
	}
	return Errorf(Forbidden, "Only an admin of this team or of the account can remove others from it. Ask one of them.")
}

// TeamChange is the body of a team's create and update: only what was sent changes.
type TeamChange struct {
	Name Optional[string] `json:"name,omitzero" doc:"Required when creating." range:"1,255" null:"no" example:"Checkout"`
}

// Apply returns the name of a team that had the given name, "" for a new one, or an Invalid error.
func (c TeamChange) Apply(name string) (string, error) {
	var p Problems
	setName(&p, c.Name, &name)
	return name, p.Refusal()
}

// TeamMemberChange is the body of an update of a team's member: only what was sent changes.
type TeamMemberChange struct {
	Admin Optional[LenientBool] `json:"admin,omitzero" doc:"Admins of a team manage it and its projects; null is false."`
}

// Apply returns whether a member is an admin, or an Invalid error.
func (c TeamMemberChange) Apply(admin bool) (bool, error) {
	var p Problems
	flag := LenientBool(admin)
	set(&p, "admin", c.Admin, &flag, false)
	return bool(flag), p.Refusal()
}
