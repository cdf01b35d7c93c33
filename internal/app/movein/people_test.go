package movein_test

import (
	"testing"

	"sett/internal/sett/accounts"
	"sett/internal/sett/move"
	"sett/internal/setttest"
	"sett/internal/setttest/oldsentry"
	"sett/internal/store/accountdb"
)

// Members are invited with their roles and teams, no mail is sent, and no one comes twice.
func TestPeopleAreInvitedWithTheirTeams(t *testing.T) {
	t.Parallel()
	setttest.Each(t, func(t *testing.T, s *setttest.Server) {
		o := old(t, s.Clock.Now(), sentEvents(t)[:2])
		o.Projects[0].Issues[0].Assignee = "Bob@example.test"
		o.Projects = append(o.Projects, &oldsentry.Project{Slug: "blog"})
		o.Members = []*oldsentry.Member{
			{Email: "Ann@example.test", Name: "Ann", Role: "owner"},
			{Email: "bob@example.test", Role: "member"},
			{Email: "cy@example.test", Role: "manager"},
			{Email: "dee@example.test", Role: "admin"},
			{Email: "no address", Role: "member"},
			{Email: "eve@example.test", Role: "member"},
		}
		o.Teams = []*oldsentry.Team{
			{Slug: "web", Projects: []string{"web"}, Members: []string{"bob@example.test", "eve@example.test"}}, {Slug: "blog", Projects: []string{"blog"}, Members: []string{"dee@example.test"}}, {Slug: "none"},
		}
		store := s.App.Store()
		_, err := store.Accounts.AddUser(t.Context(), s.Clock.Now(), accountdb.NewUser{AccountID: s.Setup.AccountID, Email: "eve@example.test", Role: accounts.Member, Proven: true})
		if err != nil {
			t.Fatal(err)
		}
		report := run(t, options(t, s, o))
		wantCame(t, report, move.Came{Noun: "teams", Found: 2, Made: 2}, move.Came{Noun: "invitations", Found: 6, Made: 4, Present: 1})
		if !hasLeft(report, "teams", "none") || !hasLeft(report, "invitations", "no address") || !hasLeft(report, "mails of invitations", "") {
			t.Errorf("left %+v", report.Left)
		}
		for statement, want := range map[string]int64{
			`SELECT count(*) FROM invitations WHERE email = 'ann@example.test' AND role = 'Owner'`:  1,
			`SELECT count(*) FROM invitations WHERE email = 'cy@example.test' AND role = 'Admin'`:   1,
			`SELECT count(*) FROM invitations WHERE email = 'dee@example.test' AND role = 'Member'`: 1,
			`SELECT count(*) FROM invitations i JOIN invitation_teams x ON x.invitation_id = i.id JOIN team_projects tp ON tp.team_id = x.team_id JOIN projects p ON p.id = tp.project_id
				WHERE i.email = 'bob@example.test' AND p.name = 'web'`: 1,
			`SELECT count(*) FROM team_members m JOIN teams t ON t.id = m.team_id JOIN users u ON u.id = m.user_id WHERE t.name = 'web' AND u.email = 'eve@example.test'`: 1,
			`SELECT count(*) FROM mails`:                                0,
			`SELECT count(*) FROM faults WHERE assignee_id IS NOT NULL`: 0,
		} {
			if got := row(t, s, statement); got != want {
				t.Errorf("%s: %d, want %d", statement, got, want)
			}
		}
		const all = `SELECT (SELECT count(*) FROM invitations) + 100 * (SELECT count(*) FROM teams) + 10000 * (SELECT count(*) FROM team_members) + 1000000 * (SELECT count(*) FROM audit_log)`
		before := row(t, s, all)
		wantCame(t, run(t, options(t, s, o)), move.Came{Noun: "teams", Found: 2, Present: 2}, move.Came{Noun: "invitations", Found: 6, Present: 5})
		if after := row(t, s, all); after != before {
			t.Errorf("a second run made %d of %d", after, before)
		}

		// Once invited people are users, a later run assigns their errors.
		if _, err := store.Accounts.AddUser(t.Context(), s.Clock.Now(), accountdb.NewUser{AccountID: s.Setup.AccountID, Email: "bob@example.test", Role: accounts.Owner, Proven: true}); err != nil {
			t.Fatal(err)
		}
		run(t, options(t, s, o))
		if got := row(t, s, `SELECT count(*) FROM faults f JOIN users u ON u.id = f.assignee_id WHERE u.email = 'bob@example.test'`); got != 1 {
			t.Errorf("%d errors are assigned", got)
		}

		// With one project, members of its teams come alone.
		o.Members = append(o.Members, &oldsentry.Member{Email: "fay@example.test", Role: "owner"}, &oldsentry.Member{Email: "gil@example.test", Role: "owner"})
		o.Teams[0].Members = append(o.Teams[0].Members, "fay@example.test")
		some := options(t, s, o)
		some.Projects = []string{"web"}
		run(t, some)
		if row(t, s, `SELECT count(*) FROM invitations WHERE email = 'fay@example.test'`) != 1 || row(t, s, `SELECT count(*) FROM invitations WHERE email = 'gil@example.test'`) != 0 {
			t.Error("with one project, others than members of its teams are invited")
		}
	})
}
