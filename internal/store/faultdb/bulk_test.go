package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

func TestBulkChanges(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"))
		d.Record(storetest.Noon.Add(time.Hour), accounts.Limits{}, d.Report("Late"), d.Report("Theirs", func(r *faults.Report) { r.ProjectID = d.Project("Other").ID }))
		do := func(action triage.BulkAction, which searchdb.Choice, change ...func(*triage.BulkChange)) int64 {
			t.Helper()
			c := triage.BulkChange{Action: sett.Some(string(action))}
			for _, f := range change {
				f(&c)
			}
			done, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, which, c)
			if err != nil || done.Left != 0 {
				t.Fatal(done, err)
			}
			return done.Changed
		}
		a, b := d.FaultID("A"), d.FaultID("B")
		two := searchdb.Choice{IDs: []int64{b, a, a, 999, d.FaultID("Theirs")}}
		d.Raised()
		got := []string{fmt.Sprint("assign ", do(triage.BulkAssign, two, func(c *triage.BulkChange) { c.AssigneeID = sett.Some(d.UserID) }), do(triage.BulkAssign, two, func(c *triage.BulkChange) { c.AssigneeID = sett.Some(d.UserID) }))}
		got = append(got, fmt.Sprint("alerts ", len(d.Raised())))
		got = append(got, fmt.Sprint("resolve ", do(triage.BulkResolve, searchdb.Choice{AsOf: storetest.Noon})))
		alerts := d.Raised()
		got = append(got, fmt.Sprint("alerts ", len(alerts), " of ", len(alerts[0].Facts.FaultIDs)))
		got = append(got, fmt.Sprint("unresolve ", do(triage.BulkUnresolve, two), " alerts ", len(d.Raised())))
		got = append(got, fmt.Sprint("ignore ", do(triage.BulkIgnore, two), " unignore ", do(triage.BulkUnignore, two)))
		hour := func(c *triage.BulkChange) { c.Pause = sett.Some(faults.Pause{Time: sett.Some("hour")}) }
		got = append(got, fmt.Sprint("pause ", do(triage.BulkPause, two, hour), " unpause ", do(triage.BulkUnpause, two)))
		got = append(got, fmt.Sprint("delete ", do(triage.BulkDelete, two), do(triage.BulkDelete, two)))
		want := []string{
			"assign 2 0", "alerts 1", "resolve 3", "alerts 1 of 3", "unresolve 2 alerts 2", "ignore 2 unignore 2", "pause 2 unpause 2", "delete 2 0",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if d.Fault("Late").Resolved || !d.Fault("C").Resolved || d.Numbers(`SELECT count(*) FROM faults WHERE class = 'Theirs' AND NOT resolved AND assignee_id IS NULL`, 1)[0] != 1 {
			t.Error("other faults were changed than those that were meant")
		}
		lines := d.HistoryLines("C")
		if diff := cmp.Diff([]string{"web resolved Olga: Resolved."}, lines); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		_, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{}, triage.BulkChange{Action: sett.Some("assign"), AssigneeID: sett.Some[int64](999)})
		if sett.CodeOf(err) != sett.Invalid {
			t.Errorf("assigned to a user who does not exist: %v", err)
		}
	})
}

func TestBulkChangesGoByLots(t *testing.T) {
	t.Parallel()
	d := newDesk(t, storetest.OpenSQLite(t))
	var reports []*faultdb.Packed
	for i := range faultdb.FaultsInLot + 5 {
		reports = append(reports, d.Report(fmt.Sprint("E", i)))
	}
	d.Record(storetest.Noon, accounts.Limits{}, reports...)
	for _, action := range []triage.BulkAction{triage.BulkResolve, triage.BulkIgnore} {
		done, err := d.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{AsOf: storetest.Noon}, triage.BulkChange{Action: sett.Some(string(action))})
		if err != nil || done != (faultdb.BulkOutcome{Changed: faultdb.FaultsInLot + 5}) {
			t.Errorf("%s changed %+v, %v", action, done, err)
		}
	}
	if n := d.Numbers(`SELECT count(*) FROM faults WHERE resolved AND ignored`, 1)[0]; n != faultdb.FaultsInLot+5 {
		t.Errorf("%d faults are resolved and ignored", n)
	}
}

