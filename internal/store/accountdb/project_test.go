package accountdb_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func projectIDs(projects []accounts.Project) []int64 {
	ids := []int64{}
	for _, p := range projects {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestWhoSeesAProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		team := map[accounts.Role]int64{}
		alone := map[accounts.Role]int64{}
		for _, role := range accounts.Roles {
			team[role], alone[role] = d.User("team-"+string(role), role), d.User("alone-"+string(role), role)
		}
		_, stranger := d.Stranger()
		crew := d.Team(d.ProjectID, team[accounts.Member], team[accounts.Billing], team[accounts.Admin], team[accounts.Owner])
		d.Run(`INSERT INTO team_members (team_id, user_id, admin, created_at) VALUES ($1, $2, true, 0)`, crew, stranger)
		d.Team(d.Project("Other").ID, alone[accounts.Member], alone[accounts.Billing])

		for _, who := range []struct {
			name string
			id   int64
			sees bool
		}{
			{"owner", alone[accounts.Owner], true},
			{"owner in the team", team[accounts.Owner], true},
			{"admin", alone[accounts.Admin], true},
			{"admin in the team", team[accounts.Admin], true},
			{"member", alone[accounts.Member], false},
			{"member in the team", team[accounts.Member], true},
			{"billing", alone[accounts.Billing], false},
			{"billing in the team", team[accounts.Billing], true},
			{"stranger in the team", stranger, false},
			{"no user", 12345, false},
		} {
			if got := d.waysToSee(who.id); got != fmt.Sprint(who.sees) {
				t.Errorf("%s sees the project: %s, want %v", who.name, got, who.sees)
			}
		}
	})
}

// waysToSee returns whether a user sees the desk's project, or what each way of asking says when they differ.
func (d *desk) waysToSee(user int64) string {
	d.T.Helper()
	ctx := d.T.Context()
	scope, err := d.Accounts.ProjectScope(ctx, user, d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	listed, _, err := d.Accounts.ListProjects(ctx, user, accountdb.ProjectFilter{Page: sett.Page{Size: 25}})
	if err != nil {
		d.T.Fatal(err)
	}
	visible, err := d.Accounts.VisibleProjectIDs(ctx, user)
	if err != nil {
		d.T.Fatal(err)
	}
	p, err := d.Accounts.ProjectByID(ctx, d.ProjectID)
	if err != nil {
		d.T.Fatal(err)
	}
	ofKey, _, err := d.Accounts.ProjectOfKey(ctx, user, d.APIKey)
	if code := sett.CodeOf(err); code != "" && code != sett.NotFound {
		d.T.Fatal(err)
	}
	ways := map[string]bool{
		"scope": scope.May(accounts.ReadProject), "list": slices.Contains(projectIDs(listed), d.ProjectID), "ids": slices.Contains(visible, d.ProjectID),
		"key":   err == nil && ofKey.ID == d.ProjectID,
		"users": slices.ContainsFunc(p.Users, func(p sett.Person) bool { return p.ID == user }),
	}
	for _, way := range ways {
		if way != ways["scope"] {
			return fmt.Sprint(ways)
		}
	}
	return fmt.Sprint(ways["scope"])
}

func TestListProjectsInPages(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ids := []int64{d.ProjectID}
		for _, name := range []string{"B", "C", "D", "E"} {
			ids = append(ids, d.Project(name).ID)
		}
		other, stranger := d.Stranger()
		d.Run(`INSERT INTO memberships (account_id, user_id, role, created_at) VALUES ($1, $2, 'Admin', 1)`, other, d.UserID)
		theirs, err := s.Accounts.CreateProject(t.Context(), storetest.Noon, stranger, "", accounts.ProjectChange{Name: sett.Some("Theirs")})
		if err != nil {
			t.Fatal(err)
		}

		if _, _, err := s.Accounts.ListProjects(t.Context(), d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 2, Mark: "x"}}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
		mark := func(id int64) string { return fmt.Sprint(id) }
		for _, c := range []struct {
			name   string
			filter accountdb.ProjectFilter
			want   []int64
			marks  sett.Marks
		}{
			{"first page", accountdb.ProjectFilter{Page: sett.Page{Size: 2}}, ids[:2], sett.Marks{Next: mark(ids[1])}},
			{"by number", accountdb.ProjectFilter{Page: sett.Page{Size: 2, Offset: 2}}, ids[2:4], sett.Marks{Prev: mark(ids[1]), Next: mark(ids[3])}},
			{"by mark", accountdb.ProjectFilter{Page: sett.Page{Size: 2, Mark: mark(ids[1])}}, ids[2:4], sett.Marks{Prev: mark(ids[1]), Next: mark(ids[3])}},
			{"back", accountdb.ProjectFilter{Page: sett.Page{Size: 2, Mark: mark(ids[3]), Back: true}}, ids[2:4], sett.Marks{Prev: mark(ids[1]), Next: mark(ids[3])}},
			{"last page", accountdb.ProjectFilter{Page: sett.Page{Size: 2, Offset: 4}}, []int64{ids[4], theirs.ID}, sett.Marks{Prev: mark(ids[3])}},
			{"far past the end", accountdb.ProjectFilter{Page: sett.Page{Size: 2, Offset: 8}}, []int64{}, sett.Marks{}},
			{"one account", accountdb.ProjectFilter{Page: sett.Page{Size: 5}, AccountID: d.AccountID}, ids, sett.Marks{}},
			{"the other account", accountdb.ProjectFilter{Page: sett.Page{Size: 5}, AccountID: other}, []int64{theirs.ID}, sett.Marks{}},
		} {
			got, marks, err := s.Accounts.ListProjects(t.Context(), d.UserID, c.filter)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, projectIDs(got)); diff != "" || marks != c.marks {
				t.Errorf("%s: marks %+v, want %+v; ids (-want +got):\n%s", c.name, marks, c.marks, diff)
			}
		}
		for _, account := range []string{d.AccountID, "nowhere"} {
			if _, _, err := s.Accounts.ListProjects(t.Context(), stranger, accountdb.ProjectFilter{AccountID: account, Page: sett.Page{Size: 1}}); sett.CodeOf(err) != sett.NotFound {
				t.Errorf("account %q of a stranger: %v, want not found", account, err)
			}
		}
	})
}

