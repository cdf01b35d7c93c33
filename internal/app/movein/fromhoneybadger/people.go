package fromhoneybadger

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"sett/internal/sett/move"
)

type personJSON struct {
	Email string `json:"email"`
	Name  string `json:"name"`
	Role  string `json:"role"`
}

type teamJSON struct {
	ID       int64        `json:"id"`
	Name     string       `json:"name"`
	Members  []personJSON `json:"members"`
	Projects []struct {
		ID int64 `json:"id"`
	} `json:"projects"`
}

// People returns the teams of the account with those of its projects that come, and its users.
func (s *Source) People(ctx context.Context, projects []move.Project) (teams []move.Team, members []move.Member, left []move.Left, err error) {
	found, err := all[teamJSON](ctx, s, "teams", "v2/teams", s.ofAccount())
	if err != nil {
		return nil, nil, nil, err
	}
	teamsOf := map[string][]string{} // by address
	for _, t := range found {
		team := move.Team{ID: strconv.FormatInt(t.ID, 10), Name: move.Line(t.Name, move.MostName)}
		for _, has := range t.Projects {
			for _, p := range projects {
				if p.ID == strconv.FormatInt(has.ID, 10) {
					team.Projects = append(team.Projects, p.ID)
				}
			}
		}
		if t.ID <= 0 || team.Name == "" {
			continue
		}
		teams = append(teams, team)
		for _, m := range t.Members {
			teamsOf[addressOf(m)] = append(teamsOf[addressOf(m)], team.ID)
		}
	}
	if s.account == "" {
		return teams, nil, append(left, move.Left{Noun: "members", Why: "The token may not read them: invite them.", Page: move.PeoplePage}), nil
	}
	users, err := all[personJSON](ctx, s, "users", "v2/accounts/"+url.PathEscape(s.account)+"/users", nil)
	for _, u := range users {
		if email := addressOf(u); email != "" {
			members = append(members, move.Member{Email: email, Name: move.Line(u.Name, move.MostName), Role: strings.ToLower(move.Line(u.Role, move.MostName)), Teams: teamsOf[email]})
		}
	}
	return teams, members, left, err
}

func addressOf(p personJSON) string { return strings.ToLower(move.Line(p.Email, move.MostName)) }
