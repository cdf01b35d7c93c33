package accountdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

// environments lists those of a project, oldest first.
func (d *desk) environments(project int64) []accounts.Environment {
	d.T.Helper()
	found, _, err := d.Accounts.ListEnvironments(d.T.Context(), project, sett.Page{Size: 100})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

func (d *desk) environmentNames() (names []string) {
	d.T.Helper()
	for _, e := range d.environments(d.ProjectID) {
		names = append(names, e.Name)
	}
	return names
}

func (d *desk) createEnvironment(project int64, change accounts.EnvironmentChange) (accounts.Environment, error) {
	return d.Accounts.CreateEnvironment(d.T.Context(), storetest.Noon, project, change)
}

func TestAnEnvironmentFromCreationToDeletion(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other")
		qa, err := d.createEnvironment(d.ProjectID, accounts.EnvironmentChange{Name: sett.Some("qa")})
		if err != nil {
			t.Fatal(err)
		}
		want := accounts.Environment{
			ID: qa.ID, ProjectID: d.ProjectID, EnvironmentSettings: accounts.EnvironmentSettings{Name: "qa", Notifications: true}, CreatedAt: storetest.Noon, UpdatedAt: storetest.Noon,
		}
		if diff := cmp.Diff(want, qa); diff != "" {
			t.Errorf("made (-want +got):\n%s", diff)
		}
		if _, err := d.createEnvironment(other.ID, accounts.EnvironmentChange{Name: sett.Some("qa")}); err != nil {
			t.Errorf("the same name in another project: %v", err)
		}
		later := storetest.Noon.Add(time.Hour)
		change := accounts.EnvironmentChange{Name: sett.Some("QA"), Notifications: sett.Some(false)}
		for range 2 { // the second changes nothing
			if err := d.Accounts.UpdateEnvironment(t.Context(), later, d.ProjectID, qa.ID, change); err != nil {
				t.Fatal(err)
			}
			want.EnvironmentSettings, want.UpdatedAt = accounts.EnvironmentSettings{Name: "QA"}, storetest.Noon.Add(time.Hour)
			if got, err := d.Accounts.EnvironmentByID(t.Context(), d.ProjectID, qa.ID); err != nil || got != want {
				t.Errorf("changed: %+v, %v, want %+v", got, err, want)
			}
			later = later.Add(time.Hour)
		}
		if err := d.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, qa.ID); err != nil {
			t.Fatal(err)
		}
		if left := d.environments(d.ProjectID); len(left) > 0 || len(d.environments(other.ID)) != 1 {
			t.Errorf("left: %+v", left)
		}
	})
}

func TestEnvironmentsThatAreRefused(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other := d.Project("Other").ID
		qa, err := d.createEnvironment(d.ProjectID, accounts.EnvironmentChange{Name: sett.Some("qa")})
		if err != nil {
			t.Fatal(err)
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		update := func(project, id int64, name string) error {
			return d.Accounts.UpdateEnvironment(t.Context(), storetest.Noon, project, id, accounts.EnvironmentChange{Name: sett.Some(name)})
		}
		create := func(project int64, name string) error {
			_, err := d.createEnvironment(project, accounts.EnvironmentChange{Name: sett.Some(name)})
			return err
		}
		find := func(project, id int64) error {
			_, err := d.Accounts.EnvironmentByID(t.Context(), project, id)
			return err
		}
		const taken = "Please correct: name has already been taken by another environment of this project."
		for name, c := range map[string]struct {
			err  error
			says string
		}{
			"a name that a person took":    {create(d.ProjectID, " qa "), taken},
			"a name that a notice took":    {create(d.ProjectID, "production"), taken},
			"the name of another":          {update(d.ProjectID, qa.ID, "production"), taken},
			"a blank name":                 {update(d.ProjectID, qa.ID, " "), "Please correct: name can't be blank."},
			"no name":                      {create(d.ProjectID, ""), "Please correct: name can't be blank."},
			"a project that is not there":  {create(999, "qa"), "Project not found"},
			"update of another project's":  {update(other, qa.ID, "x"), "Environment not found"},
			"find another project's":       {find(other, qa.ID), "Environment not found"},
			"delete another project's":     {d.Accounts.DeleteEnvironment(t.Context(), other, qa.ID), "Environment not found"},
			"delete what is not there":     {d.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, 999), "Environment not found"},
			"its own name is not taken":    {update(d.ProjectID, qa.ID, "qa"), ""},
			"another case is another name": {create(d.ProjectID, "QA"), ""},
		} {
			if says := fmt.Sprint(c.err); c.err != nil && says != c.says || c.err == nil && c.says != "" {
				t.Errorf("%s: %v", name, c.err)
			}
		}
	})
}

