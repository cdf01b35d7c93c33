package sett

// Person is a user as the interface shows one beside other things.
type Person struct {
	ID    int64  `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Called returns what a person is called: those who have no name, by their address; "" for no person.
func (p *Person) Called() string {
	switch {
	case p == nil:
		return ""
	case p.Name == "":
		return p.Email
	}
	return p.Name
}

// IsTeam reports whether the assignee of an error is a team: its ID is below zero, and -ID is that of the team.
func (p *Person) IsTeam() bool { return p != nil && p.ID < 0 }