func TestProjectShowsWhatItCollected(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		in := func(environment string) func(*faults.Report) {
			return func(r *faults.Report) { r.Environment = environment }
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B", in("staging")), d.Report("C"), d.Report("D", in("canary")))
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("A"))
		d.Run(`UPDATE faults SET resolved = true WHERE class = 'B'`)
		d.Run(`UPDATE faults SET ignored = true WHERE class = 'C'`)
		d.Run(`UPDATE faults SET ignored = true, resolved = true WHERE class = 'D'`)
		member := d.User("mia", accounts.Member)
		crew := d.Team(d.ProjectID, member)
		d.Project("Empty")

		got, _, err := s.Accounts.ListProjects(t.Context(), d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 25}})
		if err != nil {
			t.Fatal(err)
		}
		owner := sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}
		settings := func(name string) accounts.ProjectSettings {
			s := accounts.NewProjectSettings()
			s.Name = name
			return s
		}
		want := []accounts.Project{
			{
				ID: d.ProjectID, AccountID: d.AccountID, ProjectSettings: settings("Shop"), Active: true, Token: d.APIKey,
				CreatedAt: storetest.Noon, EarliestNoticeAt: storetest.Noon, LastNoticeAt: storetest.Noon.Add(time.Hour),
				Environments: []string{"production", "staging", "canary"}, FaultCount: 4, UnresolvedCount: 2, Owner: &owner,
				Teams: []accounts.TeamName{{ID: crew, Name: "Crew"}},
				Users: []sett.Person{owner, {ID: member, Email: "mia@example.test", Name: "mia"}},
			},
			{
				ID: got[1].ID, AccountID: d.AccountID, ProjectSettings: settings("Empty"), Active: true, Token: got[1].Token,
				CreatedAt: storetest.Noon, Owner: &owner, Users: []sett.Person{owner},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("projects (-want +got):\n%s", diff)
		}
		one, err := s.Accounts.ProjectByID(t.Context(), d.ProjectID)
		if diff := cmp.Diff(want[0], one); diff != "" || err != nil {
			t.Errorf("ProjectByID: %v (-want +got):\n%s", err, diff)
		}
		if _, err := s.Accounts.ProjectByID(t.Context(), 99999); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a project that is not there: %v", err)
		}
	})
}

// counting counts the statements that pass through it.
type counting struct {
	db.Querier
	n int
}

func (c *counting) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	c.n++
	return c.Querier.QueryContext(ctx, query, args...)
}

func (c *counting) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	c.n++
	return c.Querier.QueryRowContext(ctx, query, args...)
}

func TestAPageOfProjectsTakesNoMoreStatementsThanOne(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	ids := []int64{d.ProjectID}
	for i := range 24 {
		ids = append(ids, d.Project(fmt.Sprint("Project ", i)).ID)
	}
	statements := func(ids []int64) int {
		q := &counting{Querier: d.Read}
		got, err := d.Accounts.Projects(t.Context(), q, ids)
		if err != nil || len(got) != len(ids) {
			t.Fatalf("%d of %d projects: %v", len(got), len(ids), err)
		}
		return q.n
	}
	if one, page := statements(ids[:1]), statements(ids); one != page || page > 6 {
		t.Errorf("%d statements for one project, %d for a page of %d", one, page, len(ids))
	}
}

// All rows of a list are read into the same value.
func TestAProjectOfAListHasOnlyItsOwnOwner(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		ownerless := d.Project("Ownerless").ID
		d.Run(`UPDATE projects SET owner_id = NULL WHERE id = $1`, ownerless)
		d.Project("Owned")
		listed, _, err := s.Accounts.ListProjects(t.Context(), d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 25}})
		if err != nil || len(listed) != 3 {
			t.Fatal(listed, err)
		}
		for _, p := range listed {
			if (p.Owner == nil) != (p.ID == ownerless) {
				t.Errorf("%s is owned by %v", p.Name, p.Owner)
			}
		}
	})
}
