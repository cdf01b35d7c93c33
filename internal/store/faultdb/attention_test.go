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
	"sett/internal/store/storetest"
)

func TestNeedsAttention(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Run(`UPDATE projects SET resolve_errors_on_deploy = false`)
		other := d.Project("Other")
		mia := d.User("Mia", accounts.Admin)
		ago := func(hours int) time.Time { return storetest.Noon.Add(-time.Duration(hours) * time.Hour) }
		staging := func(r *faults.Report) { r.Environment = "staging" }
		theirs := func(r *faults.Report) { r.ProjectID = other.ID }
		for _, class := range []string{"usual", "rising", "reopened", "reopened long ago", "mine", "paused", "hers", "all", "twice"} {
			d.Record(ago(2000), accounts.Limits{}, d.Report(class))
		}
		resolve := func(at time.Time, class string) {
			if err := s.Faults.UpdateFault(t.Context(), at, mia, d.ProjectID, d.FaultID(class), faults.FaultChange{Resolved: sett.Some(true)}); err != nil {
				t.Fatal(err)
			}
		}
		resolve(ago(100), "reopened long ago")
		d.Record(ago(25), accounts.Limits{}, d.Report("reopened long ago"), d.Report("before the deploy"))
		d.Record(ago(23), accounts.Limits{}, d.Report("of staging", staging), d.Report("before a deploy"))
		d.Deploy(ago(22), faults.Deploy{Environment: "production"})
		for _, class := range []string{"reopened", "all", "twice"} {
			resolve(ago(21), class)
		}
		d.Record(ago(20), accounts.Limits{}, d.Report("reopened"), d.Report("all"), d.Report("resolved"), d.Report("ignored"), d.Report("twice"))
		resolve(ago(19), "twice")
		d.Record(ago(10), accounts.Limits{}, d.Report("new"), d.Report("theirs", theirs), d.Report("twice"))
		resolve(ago(9), "resolved")
		d.Update("ignored", faults.FaultChange{Ignored: sett.Some(true)})
		for _, class := range []string{"mine", "all"} {
			d.Update(class, faults.FaultChange{AssigneeID: sett.Some(d.UserID)})
		}
		d.Update("hers", faults.FaultChange{AssigneeID: sett.Some(mia)})
		d.Run(`INSERT INTO fault_buckets (width, at, fault_id, count) VALUES (86400, $1, $2, 1000)`, accounts.Day(ago(48)).Unix(), d.FaultID("usual"))
		for range 10 {
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("rising"), d.Report("usual"), d.Report("all"))
			d.Record(storetest.Noon, accounts.Limits{}, d.Report("paused"))
		}
		d.Pause("paused", faults.Pause{Count: sett.Some[int64](1000)})

		check := func(name string, limit int, want ...string) {
			t.Helper()
			found, err := s.Faults.NeedsAttention(t.Context(), storetest.Noon, d.ProjectID, d.UserID, limit)
			var got []string
			var ids []int64
			for _, f := range found {
				got, ids = append(got, fmt.Sprint(f.Class, " ", f.Reasons)), append(ids, f.ID)
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
			reasons, err := s.Faults.FaultReasons(t.Context(), storetest.Noon, d.ProjectID, d.UserID, append(ids, d.FaultID("usual"), d.FaultID("theirs")))
			if err != nil || len(reasons) != len(found) {
				t.Errorf("%s: reasons %v, %v; want those of %d faults", name, reasons, err, len(found))
			}
			for _, f := range found {
				if diff := cmp.Diff(f.Reasons, reasons[f.ID]); diff != "" {
					t.Errorf("%s, %s (-attention +reasons):\n%s", name, f.Class, diff)
				}
			}
		}
		check("all", 20, "new [new]", "of staging [new]", "all [reopened rising assigned]", "twice [reopened]", "reopened [reopened]", "rising [rising]", "mine [assigned]")
		check("some", 3, "new [new]", "of staging [new]", "all [reopened rising assigned]")
		if found, err := s.Faults.NeedsAttention(t.Context(), storetest.Noon, other.ID, d.UserID, 9); err != nil || len(found) != 1 || found[0].Class != "theirs" {
			t.Errorf("of the other project: %+v, %v", found, err)
		}
		if found, err := s.Faults.NeedsAttention(t.Context(), storetest.Noon.AddDate(1, 0, 0), other.ID, d.UserID, 9); err != nil || len(found) != 0 {
			t.Errorf("after a year: %+v, %v", found, err)
		}
	})
}
