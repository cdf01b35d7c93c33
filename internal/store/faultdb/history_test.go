package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

func TestHistoryOfAFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("Other"))
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
		admin := d.User("ann", accounts.Admin)
		fault, yes, no := d.FaultID("E"), sett.Some(true), sett.Some(false)
		change := func(c faults.FaultChange) func() error {
			return func() error {
				return d.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, fault, c)
			}
		}
		pause := func(p faults.Pause) func() error {
			return func() error { return d.Faults.PauseFault(t.Context(), storetest.Noon, admin, d.ProjectID, fault, p) }
		}
		notice := func() error { d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"), d.Report("E")); return nil }
		deploy := func(environment string) func() error {
			return func() error {
				d.Deploy(storetest.Noon, faults.Deploy{Environment: environment, Revision: "r1"})
				return nil
			}
		}
		for _, c := range []struct {
			name string
			step func() error
			adds []string
		}{
			{"resolve", change(faults.FaultChange{Resolved: yes}), []string{"web resolved Olga: Resolved."}},
			{"resolve again", change(faults.FaultChange{Resolved: yes}), nil},
			{"on deploy while resolved", change(faults.FaultChange{ResolveOnDeploy: yes}), nil},
			{"two notices", notice, []string{"system reopened : Reopened: it occurred again."}},
			{"two more", notice, nil},
			{"resolve once more", change(faults.FaultChange{Resolved: yes}), []string{"web resolved Olga: Resolved."}},
			{"unresolve", change(faults.FaultChange{Resolved: no}), []string{"web unresolved Olga: Marked as unresolved."}},
			{"nothing", change(faults.FaultChange{}), nil},
			{"assign", change(faults.FaultChange{AssigneeID: sett.Some(admin)}), []string{"web assigned Olga: Assigned to ann."}},
			{"assign the same", change(faults.FaultChange{AssigneeID: sett.Some(admin)}), nil},
			{"assign another", change(faults.FaultChange{AssigneeID: sett.Some(d.UserID)}), []string{"web assigned Olga: Assigned to Olga."}},
			{"unassign", change(faults.FaultChange{AssigneeID: sett.Optional[int64]{Sent: true, Null: true}}), []string{"web unassigned Olga: Unassigned."}},
			{"ignore", change(faults.FaultChange{Ignored: yes}), []string{"web ignored Olga: Ignored. Further events are discarded."}},
			{"a notice that is discarded", notice, nil},
			{"no longer ignore", change(faults.FaultChange{Ignored: no}), []string{"web unignored Olga: No longer ignored."}},
			{"pause", pause(faults.Pause{Time: sett.Some("hour")}), []string{"web paused ann: Paused until " + storetest.Noon.Add(time.Hour).Format("2006-01-02 15:04 UTC") + "."}},
			{"pause the same", pause(faults.Pause{Time: sett.Some("hour")}), nil},
			{"pause otherwise", pause(faults.Pause{Count: sett.Some[int64](10)}), []string{"web paused ann: Paused until it reaches 15 events."}},
			{"unpause", func() error { return d.Faults.UnpauseFault(t.Context(), storetest.Noon, admin, d.ProjectID, fault) }, []string{"web unpaused ann: No longer paused."}},
			{"unpause again", func() error { return d.Faults.UnpauseFault(t.Context(), storetest.Noon, admin, d.ProjectID, fault) }, nil},
			{"pause for the bulk", pause(faults.Pause{Time: sett.Some("day")}), []string{"web paused ann: Paused until " + storetest.Noon.Add(24*time.Hour).Format("2006-01-02 15:04 UTC") + "."}},
			{"unpause all", func() error { return d.Faults.UnpauseFaults(t.Context(), storetest.Noon, admin, d.ProjectID) }, []string{"web unpaused ann: No longer paused."}},
			{"unpause all again", func() error { return d.Faults.UnpauseFaults(t.Context(), storetest.Noon, admin, d.ProjectID) }, nil},
			{"on deploy", change(faults.FaultChange{ResolveOnDeploy: yes}), []string{"web resolve_on_deploy Olga: Resolves on the next deploy."}},
			{"not on deploy", change(faults.FaultChange{ResolveOnDeploy: no}), []string{"web resolve_on_deploy_cancelled Olga: No longer resolves on the next deploy."}},
			{"a deploy that nothing waits for", deploy("production"), nil},
			{"on deploy again", change(faults.FaultChange{ResolveOnDeploy: yes}), []string{"web resolve_on_deploy Olga: Resolves on the next deploy."}},
			{"a deploy elsewhere", deploy("staging"), nil},
			{"its deploy", deploy("production"), []string{"system resolved : Resolved by the deploy of r1 to production."}},
			{"another deploy", deploy("production"), nil},
		} {
			before := len(d.HistoryLines("E"))
			if err := c.step(); err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			if diff := cmp.Diff(c.adds, d.HistoryLines("E")[before:], cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		if lines := d.HistoryLines("Other"); len(lines) > 0 {
			t.Errorf("the history of another fault is %q", lines)
		}
		if n := d.Fault("E").CommentsCount; n != 0 {
			t.Errorf("what happened counts as %d comments", n)
		}
		refused := d.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, fault, faults.FaultChange{Ignored: yes, AssigneeID: sett.Some[int64](999)})
		if lines := d.HistoryLines("E"); refused == nil || lines[len(lines)-1] != "system resolved : Resolved by the deploy of r1 to production." {
			t.Errorf("a change that was refused (%v) is in the history: %q", refused, lines)
		}
	})
}

