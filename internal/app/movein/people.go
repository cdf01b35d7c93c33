package movein

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sett/internal/base/progress"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/store/movedb"
)

// roles are sett's roles for those of sources. Who has another is a member.
var roles = map[string]accounts.Role{
	"owner": accounts.Owner, "manager": accounts.Admin, "admin": accounts.Admin, "billing": accounts.Billing, "member": accounts.Member,
}

// mostPeople is how many people and how many teams come at most.
const mostPeople = 5000

// people makes the teams of the source that have one of the projects, and invites its members. If only some projects come, only members of
// their teams do. No one gets a mail: an owner sends the invitations, or gives people their links.
func (r *run) people(ctx context.Context, projects []move.Project, ids []int64) error {
	step := progress.Begin(ctx, "reading people", progress.Rows, 0)
	defer step.End()
	teams, members, left, err := r.Source.People(ctx, projects)
	if err != nil {
		return fmt.Errorf("read people: %w", err)
	}
	r.report.Leave(left...)
	if len(projects) == 0 {
		return nil
	}
	to := movedb.Target{Owner: r.Owner, ProjectID: ids[0]}
	made := map[string]movedb.MadeTeam{}
	for _, team := range teams[:min(len(teams), mostPeople)] {
		if err := r.team(ctx, to, team, projects, ids, made); err != nil {
			return fmt.Errorf("import team %s: %w", team.Name, err)
		}
	}
	for _, m := range members[:min(len(members), mostPeople)] {
		of := slices.DeleteFunc(slices.Clone(m.Teams), func(id string) bool { _, came := made[id]; return !came })
		if len(r.Projects) > 0 && len(of) == 0 {
			continue
		}
		if err := r.member(ctx, to, m, of, made); err != nil {
			return err
		}
		step.Add(1)
	}
	return nil
}

func (r *run) team(ctx context.Context, to movedb.Target, team move.Team, projects []move.Project, ids []int64, made map[string]movedb.MadeTeam) error {
	var seen []int64
	for i, p := range projects {
		if slices.Contains(team.Projects, p.ID) {
			seen = append(seen, ids[i])
		}
	}
	if len(seen) == 0 {
		r.report.Leave(move.Left{Noun: teamsNoun, Name: team.Name, Why: "None of its projects comes.", Page: move.TeamsPage})
		return nil
	}
	m, came, err := r.Moves.FindTeam(ctx, r.from, to, team)
	if err != nil {
		return err
	}
	if r.DryRun {
		made[team.ID] = m
		r.came(teamsNoun, 1, flag(m.ID == 0))
		return nil
	}
	if !came {
		making := ctx
		if m.ID == 0 {
			making = r.Audited(ctx, "createTeam", team.Name)
		}
		if m, err = r.Moves.Team(making, r.Now(), r.from, to, team, seen); err != nil {
			return err
		}
	}
	made[team.ID] = m
	r.came(teamsNoun, 1, flag(m.Fresh))
	return nil
}

func (r *run) member(ctx context.Context, to movedb.Target, m move.Member, of []string, made map[string]movedb.MadeTeam) error {
	role, ok := roles[strings.ToLower(m.Role)]
	if !ok {
		role = accounts.Member
	}
	before, err := r.Moves.FindMember(ctx, r.from, to, m)
	if err != nil {
		return err
	}
	if r.DryRun || before == movedb.Came {
		r.came(invitationsNoun, 1, flag(before == ""))
		return nil
	}
	var teams []movedb.MadeTeam
	for _, id := range of {
		if t := made[id]; !slices.Contains(teams, t) {
			teams = append(teams, t)
		}
	}
	making := ctx
	if before == "" {
		making = r.Audited(ctx, "createAccountInvitation", m.Email)
	}
	joined, err := r.Moves.Member(making, r.Now(), r.from, to, m, role, teams)
	switch code := sett.CodeOf(err); {
	case code == sett.Invalid || code == sett.Forbidden:
		r.report.Leave(move.Left{Noun: invitationsNoun, Name: m.Email, Why: "Cannot be invited: " + err.Error(), Page: move.PeoplePage})
		r.report.Add(invitationsNoun, 1, 0, 0)
		return nil
	case err != nil:
		return fmt.Errorf("import member %s: %w", m.Email, err)
	}
	r.came(invitationsNoun, 1, flag(joined == movedb.Invited))
	if joined == movedb.Invited {
		r.report.Leave(move.Left{
			Noun: "mails of invitations", Why: "People are invited, and no mail was sent. Send each again, or copy its link, when you are ready.", Page: move.PeoplePage,
		})
	}
	return nil
}
