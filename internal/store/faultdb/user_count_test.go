package faultdb_test

import (
	"fmt"
	"testing"

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

func TestCountUsers(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		from := func(user string) func(*faults.Report) { return func(r *faults.Report) { r.User = user } }
		reports := []*faultdb.Packed{d.Report("Two", from("a")), d.Report("Two", from("a")), d.Report("Two", from("b")), d.Report("None", from("")), d.Report("Part", from("b")), d.Report("Part", from("c"))}
		for i := range faultdb.MostCountedUsers + 5 {
			reports = append(reports, d.Report("Many", from(fmt.Sprint("u", i))))
		}
		other := d.Project("Other")
		d.Record(storetest.Noon, accounts.Limits{}, append(reports, d.Report("Theirs", func(r *faults.Report) { r.ProjectID = other.ID }))...)
		two, none, part, many := d.FaultID("Two"), d.FaultID("None"), d.FaultID("Part"), d.FaultID("Many")
		want := func(what string, want map[int64]int64) {
			t.Helper()
			list, err := s.Search.ReadList(t.Context(), storetest.Noon, searchdb.ListQuery{Projects: []int64{d.ProjectID}, UserID: d.UserID, Filter: &searchdb.Filter{}, Page: searchdb.Page{Page: sett.Page{Size: 25}}})
			if diff := cmp.Diff(want, list.Beside[d.ProjectID].Users); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
			}
		}
		want("apart", map[int64]int64{two: 2, none: 0, part: 2, many: faultdb.MostCountedUsers + 1})
		if err := s.Faults.MergeFault(t.Context(), storetest.Noon, d.UserID, d.ProjectID, part, triage.FaultMerge{IntoID: sett.Some(two)}); err != nil {
			t.Fatal(err)
		}
		want("merged", map[int64]int64{two: 3, none: 0, many: faultdb.MostCountedUsers + 1})
	})
}
