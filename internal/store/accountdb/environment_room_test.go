package accountdb_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"sett/internal/event/payload"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// in makes a report of an environment.
func (d *desk) in(class, environment string) *faultdb.Packed {
	return d.Report(class, func(r *faults.Report) { r.Environment = environment })
}

// environmentCount returns how many environments the project has.
func (d *desk) environmentCount() int64 {
	return d.Numbers(fmt.Sprintf("SELECT count(*) FROM environments WHERE project_id = %d", d.ProjectID), 1)[0]
}

// faultsIn returns how many faults and notices the project has in an environment.
func (d *desk) faultsIn(environment string) (faults, notices int64) {
	n := d.Numbers(fmt.Sprintf(`SELECT count(*), CAST(coalesce(sum(c.notices_count), 0) AS bigint) FROM faults f JOIN fault_counts c ON c.fault_id = f.id
WHERE f.project_id = %d AND f.environment = '%s'`, d.ProjectID, environment), 2)
	return n[0], n[1]
}

// A key makes as many environments as there is room for. What is over it is collected under one name, and not lost.
func TestEnvironmentsOverTheCapAreCollected(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		now := storetest.Noon
		for batch := range 5 {
			var reports []*faultdb.Packed
			for i := range 100 {
				reports = append(reports, d.in("E", fmt.Sprintf("e%03d", 100*batch+i)), d.in("E", fmt.Sprintf("e%03d", 100*batch+i)))
			}
			for _, r := range d.Record(now, accounts.Limits{}, reports...) {
				if r.Outcome != accounts.Stored {
					t.Fatalf("a notice ended as %v", r.Outcome)
				}
			}
			now = now.Add(20 * time.Second)
		}
		if n := d.environmentCount(); n != faults.MostEnvironments+1 {
			t.Errorf("%d environments", n)
		}
		if faults, notices := d.faultsIn(faults.OtherEnvironment); faults != 1 || notices != 600 {
			t.Errorf("%d faults with %d notices are collected", faults, notices)
		}
		if all := d.Numbers("SELECT count(*) FROM notices", 1)[0]; all != 1000 {
			t.Errorf("%d notices are stored", all)
		}
		if faults, notices := d.faultsIn("e199"); faults != 1 || notices != 2 {
			t.Errorf("the last with room has %d faults with %d notices", faults, notices)
		}
		d.Record(now, accounts.Limits{}, d.in("E", "e000"), d.in("E", payload.DefaultEnvironment), d.in("E", "e499"))
		if _, notices := d.faultsIn("e000"); notices != 3 {
			t.Error("an environment that there is gets no more")
		}
		if faults, _ := d.faultsIn(payload.DefaultEnvironment); faults != 1 {
			t.Error("there is no room for production")
		}
		if _, notices := d.faultsIn(faults.OtherEnvironment); notices != 601 {
			t.Errorf("%d notices are collected", notices)
		}
		if _, err := d.createEnvironment(d.ProjectID, accounts.EnvironmentChange{Name: sett.Some("ours")}); err != nil {
			t.Errorf("people cannot make one: %v", err)
		}
		for _, e := range d.environments(d.ProjectID)[:5] {
			if err := s.Accounts.DeleteEnvironment(t.Context(), d.ProjectID, e.ID); err != nil {
				t.Fatal(err)
			}
		}
		d.Record(now, accounts.Limits{}, d.in("E", "late"))
		if faults, _ := d.faultsIn("late"); faults != 1 {
			t.Error("where one was deleted there is no room")
		}
	})
}

// A deploy to an environment for which there is no room is collected too, and resolves nothing of what is.
func TestDeploysOverTheCapAreCollected(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		if err := s.Accounts.UpdateProject(t.Context(), d.ProjectID, accounts.ProjectChange{ResolveErrorsOnDeploy: sett.Some(true)}); err != nil {
			t.Fatal(err)
		}
		for i := range faults.MostEnvironments {
			d.Deploy(storetest.Noon, faults.Deploy{Environment: fmt.Sprint("e", i)})
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.in("E", "x"), d.in("E", "e7"))
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "x", Revision: "1"})
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "e7", Revision: "2"})
		found, _, err := s.Faults.ListDeploys(t.Context(), d.ProjectID, faultdb.DeployFilter{Environment: faults.OtherEnvironment, Page: sett.Page{Size: 10}})
		if err != nil || len(found) != 1 || found[0].Revision != "1" {
			t.Errorf("collected are %+v, %v", found, err)
		}
		open := d.Numbers("SELECT count(*) FROM faults WHERE NOT resolved AND environment = '"+faults.OtherEnvironment+"'", 1)[0]
		if done := d.Numbers("SELECT count(*) FROM faults WHERE resolved", 1)[0]; open != 1 || done != 1 {
			t.Errorf("%d collected faults are open, and %d of all resolved", open, done)
		}
		if n := d.environmentCount(); n != faults.MostEnvironments+1 {
			t.Errorf("%d environments", n)
		}
		collected := d.Numbers("SELECT id FROM faults WHERE NOT resolved", 1)[0]
		if err := s.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, collected, faults.FaultChange{ResolveOnDeploy: sett.Some(true)}); err != nil {
			t.Fatal(err)
		}
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "e7"})
		if left := d.Numbers("SELECT count(*) FROM faults WHERE NOT resolved", 1)[0]; left != 1 {
			t.Error("a deploy of another environment resolved what waits for its own")
		}
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "x"})
		if left := d.Numbers("SELECT count(*) FROM faults WHERE NOT resolved", 1)[0]; left != 0 {
			t.Error("the collected deploy did not resolve what waits for it")
		}
	})
}

// In the steady state environments take no statement, those that are collected no more than the others.
func TestKnownEnvironmentsTakeNoStatement(t *testing.T) {
	t.Parallel()
	counted := storetest.CountStatements(t)
	d := newDesk(t, counted.Store)
	var names []string
	for i := range faults.MostEnvironments + 20 {
		names = append(names, fmt.Sprint("e", i))
	}
	record := func(names []string) int64 {
		var reports []*faultdb.Packed
		for _, name := range names {
			reports = append(reports, d.in("E", name))
		}
		before := counted.N.Load()
		d.RecordBusy(storetest.Noon, accounts.Limits{}, reports...)
		return counted.N.Load() - before
	}
	record(names)
	record(names)
	known, collected := record(names[:10]), record(names[faults.MostEnvironments+5:faults.MostEnvironments+15])
	if unknown := record([]string{"new"}); known != collected || unknown <= known {
		t.Errorf("ten known environments take %d statements, ten collected ones %d, a new one %d", known, collected, unknown)
	}
}

// Two nodes that meet new environments at the same time go over the cap by no more than those.
func TestNodesShareTheRoomForEnvironments(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	a := newDesk(t, c.Node(t))
	b := &desk{storetest.DeskOf(c.Node(t), a.SetupResult, t)}
	var names []string
	for i := range 3 * faults.MostEnvironments {
		names = append(names, fmt.Sprint("e", i))
	}
	for some := range slices.Chunk(names, 10) {
		a.Record(storetest.Noon, accounts.Limits{}, a.in("E", some[0]), a.in("E", some[1]), a.in("E", some[2]))
		b.Record(storetest.Noon, accounts.Limits{}, b.in("E", some[3]), b.in("E", some[4]))
	}
	if n := a.environmentCount(); n != faults.MostEnvironments+1 {
		t.Errorf("%d environments", n)
	}
}