// A change of many faults is in the history of each that changed, and takes few statements.
func TestHistoryOfManyFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		const many = 1000
		var reports []*faultdb.Packed
		for i := range many {
			reports = append(reports, d.Report(fmt.Sprint("E", i)))
		}
		staging := d.Report("E0", func(r *faults.Report) { r.Environment = "staging" })
		d.Record(storetest.Noon, accounts.Limits{}, append(reports, staging)...)
		d.Update("E1", faults.FaultChange{Resolved: sett.Some(true)})
		production, err := sett.ParseSearch("environment:production", storetest.Noon)
		if err != nil {
			t.Fatal(err)
		}
		wantEntries := func(when string, want ...int64) {
			t.Helper()
			got := d.Numbers(`SELECT count(*), count(*) FILTER (WHERE source = 'web'), count(*) FILTER (WHERE event = 'reopened'), count(DISTINCT fault_id) FROM comments`, 4)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: entries in all, by users, reopened, faults (-want +got):\n%s", when, diff)
			}
		}
		for range 2 { // the second finds nothing to resolve
			if _, err := d.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{Search: production}); err != nil {
				t.Fatal(err)
			}
			wantEntries("resolved", many, many, 0, many)
		}
		d.Record(storetest.Noon, accounts.Limits{}, append(reports, reports[:10]...)...)
		wantEntries("reopened", 2*many, many, many, many)
		d.Deploy(storetest.Noon, faults.Deploy{Environment: "production"})
		wantEntries("deployed", 3*many, many, many, many)
		d.Deploy(storetest.Noon, faults.Deploy{})
		wantEntries("deployed everywhere", 3*many+1, many, many, many+1)
	})
}

// held keeps a fault from being changed until all of what is done at once waits for that, so that each has seen the fault
// as it was before any of them changed it.
func (d *desk) held(class string, atOnce ...func() error) {
	d.T.Helper()
	d.RowHeld(`SELECT id FROM faults WHERE id = $1 FOR UPDATE`, d.FaultID(class), atOnce...)
}

// On PostgreSQL several nodes may make the same change to a fault at once. One of them changes it, and there is one entry.
func TestHistoryContainsConcurrentChangesOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
	resolve := func(s *store.Store) func() error {
		return func() error {
			_, err := s.Search.ResolveFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Filter{})
			return err
		}
	}
	record := func(s *store.Store) func() error {
		return func() error {
			_, err := s.Intake.RecordNotices(t.Context(), storetest.Noon, accounts.Limits{}, intakedb.Intake{Reports: []*faultdb.Packed{d.Report("E")}})
			return err
		}
	}
	d.held("E", resolve(first), resolve(second))
	d.held("E", record(first), record(second))
	want := []string{"web resolved Olga: Resolved.", "system reopened : Reopened: it occurred again."}
	if diff := cmp.Diff(want, d.HistoryLines("E")); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}
