package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// The users of a day are counted exactly where its notices are few, and what is not counted is said.
func TestUsersOfDays(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		by := func(class, user string) *faultdb.Packed {
			return d.Report(class, func(r *faults.Report) { r.Facets = "\nuser=" + user + "\nuser=" + user + "@a.test\n" })
		}
		at := func(hours int, reports ...*faultdb.Packed) {
			d.Record(storetest.Noon.Add(time.Duration(-hours)*time.Hour), accounts.Limits{}, reports...)
		}
		many := func() (reports []*faultdb.Packed) {
			for i := range 201 {
				reports = append(reports, by("C", fmt.Sprint(i)))
			}
			return reports
		}
		at(49, by("A", "old"))
		at(47, by("A", "a"), by("A", "b"), by("A", "b"), by("B", "c"))
		at(30, many()...)
		at(25, by("A", "a"))
		at(23, by("A", "a"), by("A", "d"), by("A", "e"), d.Report("A"))
		want := func(class string, want faultdb.UserDays) {
			t.Helper()
			if got, err := s.Faults.UsersOfDays(t.Context(), storetest.Noon, d.ProjectID, d.FaultID(class)); err != nil || got != want {
				t.Errorf("of %s: %+v, %v, want %+v", class, got, err, want)
			}
		}
		want("A", faultdb.UserDays{Today: 3, Yesterday: 2})
		merges{d}.merge(d.FaultID("B"), d.FaultID("A"))
		want("A", faultdb.UserDays{Today: 3, Yesterday: 3})
		at(1, many()...)
		want("C", faultdb.UserDays{Today: 200, Yesterday: 200, Some: true, Unknown: true})
		if _, err := s.Faults.UsersOfDays(t.Context(), storetest.Noon, d.Project("Other").ID, d.FaultID("A")); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
