package intakedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/store"
	"sett/internal/store/intakedb"
	"sett/internal/store/storetest"
)

func TestAccountUsageOfTheMonth(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		second := d.Project("Second")
		on := func(day int) time.Time { return time.Date(2026, 11, day, 23, 59, 59, 0, time.UTC) }
		refuse := func(now time.Time, o accounts.Outcome, n int64, accountID string) {
			in := intakedb.Intake{Refused: []accounts.Refusal{{AccountID: accountID, ProjectID: d.ProjectID, Outcome: o, Count: n}}}
			if _, err := s.Intake.RecordNotices(t.Context(), now, accounts.Limits{}, in); err != nil {
				t.Fatal(err)
			}
		}
		d.Record(on(0), accounts.Limits{}, d.Report("A")) // the last of October
		d.Record(on(1), accounts.Limits{}, d.Report("A"), d.Report("B"))
		d.Record(on(1), accounts.Limits{}, d.Report("A", func(r *faults.Report) { r.ProjectID = second.ID }))
		refuse(on(1), accounts.Limited, 7, d.AccountID)
		d.Run(`UPDATE faults SET ignored = true WHERE class = 'B'`)
		d.Record(on(3), accounts.Limits{}, d.Report("B"), d.Report("A"))
		refuse(on(3), accounts.InvalidNotice, 5, d.AccountID)
		refuse(on(3), accounts.InvalidNotice, 100, "another")
		refuse(on(4), accounts.Limited, 1, d.AccountID) // tomorrow, by the clock of another node
		if err := s.DeleteProject(t.Context(), second.ID, func() {}); err != nil {
			t.Fatal(err)
		}

		got, err := s.Intake.AccountUsage(t.Context(), d.AccountID, on(3))
		want := accounts.AccountUsage{
			{Day: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Stored: 3, Limited: 7},
			{Day: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC)},
			{Day: time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC), Stored: 1, Ignored: 1, Invalid: 5},
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v, usage (-want +got):\n%s", err, diff)
		}
	})
}
