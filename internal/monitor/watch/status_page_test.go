package watch

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett"
	"sett/internal/sett/status"
)

func TestMaintenanceBeginsAndEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, made, _ := bubbleStore(t)
		defer s.Close()
		page, err := s.Status.CreateStatusPage(t.Context(), time.Now(), made.AccountID, status.StatusPageRules{}, status.StatusPageChange{Name: sett.Some("Shop")})
		if err != nil {
			t.Fatal(err)
		}
		loops := loop.Start(t.Context(), NewStatusPages(StatusPageOptions{DB: s.DB, Status: s.Status, Now: time.Now, Log: slog.Default()}).Loops()...)
		from := time.Now().Add(time.Hour)
		i, err := s.Status.CreateIncident(t.Context(), time.Now(), made.AccountID, page.ID, status.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("Disks"), Message: sett.Some("Planned."),
			StartsAt: sett.Some(from.Format(time.RFC3339Nano)), EndsAt: sett.Some(from.Add(time.Hour).Format(time.RFC3339Nano)),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			at   time.Time
			want status.IncidentStatus
		}{{from.Add(-time.Millisecond), status.Scheduled}, {from.Add(moveEvery), status.InProgress}, {from.Add(time.Hour - time.Millisecond), status.InProgress}, {from.Add(time.Hour + moveEvery), status.Completed}} {
			time.Sleep(time.Until(step.at))
			synctest.Wait()
			found, err := s.Status.IncidentByID(t.Context(), made.AccountID, page.ID, i.ID)
			if err != nil || found.Status != step.want {
				t.Errorf("at %v: %v, %s, want %s", step.at, err, found.Status, step.want)
			}
		}
		if err := loops.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}