// Faults that changed after a user selected them from a list are skipped by every action, because the user has not seen the change.
func TestBulkChangesLeaveWhatHasChangedSince(t *testing.T) {
	t.Parallel()
	actions := map[triage.BulkAction]triage.BulkChange{
		triage.BulkResolve: {}, triage.BulkIgnore: {}, triage.BulkDelete: {}, triage.BulkTag: {Tags: sett.Some([]string{"seen"})},
		triage.BulkPause: {Pause: sett.Some(faults.Pause{Time: sett.Some("day")})},
	}
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		drawn, later := storetest.Noon.Add(time.Minute), storetest.Noon.Add(3*time.Minute)
		for action, c := range actions {
			c.Action = sett.Some(string(action))
			for _, all := range []bool{false, true} {
				name := fmt.Sprintf("%s%t", action, all)
				d.Record(storetest.Noon, accounts.Limits{}, d.Report(name+"back"), d.Report(name+"noisy"), d.Report(name+"quiet"))
				which := searchdb.Choice{IDs: []int64{d.FaultID(name + "back"), d.FaultID(name + "noisy"), d.FaultID(name + "quiet")}}
				resolve := triage.BulkChange{Action: sett.Some("resolve")}
				if _, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{IDs: which.IDs[:1]}, resolve); err != nil {
					t.Fatal(err)
				}
				d.Record(drawn.Add(time.Second), accounts.Limits{}, d.Report(name+"back"), d.Report(name+"noisy"))
				d.Comment(d.UserID, name+"noisy", "What a noise.")
				search, err := sett.ParseSearch("class:"+name+"*", storetest.Noon)
				if err != nil {
					t.Fatal(err)
				}
				if which.AsOf = drawn; all {
					which = searchdb.Choice{AsOf: drawn, Filter: searchdb.Filter{Search: search}}
				}
				done, err := s.Search.ChangeFaults(t.Context(), later, d.UserID, d.ProjectID, which, c)
				if err != nil || done != (faultdb.BulkOutcome{Changed: 2, Left: 1}) {
					t.Errorf("%s came to %+v, %v", name, done, err)
				}
				if f := d.Fault(name + "back"); f.Resolved || f.Ignored || len(f.Tags) > 0 || f.Paused(later, 2) {
					t.Errorf("%s changed what had come back: %+v", name, f)
				}
			}
		}
	})
}

func TestTagsOfManyFaults(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		tagged := func(tags ...string) func(*faults.Report) { return func(r *faults.Report) { r.Tags = tags } }
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", tagged("cart", "eu")), d.Report("B"))
		do := func(action triage.BulkAction, tags ...string) (changed int64) {
			t.Helper()
			c := triage.BulkChange{Action: sett.Some(string(action)), Tags: sett.Some(tags)}
			done, err := s.Search.ChangeFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID, searchdb.Choice{}, c)
			if err != nil {
				t.Fatal(err)
			}
			return done.Changed
		}
		got := []string{
			fmt.Sprint(do(triage.BulkTag, "eu", "vip"), d.Fault("A").Tags, d.Fault("B").Tags),
			fmt.Sprint(do(triage.BulkTag, "vip"), do(triage.BulkUntag, "cart", "none"), d.Fault("A").Tags, d.Fault("B").Tags),
		}
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", tagged("new"))) // what notices know of tags is not what people have changed
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A", tagged("cart")))
		got = append(got, fmt.Sprint(d.Fault("A").Tags, d.Find("tag:vip")))
		if diff := cmp.Diff([]string{"2 [cart eu vip] [eu vip]", "0 1 [eu vip] [eu vip]", "[eu vip new cart] [A B]"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		lines := d.HistoryLines("A")
		if diff := cmp.Diff([]string{"web tagged Olga: Tagged vip.", "web untagged Olga: No longer tagged cart."}, lines); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}
