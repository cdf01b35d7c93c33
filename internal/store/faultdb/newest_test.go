package faultdb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/triage"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

func TestNewestNoticesOfAProject(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		for i := range 6 {
			d.Record(storetest.Noon.Add(time.Duration(i)*time.Minute), accounts.Limits{}, d.Report("A"), d.Report("B"), d.Report("C"))
		}
		a, b := d.FaultID("A"), d.FaultID("B")
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon.Add(time.Hour), d.UserID, d.ProjectID, b, triage.FaultMerge{IntoID: sett.Some(a)}); err != nil {
			t.Fatal(err)
		}
		for most, want := range map[int]int{100: 18, 7: 7, 2: 2} {
			newest, err := s.Faults.NewestNotices(t.Context(), d.ProjectID, most)
			if err != nil || len(newest) != want {
				t.Fatalf("%d newest of at most %d, %v", len(newest), most, err)
			}
			for i, n := range newest {
				if i > 0 && n.ID >= newest[i-1].ID || n.Part == b && n.Fault != a || n.Part != b && n.Part != n.Fault {
					t.Errorf("notice %d of %d is %+v", i, most, n)
				}
			}
		}
		newest, _ := s.Faults.NewestNotices(t.Context(), d.ProjectID, 3)
		all, _ := s.Faults.NewestNotices(t.Context(), d.ProjectID, 100)
		if newest[2] != all[2] {
			t.Errorf("the third newest is %+v of 3 and %+v of all", newest[2], all[2])
		}
		other := d.Project("Other")
		if theirs, err := s.Faults.NewestNotices(t.Context(), other.ID, 10); err != nil || len(theirs) > 0 {
			t.Errorf("the other project has %v, %v", theirs, err)
		}
	})
}

func TestAdoptedKeysLeadToTheFaultOfTheirPart(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon, accounts.Limits{}, d.Report("A"), d.Report("B"))
		a, b := d.FaultID("A"), d.FaultID("B")
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, b, triage.FaultMerge{IntoID: sett.Some(a)}); err != nil {
			t.Fatal(err)
		}
		g, h := d.Report("C").Grouping, d.Report("D").Grouping
		if err := s.Faults.AdoptKeys(t.Context(), storetest.Noon, d.ProjectID, []faultdb.AdoptedKey{{Grouping: g, Part: b}, {Grouping: h, Part: a + b + 100}}); err != nil {
			t.Fatal(err)
		}
		known, err := s.Faults.FaultsOfKeys(t.Context(), d.ProjectID, [][16]byte{g.Key, h.Key})
		if err != nil || len(known) != 1 || known[g.Key] != a {
			t.Errorf("known are %v, %v; want the fault %d of the part", known, err, a)
		}
		d.Record(storetest.Noon.Add(time.Minute), accounts.Limits{}, d.Report("C"))
		if f := d.Fault("A"); f.NoticesCount != 3 {
			t.Errorf("the fault has %d notices, want 3", f.NoticesCount)
		}
	})
}