// The first use of a name creates an environment, and again after it was deleted or renamed – on every node, even
// on one that has seen it and does not know that it is gone.
func TestNoticesAndDeploysMakeEnvironments(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var s, other *store.Store
			if engine == "sqlite" {
				s = storetest.OpenSQLite(t)
				other = s
			} else {
				c := storetest.NewCluster(t)
				s, other = c.Node(t), c.Node(t)
			}
			d := newDesk(t, s)
			id := func(name string) int64 {
				for _, e := range d.environments(d.ProjectID) {
					if e.Name == name {
						return e.ID
					}
				}
				t.Fatalf("there is no %s", name)
				return 0
			}
			want := func(when string, names ...string) {
				t.Helper()
				if diff := cmp.Diff(names, d.environmentNames()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", when, diff)
				}
			}
			now := storetest.Noon
			notice := func() { d.Record(now, accounts.Limits{}, d.Report("E")) }
			notice()
			d.Deploy(now, faults.Deploy{Environment: "canary"})
			d.Deploy(now, faults.Deploy{})
			want("named by a notice and a deploy", "production", "canary")

			if err := other.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, id("production")); err != nil {
				t.Fatal(err)
			}
			if err := other.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, id("canary")); err != nil {
				t.Fatal(err)
			}
			want("deleted")
			if d.Fault("E").Environment != "production" {
				t.Error("the fault has lost its environment")
			}
			now = now.Add(time.Minute)
			notice()
			d.Deploy(now, faults.Deploy{Environment: "canary"})
			want("named again", "production", "canary")

			if err := other.Accounts.UpdateEnvironment(t.Context(), now, d.ProjectID, id("production"), accounts.EnvironmentChange{Name: sett.Some("live")}); err != nil {
				t.Fatal(err)
			}
			want("renamed", "live", "canary")
			now = now.Add(time.Minute)
			notice()
			want("the old name again", "live", "canary", "production")
			if n := d.Fault("E").NoticesCount; n != 3 {
				t.Errorf("the fault has %d notices: it no longer groups by the name that notices send", n)
			}
		})
	}
}

func TestDeletedEnvironmentsComeBackAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for range 2 {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
			if err := d.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, d.environments(d.ProjectID)[0].ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestEnvironmentsPageByPage(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var want []int64
		for i := range 7 {
			e, err := d.createEnvironment(d.ProjectID, accounts.EnvironmentChange{Name: sett.Some(fmt.Sprint("e", i))})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, e.ID)
		}
		page := func(p sett.Page) (ids []int64, marks sett.Marks) {
			found, marks, err := d.Accounts.ListEnvironments(t.Context(), d.ProjectID, p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range found {
				ids = append(ids, e.ID)
			}
			return ids, marks
		}
		first, marks := page(sett.Page{Size: 3})
		second, marks := page(sett.Page{Size: 3, Mark: marks.Next})
		third, _ := page(sett.Page{Size: 3, Mark: marks.Next})
		back, _ := page(sett.Page{Size: 3, Mark: marks.Prev, Back: true})
		if diff := cmp.Diff([][]int64{want[:3], want[3:6], want[6:], want[:3]}, [][]int64{first, second, third, back}); diff != "" {
			t.Errorf("pages (-want +got):\n%s", diff)
		}
		if _, _, err := d.Accounts.ListEnvironments(t.Context(), d.ProjectID, sett.Page{Size: 3, Mark: "1.2"}); sett.CodeOf(err) != sett.Invalid {
			t.Errorf("a mark that is none: %v", err)
		}
	})
}
