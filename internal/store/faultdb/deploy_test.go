package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestDeployResolvesFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		resolveAll  bool
		environment string
		want        []string // resolved
	}{
		{"of its environment", true, "production", []string{"Prod"}},
		{"of another environment", true, "staging", []string{"Staging"}},
		{"of a new environment", true, "canary", []string{}},
		{"that was waited for", false, "qa", []string{"Pending"}},
		{"of no environment", false, "", []string{"Pending"}},
		{"of the whole project", true, "", []string{"Ignored", "Pending", "Prod", "Staging"}},
		{"when the project does not want it", false, "production", []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Engines(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				staging := func(r *faults.Report) { r.Environment = "staging" }
				d.Record(storetest.Noon, accounts.Limits{}, d.Report("Prod"), d.Report("Staging", staging), d.Report("Pending", func(r *faults.Report) { r.Environment = "qa" }), d.Report("Ignored", func(r *faults.Report) { r.Environment = "qa" }))
				d.Update("Pending", faults.FaultChange{ResolveOnDeploy: sett.Some(true)})
				d.Update("Ignored", faults.FaultChange{Ignored: sett.Some(true)})
				if err := d.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{ResolveErrorsOnDeploy: sett.Some(c.resolveAll)}); err != nil {
					t.Fatal(err)
				}
				d.Deploy(storetest.Noon.Add(time.Minute), faults.Deploy{Environment: c.environment})
				if diff := cmp.Diff(c.want, d.Find("is:resolved")); diff != "" {
					t.Error(diff)
				}
				if f := d.Fault("Pending"); f.ResolveOnDeploy == f.Resolved {
					t.Errorf("it waits for a deploy: %t, and is resolved: %t", f.ResolveOnDeploy, f.Resolved)
				}
			})
		})
	}
}

func TestDeployMakesItsEnvironment(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for _, environment := range []string{"canary", "", "canary", "production"} {
			d.Deploy(storetest.Noon, faults.Deploy{Environment: environment})
		}
		p, err := d.Accounts.ProjectByID(t.Context(), d.ProjectID)
		if diff := cmp.Diff([]string{"canary", "production"}, p.Environments); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		if _, err := d.Faults.RecordDeploy(t.Context(), storetest.Noon, d.ProjectID+1, faults.Deploy{}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a deploy of no project: %v", err)
		}
	})
}

func TestNoticeKnowsItsDeploy(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		notice := func(minutes int, revision string) {
			d.Record(at(minutes), accounts.Limits{}, d.Report("E", body(fmt.Sprintf(`{"error":{},"server":{"revision":%q}}`, revision))))
		}
		release := func(minutes int, environment, revision string) int64 {
			return d.Deploy(at(minutes), faults.Deploy{
				Environment: environment, Revision: revision, Repository: "https://git.example.test/shop", LocalUsername: "olga",
			})
		}
		notice(0, "r1")
		first := release(10, "production", "r1")
		notice(20, "r1")
		release(30, "staging", "r2")
		notice(40, "r2")
		second := release(50, "production", "r2")
		notice(60, "r2")
		notice(61, "r1")
		notice(62, "")
		again := release(70, "production", "r2")
		notice(80, "r2")
		whole := release(90, "", "r3")
		notice(100, "r3")

		deploy := func(id int64, minutes int, environment, revision, previous string) *faults.Deploy {
			return &faults.Deploy{
				ID: id, ProjectID: d.ProjectID, Environment: environment, Revision: revision, Previous: previous,
				Repository: "https://git.example.test/shop", LocalUsername: "olga", CreatedAt: at(minutes),
			}
		}
		want := []*faults.Deploy{
			deploy(whole, 90, "", "r3", ""), deploy(again, 70, "production", "r2", "r1"),
			nil, deploy(first, 10, "production", "r1", ""), deploy(second, 50, "production", "r2", "r1"),
			nil, deploy(first, 10, "production", "r1", ""), nil,
		}
		var got []*faults.Deploy
		notices, _ := d.ListedNotices("E", faultdb.NoticePage{Page: sett.Page{Size: 25}})
		for _, n := range notices {
			got = append(got, n.Deploy)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestADeployThatClientsDate(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for deploy, want := range map[faults.Deploy]time.Time{{}: storetest.Noon, {CreatedAt: storetest.Noon.Add(-time.Hour)}: storetest.Noon.Add(-time.Hour)} {
			got, err := d.Faults.DeployByID(t.Context(), d.ProjectID, d.Deploy(storetest.Noon, deploy))
			if err != nil || !got.CreatedAt.Equal(want) {
				t.Errorf("%+v is of %v, %v; want %v", deploy, got.CreatedAt, err, want)
			}
		}
	})
}

