package intakedb_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett/accounts"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestDiscards(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		other, now := d.Project("Other").ID, storetest.Noon
		today := accounts.Day(now)
		add := func(project int64, day time.Time, source stats.DiscardSource, category, reason string, n int64) stats.Discard {
			return stats.Discard{ProjectID: project, Day: day, Source: source, Category: category, Reason: reason, Count: n}
		}
		for range 2 {
			err := s.Intake.AddDiscards(t.Context(), []stats.Discard{
				add(d.ProjectID, today, stats.ByClient, "error", "sample_rate", 1), add(d.ProjectID, today, stats.ByServer, "attachment", "full", 2),
				add(d.ProjectID, today.AddDate(0, 0, -1), stats.ByClient, "error", "sample_rate", 3), add(other, today, stats.ByClient, "error", "sample_rate", 4),
				add(other, today.AddDate(0, -2, 0), stats.ByClient, "error", "sample_rate", 50), add(other+100, today, stats.ByClient, "error", "sample_rate", 60),
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Intake.AccountDiscards(t.Context(), d.AccountID, now)
		want := []stats.Discard{add(0, time.Time{}, stats.ByClient, "error", "sample_rate", 16), add(0, time.Time{}, stats.ByServer, "attachment", "full", 4)}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v; of the account (-want +got):\n%s", err, diff)
		}
		got, err = s.Intake.ProjectDiscards(t.Context(), d.ProjectID, now)
		want = []stats.Discard{
			add(d.ProjectID, today, stats.ByClient, "error", "sample_rate", 2), add(d.ProjectID, today, stats.ByServer, "attachment", "full", 4),
			add(d.ProjectID, today.AddDate(0, 0, -1), stats.ByClient, "error", "sample_rate", 6),
		}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v; of the project (-want +got):\n%s", err, diff)
		}
		if got, err := s.Intake.AccountDiscards(t.Context(), "none", now); err != nil || len(got) > 0 {
			t.Errorf("of another account: %v, %v", got, err)
		}
	})
}
