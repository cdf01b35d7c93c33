package fromsentry

import (
	"cmp"
	"context"
	"net/url"
	"strings"

	"sett/internal/app/movein/remote"
	"sett/internal/sett/move"
)

type teamJSON struct {
	ID       text   `json:"id"`
	Slug     string `json:"slug"`
	Name     string `json:"name"`
	Projects []struct {
		Slug string `json:"slug"`
	} `json:"projects"`
}

type memberJSON struct {
	Email   string `json:"email"`
	Name    string `json:"name"`
	OrgRole string `json:"orgRole"`
	Role    string `json:"role"`
}

// People returns the teams of the organization with those of its projects that come, and its members.
func (s *Source) People(ctx context.Context, projects []move.Project) (teams []move.Team, members []move.Member, left []move.Left, err error) {
	var found []teamJSON
	err = all(ctx, s.c, "teams", s.ofOrg("teams"), nil, func(rows []teamJSON) { found = append(found, rows...) })
	if err != nil && !remote.IsMissing(err) {
		return nil, nil, nil, err
	}
	teamsOf := map[string][]string{} // by address of a member
	for _, t := range found {
		team := teamOf(t, projects)
		if team.ID == "" {
			continue
		}
		teams = append(teams, team)
		if len(team.Projects) == 0 {
			continue
		}
		err := all(ctx, s.c, "team members", "teams/"+s.org+"/"+url.PathEscape(t.Slug)+"/members", nil, func(rows []memberJSON) {
			for _, m := range rows {
				teamsOf[addressOf(m)] = append(teamsOf[addressOf(m)], team.ID)
			}
		})
		if err != nil && !remote.IsMissing(err) {
			return nil, nil, nil, err
		}
	}
	err = all(ctx, s.c, "members", s.ofOrg("members"), nil, func(rows []memberJSON) {
		for _, m := range rows {
			if email := addressOf(m); email != "" {
				members = append(members, move.Member{Email: email, Name: move.Line(m.Name, move.MostName), Role: roleOf(m), Teams: teamsOf[email]})
			}
		}
	})
	if remote.IsMissing(err) {
		left, err = append(left, move.Left{Noun: "members", Why: "The token may not read them (member:read): invite them.", Page: move.PeoplePage}), nil
	}
	return teams, members, left, err
}

func teamOf(t teamJSON, projects []move.Project) move.Team {
	team := move.Team{ID: move.Line(cmp.Or(string(t.ID), t.Slug), move.MostName), Name: move.Line(cmp.Or(t.Name, t.Slug), move.MostName)}
	for _, has := range t.Projects {
		for _, p := range projects {
			if p.Slug == has.Slug {
				team.Projects = append(team.Projects, p.ID)
			}
		}
	}
	if team.Name == "" {
		team.ID = ""
	}
	return team
}

func addressOf(m memberJSON) string { return strings.ToLower(move.Line(m.Email, move.MostName)) }

// roleOf returns the role of a member. An admin of Sentry manages their own teams alone.
func roleOf(m memberJSON) string {
	role := move.Line(cmp.Or(m.OrgRole, m.Role), move.MostName)
	if role == "admin" {
		return "member"
	}
	return role
}
