package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func (d *desk) deploy(now time.Time, deploy sett.Deploy) int64 {
	d.t.Helper()
	id, err := d.RecordDeploy(d.t.Context(), now, d.ProjectID, deploy)
	if err != nil {
		d.t.Fatal(err)
	}
	return id
}

func TestDeployResolvesFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		resolveAll  bool
		environment string
		want        []string // resolved
	}{
		{"of its environment", true, "production", []string{"Pending", "Prod"}},
		{"of another environment", true, "staging", []string{"Pending", "Staging"}},
		{"of a new environment", true, "canary", []string{"Pending"}},
		{"of the whole project", true, "", []string{"Ignored", "Pending", "Prod", "Staging"}},
		{"when the project does not want it", false, "production", []string{"Pending"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(t *testing.T, s *Store) {
				d := newDesk(t, s)
				staging := func(r *sett.Report) { r.Environment = "staging" }
				d.record(noon, sett.Limits{}, d.report("Prod"), d.report("Staging", staging), d.report("Pending", func(r *sett.Report) { r.Environment = "qa" }), d.report("Ignored", func(r *sett.Report) { r.Environment = "qa" }))
				d.update("Pending", sett.FaultChange{ResolveOnDeploy: sett.Some(true)})
				d.update("Ignored", sett.FaultChange{Ignored: sett.Some(true)})
				if err := d.UpdateProject(t.Context(), d.ProjectID, sett.ProjectChange{ResolveErrorsOnDeploy: sett.Some(c.resolveAll)}); err != nil {
					t.Fatal(err)
				}
				d.deploy(noon.Add(time.Minute), sett.Deploy{Environment: c.environment})
				if diff := cmp.Diff(c.want, d.find("is:resolved")); diff != "" {
					t.Error(diff)
				}
				if d.fault("Pending").ResolveOnDeploy {
					t.Error("a resolved fault still waits for a deploy")
				}
			})
		})
	}
}

func TestDeployMakesItsEnvironment(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		for _, environment := range []string{"canary", "", "canary", "production"} {
			d.deploy(noon, sett.Deploy{Environment: environment})
		}
		p, err := d.ProjectByID(t.Context(), d.ProjectID)
		if diff := cmp.Diff([]string{"canary", "production"}, p.Environments); err != nil || diff != "" {
			t.Errorf("%v\n%s", err, diff)
		}
		if _, err := d.RecordDeploy(t.Context(), noon, d.ProjectID+1, sett.Deploy{}); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("a deploy of no project: %v", err)
		}
	})
}

func TestNoticeKnowsItsDeploy(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		notice := func(minutes int, revision string) {
			d.record(at(minutes), sett.Limits{}, d.report("E", body(fmt.Sprintf(`{"error":{},"server":{"revision":%q}}`, revision))))
		}
		release := func(minutes int, environment, revision string) int64 {
			return d.deploy(at(minutes), sett.Deploy{
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

		deploy := func(id int64, minutes int, environment, revision, previous string) *sett.Deploy {
			return &sett.Deploy{
				ID: id, ProjectID: d.ProjectID, Environment: environment, Revision: revision, Previous: previous,
				Repository: "https://git.example.test/shop", LocalUsername: "olga", CreatedAt: at(minutes),
			}
		}
		want := []*sett.Deploy{
			deploy(whole, 90, "", "r3", ""), deploy(again, 70, "production", "r2", "r1"),
			nil, deploy(first, 10, "production", "r1", ""), deploy(second, 50, "production", "r2", "r1"),
			nil, deploy(first, 10, "production", "r1", ""), nil,
		}
		var got []*sett.Deploy
		notices, _ := d.listNotices("E", NoticePage{Page: sett.Page{Size: 25}})
		for _, n := range notices {
			got = append(got, n.Deploy)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
