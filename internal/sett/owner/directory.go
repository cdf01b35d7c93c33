package owner

import (
	"slices"
	"strings"

	"sett/internal/sett"
)

// Directory holds who may own the errors of a project: the users who can see it, and the teams of its account.
type Directory struct {
	People []sett.Person
	Teams  []Team
}

// Team is a team with its members.
type Team struct {
	ID      int64
	Sees    bool // it is a team of the project, whose errors can be assigned to it
	Name    string
	Members []int64 // users
}

// Owners are the users behind the names of a rule.
type Owners struct {
	Users    []int64      // in order, each once; only those in the directory
	Assignee *sett.Person // the user or team of a rule that names one; see sett.Person.IsTeam
	Unknown  []string     // names that stand for no user and no team
}

// Resolve looks up the owners of a rule. A team is named as @team or @organization/team, in which any other sign than a letter or digit is
// like a hyphen: @ios-app is the team “iOS App”. Case does not matter.
func (d Directory) Resolve(names []string) (o Owners) {
	for _, name := range names {
		users, one, known := d.find(name)
		if !known {
			o.Unknown = append(o.Unknown, name)
		}
		if o.Users = append(o.Users, users...); len(names) == 1 {
			o.Assignee = one
		}
	}
	slices.Sort(o.Users)
	o.Users = slices.Compact(o.Users)
	return o
}

func (d Directory) find(name string) (users []int64, one *sett.Person, known bool) {
	if team, ok := strings.CutPrefix(name, "@"); ok {
		if strings.HasPrefix(team, "@") { // a role of GitLab, such as @@maintainer
			return nil, nil, false
		}
		team = sett.Slug(team[strings.LastIndexByte(team, '/')+1:])
		for _, t := range d.Teams {
			if sett.Slug(t.Name) == team {
				var one *sett.Person
				if t.Sees {
					one = &sett.Person{ID: -t.ID, Name: t.Name}
				}
				return d.present(t.Members), one, true
			}
		}
		return nil, nil, false
	}
	for i, p := range d.People {
		if strings.EqualFold(p.Email, name) {
			return []int64{p.ID}, &d.People[i], true
		}
	}
	return nil, nil, false
}

// present returns the users who are in the directory.
func (d Directory) present(ids []int64) (users []int64) {
	for _, p := range d.People {
		if slices.Contains(ids, p.ID) {
			users = append(users, p.ID)
		}
	}
	return users
}
