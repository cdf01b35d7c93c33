package intakedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/scrub"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestRemovedValuesAreCountedByDay(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		add := func(counts ...scrub.Removed) {
			t.Helper()
			if err := s.Intake.AddScrubbed(t.Context(), counts); err != nil {
				t.Fatal(err)
			}
		}
		removed := func(since time.Time) []scrub.Removed {
			t.Helper()
			all, err := s.Intake.Removed(t.Context(), d.ProjectID, since)
			if err != nil {
				t.Fatal(err)
			}
			return all
		}
		day := accounts.Day(storetest.Noon)
		before := day.AddDate(0, 0, -1)
		add(scrub.Removed{ProjectID: d.ProjectID, Day: day, Kind: "name", Count: 2}, scrub.Removed{ProjectID: 99, Day: day, Kind: "name", Count: 1}) // the latter was deleted meanwhile
		add(scrub.Removed{ProjectID: d.ProjectID, Day: day, Kind: "name", Count: 3}, scrub.Removed{ProjectID: d.ProjectID, Day: before, Kind: "card", Count: 9})
		if diff := cmp.Diff([]scrub.Removed{{ProjectID: d.ProjectID, Kind: "card", Count: 9}, {ProjectID: d.ProjectID, Kind: "name", Count: 5}}, removed(before)); diff != "" {
			t.Errorf("of two days (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]scrub.Removed{{ProjectID: d.ProjectID, Kind: "name", Count: 5}}, removed(storetest.Noon)); diff != "" {
			t.Errorf("of a day (-want +got):\n%s", diff)
		}
	})
}
