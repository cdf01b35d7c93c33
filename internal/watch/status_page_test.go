package watch

import (
	"database/sql"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/loop"
	"sett/internal/sett"
	"sett/internal/store"
)

func TestMaintenanceBeginsAndEndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		s, err := store.Open(t.Context(), store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, _, err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		made, err := s.SetUp(t.Context(), time.Now(), store.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
		if err != nil {
			t.Fatal(err)
		}
		statusPageByHand(t, dir, made.AccountID)
		loops := loop.Start(t.Context(), NewStatusPages(StatusPageOptions{Store: s, Now: time.Now, Log: slog.Default()}).Loops()...)
		from := time.Now().Add(time.Hour)
		i, err := s.CreateIncident(t.Context(), time.Now(), made.AccountID, "page", sett.IncidentChange{
			Kind: sett.Some("maintenance"), Name: sett.Some("Disks"), Message: sett.Some("Planned."),
			StartsAt: sett.Some(from.Format(time.RFC3339Nano)), EndsAt: sett.Some(from.Add(time.Hour).Format(time.RFC3339Nano)),
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			at   time.Time
			want sett.IncidentStatus
		}{{from.Add(-time.Millisecond), sett.Scheduled}, {from.Add(moveEvery), sett.InProgress}, {from.Add(time.Hour - time.Millisecond), sett.InProgress}, {from.Add(time.Hour + moveEvery), sett.Completed}} {
			time.Sleep(time.Until(step.at))
			synctest.Wait()
			found, err := s.IncidentByID(t.Context(), made.AccountID, "page", i.ID)
			if err != nil || found.Status != step.want {
				t.Errorf("at %v: %v, %s, want %s", step.at, err, found.Status, step.want)
			}
		}
		if err := loops.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// statusPageByHand makes the status page "page" of an account.
func statusPageByHand(t *testing.T, dir, account string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "sett.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.ExecContext(t.Context(), `INSERT INTO status_pages (id, account_id, slug, name, hide_branding, features, unlisted, auto_incidents,
		password_hash, password_key, domain, domain_secret, domain_state, domain_problem, domain_verified_at, domain_checked_at, domain_due_at,
		domain_failing_at, revision, created_at, updated_at)
		VALUES ('page', $1, 'page', 'Shop', false, '{}', false, true, '', $2, '', '', '', '', 0, 0, 0, 0, 1, 0, 0)`, account, []byte{})
	if err != nil {
		t.Fatal(err)
	}
}