func TestListDeploys(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		for i, deploy := range []faults.Deploy{
			{Environment: "production", LocalUsername: "ann"},
			{Environment: "staging", LocalUsername: "bob"},
			{Environment: "production", LocalUsername: "bob"},
			{LocalUsername: "ann"},
			{Environment: "production"},
		} {
			deploy.Revision = fmt.Sprint("r", i)
			d.Deploy(at(i), deploy)
		}
		d.Deploy(at(9), faults.Deploy{Revision: "late", CreatedAt: at(2)}) // recorded late: stands where it belongs
		if _, err := d.Faults.RecordDeploy(t.Context(), at(3), d.Project("Other").ID, faults.Deploy{Revision: "other"}); err != nil {
			t.Fatal(err)
		}
		list := func(f faultdb.DeployFilter) (revisions []string, marks sett.Marks) {
			if f.Size == 0 {
				f.Size = 25
			}
			deploys, marks, err := d.Faults.ListDeploys(t.Context(), d.ProjectID, f)
			if err != nil {
				t.Fatal(err)
			}
			for _, deploy := range deploys {
				revisions = append(revisions, deploy.Revision)
			}
			return revisions, marks
		}
		for _, c := range []struct {
			name   string
			filter faultdb.DeployFilter
			want   []string
		}{
			{"all", faultdb.DeployFilter{}, []string{"r4", "r3", "late", "r2", "r1", "r0"}},
			{"environment", faultdb.DeployFilter{Environment: "production"}, []string{"r4", "r2", "r0"}},
			{"user", faultdb.DeployFilter{LocalUsername: "bob"}, []string{"r2", "r1"}},
			{"both", faultdb.DeployFilter{Environment: "production", LocalUsername: "ann"}, []string{"r0"}},
			{"after, inclusive", faultdb.DeployFilter{CreatedAfter: at(3)}, []string{"r4", "r3"}},
			{"before, exclusive", faultdb.DeployFilter{CreatedBefore: at(1)}, []string{"r0"}},
			{"between", faultdb.DeployFilter{CreatedAfter: at(1), CreatedBefore: at(2)}, []string{"r1"}},
			{"nothing", faultdb.DeployFilter{Environment: "qa"}, nil},
		} {
			if got, _ := list(c.filter); cmp.Diff(c.want, got) != "" {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}

		want := []string{"r4", "r3", "late", "r2", "r1", "r0"}
		disturb := func() {
			d.Deploy(at(100), faults.Deploy{Revision: "new"})
			d.Deploy(at(100), faults.Deploy{Revision: "new", CreatedAt: at(1)})
		}
		shown, marks := list(faultdb.DeployFilter{Page: sett.Page{Size: 2}})
		all := shown
		for marks.Next != "" {
			disturb()
			shown, marks = list(faultdb.DeployFilter{Page: sett.Page{Size: 2, Mark: marks.Next}})
			all = append(all, shown...)
		}
		back := shown
		for marks.Prev != "" {
			disturb()
			shown, marks = list(faultdb.DeployFilter{Page: sett.Page{Size: 2, Mark: marks.Prev, Back: true}})
			back = append(shown, back...)
		}
		if diff := cmp.Diff([][]string{want, want}, [][]string{all, back}); diff != "" {
			t.Errorf("page by page, and back, while others come in (-want +got):\n%s", diff)
		}
		for _, mark := range []string{"x", "1", "1.2", "1.2.-3"} {
			if _, _, err := d.Faults.ListDeploys(t.Context(), d.ProjectID, faultdb.DeployFilter{Page: sett.Page{Size: 2, Mark: mark}}); sett.CodeOf(err) != sett.Invalid {
				t.Errorf("mark %q: %v", mark, err)
			}
		}
	})
}

func TestFindAndDeleteDeploy(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		want := faults.Deploy{
			ProjectID: d.ProjectID, Environment: "production", Revision: "r1", Repository: "https://git.example.test/shop", LocalUsername: "olga", CreatedAt: storetest.Noon,
		}
		want.ID = d.Deploy(storetest.Noon, want)
		got, err := d.Faults.DeployByID(t.Context(), d.ProjectID, want.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		find := func(project, id int64) error { _, err := d.Faults.DeployByID(t.Context(), project, id); return err }
		for name, err := range map[string]error{
			"find another project's":   find(d.ProjectID+1, want.ID),
			"delete another project's": d.Faults.DeleteDeploy(t.Context(), d.ProjectID+1, want.ID),
			"find none":                find(d.ProjectID, want.ID+1),
		} {
			if sett.CodeOf(err) != sett.NotFound || err.Error() != "Deploy not found" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if err := d.Faults.DeleteDeploy(t.Context(), d.ProjectID, want.ID); err != nil {
			t.Fatal(err)
		}
		if !d.Fault("E").Resolved {
			t.Error("what the deploy resolved is open again")
		}
		if err := d.Faults.DeleteDeploy(t.Context(), d.ProjectID, want.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleting it again: %v", err)
		}
	})
}
