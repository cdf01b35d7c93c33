package watch

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/base/loop"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/sett/faults"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/faultdb"
	"sett/internal/store/intakedb"
	"sett/internal/store/outbox"
)

// bubbleStore opens a new store with a project inside a bubble of synctest, where it has to be closed too; dir is where its
// file is.
func bubbleStore(t *testing.T) (s *store.Store, made accountdb.SetupResult, dir string) {
	t.Helper()
	dir = fresh.Dir(t)
	s, err := store.Open(t.Context(), db.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	made, err = s.Accounts.SetUp(t.Context(), time.Now(), accountdb.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
	if err != nil {
		t.Fatal(err)
	}
	return s, made, dir
}

func TestRatesAndSpikesAreFoundSoon(t *testing.T) {
	t.Parallel()
	for event, within := range map[alerts.AlertEvent]time.Duration{alerts.AlertRateExceeded: 6 * time.Second, alerts.AlertVolumeSpike: 2 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			s, made, dir := bubbleStore(t)
			defer s.Close()
			subscribe(t, dir, made.ProjectID, event)
			record := func(at time.Time, n int) {
				r := &faults.Report{AccountID: made.AccountID, ProjectID: made.ProjectID, Class: "A", Environment: "production", Body: []byte(`{"error":{}}`)}
				packed := slices.Repeat(new(faultdb.Packer).Pack([]*faults.Report{r}), n)
				if _, err := s.Intake.RecordNotices(t.Context(), at, accounts.Limits{}, intakedb.Intake{Reports: packed}); err != nil {
					t.Fatal(err)
				}
				if err := s.Intake.Flush(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			record(time.Now().Add(-48*time.Hour), 1)
			loops := loop.Start(t.Context(), NewVolumes(VolumeOptions{Intake: s.Intake, Now: time.Now, Log: slog.Default()}).Loops()...)
			woken, stop := s.Sleep(outbox.AlertRaised)
			defer stop()
			time.Sleep(10 * time.Minute)
			if synctest.Wait(); len(woken) > 0 {
				t.Errorf("%s: an alert without a reason", event)
			}
			record(time.Now(), 30)
			for len(woken) > 0 {
				<-woken // of the notices
			}
			time.Sleep(within)
			if synctest.Wait(); len(woken) == 0 {
				t.Errorf("%s: no alert after %v", event, within)
			}
			if err := loops.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// subscribe creates an integration that receives one event.
func subscribe(t *testing.T, dir string, project int64, event alerts.AlertEvent) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "sett.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `INSERT INTO integrations
		(project_id, type, active, events, site_ids, options, excluded_environments, filters, created_at, rate, threshold)
		VALUES ($1, 'WebHook', true, $2, '[]', '{}', '[]', '[]', 0, 'min', 10)`, project, `["`+string(event)+`"]`)
	if err != nil {
		t.Fatal(err)
	}
}
