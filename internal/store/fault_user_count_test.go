package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
)

func TestCountUsers(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		from := func(user string) func(*sett.Report) { return func(r *sett.Report) { r.User = user } }
		reports := []*Packed{d.report("Two", from("a")), d.report("Two", from("a")), d.report("Two", from("b")), d.report("None", from("")), d.report("Part", from("b")), d.report("Part", from("c"))}
		for i := range MostCountedUsers + 5 {
			reports = append(reports, d.report("Many", from(fmt.Sprint("u", i))))
		}
		other := d.project("Other")
		d.record(noon, sett.Limits{}, append(reports, d.report("Theirs", func(r *sett.Report) { r.ProjectID = other.ID }))...)
		two, none, part, many, theirs := d.faultID("Two"), d.faultID("None"), d.faultID("Part"), d.faultID("Many"), d.faultID("Theirs")
		want := func(what string, want map[int64]int64) {
			t.Helper()
			got, err := s.CountUsers(t.Context(), d.ProjectID, []int64{two, none, part, many, theirs, 9999})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
			}
		}
		want("apart", map[int64]int64{two: 2, none: 0, part: 2, many: MostCountedUsers + 1})
		if err := s.MergeFault(t.Context(), noon, d.UserID, d.ProjectID, part, sett.FaultMerge{IntoID: sett.Some(two)}); err != nil {
			t.Fatal(err)
		}
		want("merged", map[int64]int64{two: 3, none: 0, many: MostCountedUsers + 1})
	})
}
