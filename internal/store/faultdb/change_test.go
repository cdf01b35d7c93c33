package faultdb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/searchdb"
	"sett/internal/store/storetest"
)

// The states of wire.md §3.2: what a person or a deploy does to a fault, and what its next notice does then.
func TestFaultStates(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		change := func(c faults.FaultChange) func() error {
			return func() error {
				return d.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), c)
			}
		}
		pause := func(p faults.Pause) func() error {
			return func() error {
				return d.Faults.PauseFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), p)
			}
		}
		yes, no := sett.Some(true), sett.Some(false)
		for _, c := range []struct {
			name  string
			steps []func() error
			want  faults.FaultState // after the steps
			next  accounts.Outcome  // of the next notice
			then  faults.FaultState // after it
		}{
			{name: "unresolved", next: accounts.Stored},
			{
				name: "resolved reopens", steps: []func() error{change(faults.FaultChange{Resolved: yes})},
				want: faults.FaultState{Resolved: true}, next: accounts.Stored,
			},
			{name: "reopened by hand", steps: []func() error{change(faults.FaultChange{Resolved: yes}), change(faults.FaultChange{Resolved: no})}, next: accounts.Stored},
			{
				name: "ignored discards", steps: []func() error{change(faults.FaultChange{Ignored: yes})},
				want: faults.FaultState{Ignored: true}, next: accounts.Ignored, then: faults.FaultState{Ignored: true},
			},
			{
				name: "ignored and resolved", steps: []func() error{change(faults.FaultChange{Ignored: yes}), change(faults.FaultChange{Resolved: yes})},
				want: faults.FaultState{Ignored: true, Resolved: true}, next: accounts.Ignored, then: faults.FaultState{Ignored: true, Resolved: true},
			},
			{name: "no longer ignored", steps: []func() error{change(faults.FaultChange{Ignored: yes}), change(faults.FaultChange{Ignored: no})}, next: accounts.Stored},
			{
				name: "paused for an hour", steps: []func() error{pause(faults.Pause{Time: sett.Some("hour")})},
				want: faults.FaultState{PausedUntil: storetest.Noon.Add(time.Hour)}, next: accounts.Stored, then: faults.FaultState{PausedUntil: storetest.Noon.Add(time.Hour)},
			},
			{
				name: "a new pause replaces the old", steps: []func() error{pause(faults.Pause{Time: sett.Some("week")}), pause(faults.Pause{Count: sett.Some[int64](10)})},
				want: faults.FaultState{PausedCount: 11}, next: accounts.Stored, then: faults.FaultState{PausedCount: 11},
			},
			{
				name: "paused and resolved reopens", steps: []func() error{pause(faults.Pause{Time: sett.Some("day")}), change(faults.FaultChange{Resolved: yes})},
				want: faults.FaultState{Resolved: true, PausedUntil: storetest.Noon.Add(24 * time.Hour)}, next: accounts.Stored, then: faults.FaultState{PausedUntil: storetest.Noon.Add(24 * time.Hour)},
			},
			{
				name: "unpaused", next: accounts.Stored, steps: []func() error{
					pause(faults.Pause{Time: sett.Some("day")}), func() error {
						return d.Faults.UnpauseFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"))
					},
				},
			},
			{
				name: "all unpaused", next: accounts.Stored, steps: []func() error{
					pause(faults.Pause{Count: sett.Some[int64](1000)}), func() error { return d.Faults.UnpauseFaults(t.Context(), storetest.Noon, d.UserID, d.ProjectID) },
				},
			},
			{
				name: "to be resolved on deploy", steps: []func() error{change(faults.FaultChange{ResolveOnDeploy: yes})},
				want: faults.FaultState{ResolveOnDeploy: true}, next: accounts.Stored, then: faults.FaultState{ResolveOnDeploy: true},
			},
			{
				name: "resolving cancels resolve on deploy", steps: []func() error{change(faults.FaultChange{ResolveOnDeploy: yes}), change(faults.FaultChange{Resolved: yes})},
				want: faults.FaultState{Resolved: true}, next: accounts.Stored,
			},
			{
				name: "ignoring cancels resolve on deploy", steps: []func() error{change(faults.FaultChange{ResolveOnDeploy: yes}), change(faults.FaultChange{Ignored: yes})},
				want: faults.FaultState{Ignored: true}, next: accounts.Ignored, then: faults.FaultState{Ignored: true},
			},
			{
				name: "resolve on deploy of a resolved fault", steps: []func() error{change(faults.FaultChange{Resolved: yes}), change(faults.FaultChange{ResolveOnDeploy: yes})},
				want: faults.FaultState{Resolved: true}, next: accounts.Stored,
			},
		} {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
			for _, step := range c.steps {
				if err := step(); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			if diff := cmp.Diff(c.want, d.Fault("E").FaultState); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			if got := d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("E"))[0].Outcome; got != c.next {
				t.Errorf("%s: the next notice is %s, want %s", c.name, got, c.next)
			}
			if diff := cmp.Diff(c.then, d.Fault("E").FaultState); diff != "" {
				t.Errorf("%s, after the next notice (-want +got):\n%s", c.name, diff)
			}
			if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("E")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUpdateFaultAssigns(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		member, err := d.Accounts.CreateUser(t.Context(), storetest.Noon, accountdb.NewUser{AccountID: d.AccountID, Email: "member@example.test", Role: accounts.Member})
		if err != nil {
			t.Fatal(err)
		}
		_, stranger, err := d.Accounts.CreateAccount(t.Context(), storetest.Noon, "Others", accountdb.NewUser{Email: "stranger@example.test"})
		if err != nil {
			t.Fatal(err)
		}
		assign := func(o sett.Optional[int64]) error {
			return d.Faults.UpdateFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, d.FaultID("E"), faults.FaultChange{AssigneeID: o})
		}
		if err := assign(sett.Some(d.UserID)); err != nil {
			t.Fatal(err)
		}
		want := &sett.Person{ID: d.UserID, Email: "owner@example.test", Name: "Olga"}
		if diff := cmp.Diff(want, d.Fault("E").Assignee); diff != "" {
			t.Error(diff)
		}
		const refusal = "Please correct: assignee_id must be the id of a user who can see this project."
		for name, user := range map[string]int64{"a stranger": stranger, "no user": 999, "zero": 0, "a member without a team": member} {
			if err := assign(sett.Some(user)); sett.CodeOf(err) != sett.Invalid || err.Error() != refusal {
				t.Errorf("assigning %s: %v", name, err)
			}
		}
		if d.Update("E", faults.FaultChange{Resolved: sett.Some(true)}); d.Fault("E").Assignee == nil {
			t.Error("resolving took the assignee away")
		}
		if err := assign(sett.Optional[int64]{Sent: true, Null: true}); err != nil || d.Fault("E").Assignee != nil {
			t.Errorf("null did not unassign: %v", err)
		}
	})
}

func TestChangesOfFaultsOfAnotherProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("E"))
		d.Update("E", faults.FaultChange{Ignored: sett.Some(true)})
		before := d.Fault("E")
		ctx, other, id := t.Context(), d.ProjectID+1, d.FaultID("E")
		for name, err := range map[string]error{
			"update":   d.Faults.UpdateFault(ctx, storetest.Noon, d.UserID, other, id, faults.FaultChange{Resolved: sett.Some(true)}),
			"pause":    d.Faults.PauseFault(ctx, storetest.Noon, d.UserID, other, id, faults.Pause{Time: sett.Some("day")}),
			"unpause":  d.Faults.UnpauseFault(ctx, storetest.Noon, d.UserID, other, id),
			"delete":   d.Faults.DeleteFault(ctx, other, id),
			"link":     d.Faults.LinkFault(ctx, storetest.Noon, other, id, 1, triage.LinkData{}),
			"unlink":   d.Faults.UnlinkFault(ctx, other, id, 1),
			"affected": func() error { _, _, err := d.Faults.AffectedUsers(ctx, other, id, "", 1); return err }(),
			"series": func() error {
				_, err := d.Faults.FaultSeries(ctx, other, id, stats.PastHour, storetest.Noon)
				return err
			}(),
			"notices": func() error {
				_, _, err := d.Faults.ListNotices(ctx, other, id, faultdb.NoticePage{Page: sett.Page{Size: 25}})
				return err
			}(),
		} {
			if sett.CodeOf(err) != sett.NotFound || err.Error() != "Fault not found" {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := d.Search.ResolveFaults(ctx, storetest.Noon, d.UserID, other, searchdb.Filter{}); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(before, d.Fault("E")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDeleteFault(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		var reports []*faultdb.Packed
		for range db.RowsAtOnce + 10 {
			reports = append(reports, d.Report("Gone"))
		}
		d.Record(storetest.Noon.Add(-40*24*time.Hour), accounts.Limits{}, d.Report("Gone", storetest.WithToken(2)), d.Report("Stays", storetest.WithToken(3)))
		d.Record(storetest.Noon, accounts.Limits{}, append(reports, d.Report("Gone", storetest.WithToken(1)), d.Report("Stays"))...)
		if err := d.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		kept := map[string]int64{}
		count := func(table, of string) int64 { return d.Numbers(`SELECT count(*) FROM `+table+` WHERE `+of, 1)[0] }
		for _, table := range []string{"ledger", "named_buckets", "project_buckets"} {
			kept[table] = count(table, "true")
		}
		ofGone := map[string]string{
			"faults": "class = 'Gone'", "fault_counts": "fault_id = $", "fault_buckets": "fault_id = $", "fault_users": "fault_id = $",
			"notices": "fault_id = $", "fault_links": "fault_id = $", "comments": "fault_id = $",
		}
		d.addIntegration("Github")
		id := d.FaultID("Gone")
		if err := d.Faults.LinkFault(t.Context(), storetest.Noon, d.ProjectID, id, 1, triage.LinkData{"number": []byte("1")}); err != nil {
			t.Fatal(err)
		}
		d.Comment(d.UserID, "Gone", "Bye.")
		d.Update("Gone", faults.FaultChange{ResolveOnDeploy: sett.Some(true)})
		for table, of := range ofGone {
			ofGone[table] = storetest.ReplaceID(of, id)
			if count(table, ofGone[table]) == 0 {
				t.Errorf("%s has nothing of the fault to begin with", table)
			}
		}
		if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, id); err != nil {
			t.Fatal(err)
		}
		for table, of := range ofGone {
			if n := count(table, of); n > 0 {
				t.Errorf("%d rows left in %s", n, table)
			}
		}
		if n := count("notice_tokens", "true"); n != 1 {
			t.Errorf("%d tokens left, want the one of the other fault", n)
		}
		for table, want := range kept {
			if n := count(table, "true"); n != want {
				t.Errorf("%s had %d rows, now %d", table, want, n)
			}
		}
		if n := d.Fault("Stays").NoticesCount; n != 2 {
			t.Errorf("the other fault has %d notices", n)
		}
		if n := count("fault_buckets", "width = 86400"); n != 2 {
			t.Errorf("the other fault has %d days", n)
		}
		if got := d.Record(storetest.Noon, accounts.Limits{}, d.Report("Gone", storetest.WithToken(1)))[0]; got.Duplicate || got.Outcome != accounts.Stored {
			t.Errorf("the token of a deleted notice cannot come again: %+v", got)
		}
		if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, id); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("deleting it again: %v", err)
		}
	})
}

func TestDeleteFaultWhoseCountsArePending(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon.Add(-48*time.Hour), accounts.Limits{}, d.Report("Gone"))
		var busy []*faultdb.Packed
		for range storetest.BusyBatch {
			busy = append(busy, d.Report("Gone"))
		}
		d.Record(storetest.Noon, accounts.Limits{}, busy...)
		if err := d.Faults.DeleteFault(t.Context(), d.ProjectID, d.FaultID("Gone")); err != nil {
			t.Fatal(err)
		}
		if err := d.Intake.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, table := range []string{"fault_counts", "fault_buckets", "fault_users", "notices"} {
			if n := d.Numbers(`SELECT count(*) FROM `+table, 1)[0]; n > 0 {
				t.Errorf("%d rows left in %s", n, table)
			}
		}
	})
}
