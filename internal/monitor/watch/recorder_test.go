package watch

import (
	"context"
	"database/sql"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/setttest/fresh"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/uptimedb"
)

// A check that the database never takes is lost, and no other: not those beside it, nor those that come after.
func TestACheckThatCannotBeStoredStopsNoOther(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]bool{"while it runs": false, "at the end": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { testPoison(t, end) })
		})
	}
}

func testPoison(t *testing.T, atOnce bool) {
	dir := fresh.Dir(t)
	s, err := store.Open(t.Context(), db.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, _, err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	poison(t, dir)
	made, err := s.Accounts.SetUp(t.Context(), time.Now(), accountdb.Setup{Account: "Acme", Email: "ann@example.test", Name: "Ann", Project: "Shop", TokenHash: []byte("hash")})
	if err != nil {
		t.Fatal(err)
	}
	site, err := s.Uptime.CreateSite(t.Context(), time.Now(), made.ProjectID, checks.SiteChange{URL: sett.Some("http://shop.test/")})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	r := newRecorder(s.DB, s.Uptime, time.Now, slog.New(slog.NewTextHandler(&log, nil)))
	for i, reason := range []string{"fine", "poison", "fine"} {
		r.take(checks.CheckReport{SiteID: site.ID, Location: checks.Virginia, Revision: site.TargetRevision, Result: checks.ProbeResult{
			At: time.Now().Add(time.Duration(i-3) * time.Millisecond), Reason: reason,
		}})
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan struct{})
	if atOnce {
		end()
	}
	go func() { defer close(ended); r.run(ctx) }()
	time.Sleep(time.Minute) // in the bubble
	synctest.Wait()
	if said := strings.Contains(log.String(), "so they are lost"); !said {
		t.Errorf("a minute later it is still tried: %s", log.String())
	}
	end()
	<-ended
	checks, _, err := s.Uptime.ListUptimeChecks(t.Context(), made.ProjectID, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 10}})
	if err != nil || len(checks) != 2 {
		t.Errorf("%d checks were stored, %v", len(checks), err)
	}
	if n := strings.Count(log.String(), "so they are lost\" lost=1 checks=3 error=\"site "+site.ID.String()); n != 1 {
		t.Errorf("said %d times: %s", n, log.String())
	}
}

// poison makes the database refuse a check with this reason.
func poison(t *testing.T, dir string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "sett.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec("CREATE TRIGGER poison BEFORE INSERT ON uptime_checks WHEN NEW.reason = 'poison' BEGIN SELECT RAISE(ABORT, 'poison'); END")
	if err != nil {
		t.Fatal(err)
	}
}
