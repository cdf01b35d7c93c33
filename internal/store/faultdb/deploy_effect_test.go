package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestDeployEffects(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = true`)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		staging := func(r *faults.Report) { r.Environment = "staging" }
		d.Record(at(-61), accounts.Limits{}, d.Report("A"))
		d.Record(at(-60), accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("S", staging))
		first := faults.Deploy{Environment: "production", Revision: "r1", CreatedAt: at(0)}
		first.ID = d.Deploy(at(0), first)
		d.Record(at(0), accounts.Limits{}, d.Report("A"), d.Report("C"), d.Report("T", staging))
		between := faults.Deploy{Environment: "staging", Revision: "r1", CreatedAt: at(5)}
		between.ID = d.Deploy(at(5), between)
		d.Record(at(59), accounts.Limits{}, d.Report("D"))
		d.Record(at(60), accounts.Limits{}, d.Report("D"))
		second := faults.Deploy{Revision: "r2", CreatedAt: at(90)}
		second.ID = d.Deploy(at(90), second)
		d.Record(at(100), accounts.Limits{}, d.Report("D"), d.Report("S", staging), d.Report("E"))
		got, err := s.Faults.DeployEffects(t.Context(), d.ProjectID, []faults.Deploy{first, between, second})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int64]faults.DeployEffect{
			first.ID:   {Resolved: 2, New: 2, Reopened: 1, Until: at(90), HourBefore: 2, HourAfter: 3},
			between.ID: {Resolved: 2, New: 0, Reopened: 0, Until: at(90), HourBefore: 1},
			second.ID:  {Resolved: 3, New: 1, Reopened: 2, HourBefore: 2, HourAfter: 3},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if none, err := s.Faults.DeployEffects(t.Context(), d.ProjectID, nil); err != nil || len(none) != 0 {
			t.Errorf("of no deploy: %v, %v", none, err)
		}
	})
}
