package faultdb_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/faults"
	"sett/internal/sett/stats"
	"sett/internal/store"
	"sett/internal/store/accountdb"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

func TestProjectPulses(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Record(storetest.Noon.AddDate(0, 0, -7).Add(-time.Minute), accounts.Limits{}, d.Report("old"))
		d.Record(storetest.Noon.AddDate(0, 0, -7), accounts.Limits{}, d.Report("old"), d.Report("old"), d.Report("old"), d.Report("old"))
		other := d.FaultsOfTabs()
		hidden := d.Project("Hidden")
		now := storetest.Noon.Add(15 * time.Minute)
		id := d.Deploy(storetest.Noon.Add(-time.Hour), faults.Deploy{Environment: "production", Revision: "r1", LocalUsername: "josh"})
		d.Deploy(storetest.Noon.Add(-2*time.Hour), faults.Deploy{Environment: "staging", Revision: "r0"})
		up, down := d.Site(d.ProjectID), d.Site(d.ProjectID)
		d.Run(`UPDATE site_states SET state = 'up', last_checked_at = $1`, db.Micros(now))
		d.Run(`UPDATE site_states SET state = 'down' WHERE site_id = (SELECT id FROM sites WHERE uuid = $1)`, down.ID[:])
		late, missing := d.CheckIn(d.ProjectID, storetest.Hourly("late")), d.CheckIn(other.ID, storetest.Hourly("missing"))
		d.Run(`UPDATE check_ins SET state = 'reporting', expected_at = $1 WHERE id = $2`, db.Micros(now)-1, late.ID)
		d.Run(`UPDATE check_ins SET state = 'missing', expected_at = $1 WHERE id = $2`, db.Micros(now)-1, missing.ID)

		lines, marks, err := s.Faults.ProjectPulses(t.Context(), now, d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 2}})
		if err != nil || len(lines) != 2 || marks.Next == "" {
			t.Fatal(lines, marks, err)
		}
		hours := func(then, last int64) []int64 {
			h := make([]int64, 24)
			h[22], h[23] = then, last
			return h
		}
		deploy, err := s.Faults.DeployByID(t.Context(), d.ProjectID, id)
		if err != nil {
			t.Fatal(err)
		}
		want := []stats.ProjectLine{
			{
				ID: d.ProjectID, AccountID: d.AccountID, Name: "Shop", Active: true, Unresolved: 16, New: 10, Mine: 3,
				Deployed: storetest.Noon.Add(-time.Hour), LastDeploy: &deploy, Hours: hours(8, 8),
				Watched: stats.Watched{Sites: 2, SitesUp: 1, SitesDown: 1, CheckIns: 1, CheckInsReporting: 1, CheckInsLate: 1},
			},
			{
				ID: other.ID, AccountID: d.AccountID, Name: "Other", Active: true, Unresolved: 12, New: 8,
				Hours: hours(4, 4), Watched: stats.Watched{CheckIns: 1, Missing: 1},
			},
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		lines, marks, err = s.Faults.ProjectPulses(t.Context(), now, d.UserID, accountdb.ProjectFilter{Page: sett.Page{Size: 2, Mark: marks.Next}})
		if err != nil || len(lines) != 1 || lines[0].ID != hidden.ID || lines[0].Health() != stats.HealthNone || marks.Next != "" {
			t.Errorf("the second page: %+v, %v, %v", lines, marks, err)
		}
		mia := d.User("Mia", accounts.Member)
		if lines, _, err := s.Faults.ProjectPulses(t.Context(), now, mia, accountdb.ProjectFilter{Page: sett.Page{Size: 9}}); err != nil || len(lines) != 0 {
			t.Errorf("a member without a team sees %+v, %v", lines, err)
		}

		d.Run(`UPDATE sites SET created_at = $1`, db.Micros(now.AddDate(0, 0, -40)))
		for _, o := range [][2]time.Duration{{-2 * time.Hour, -time.Hour}, {-33 * 24 * time.Hour, -32 * 24 * time.Hour}} {
			d.Run(`INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
				SELECT id, $1, $2, $1, 503, 'no', 'null', '', '', '' FROM sites WHERE uuid = $3`, db.Micros(now.Add(o[0])), db.Micros(now.Add(o[1])), up.ID[:])
		}
		d.Run(`INSERT INTO uptime_days (site_id, day, location, checks, failed, total, latencies) SELECT id, $1, 1, 1, 0, 1, '' FROM sites`, db.Micros(accounts.Day(now)))
		d.Run(storetest.FillCheckedDays)
		pulse, err := s.Faults.ProjectPulse(t.Context(), now, d.ProjectID)
		if err != nil {
			t.Fatal(err)
		}
		want[0].Mine = 0
		full := stats.ProjectPulse{
			ProjectLine: want[0], EventsBefore: 2,
			Worst: []stats.LateCheckIn{{ID: late.ID, Name: "late", State: sett.CheckInReporting, ExpectedAt: now.Add(-time.Microsecond)}},
		}
		full.Uptime = pulse.Uptime
		if diff := cmp.Diff(full, pulse); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if down := pulse.Uptime.Down; down != time.Hour || pulse.Uptime.Measured < 12*time.Hour || pulse.Uptime.Measured > 60*24*time.Hour {
			t.Errorf("uptime %+v, want an hour down, of the newest outage", pulse.Uptime)
		}
		if fmt.Sprint(pulse.Events()) != "16" {
			t.Errorf("%d events", pulse.Events())
		}
		if _, err := s.Faults.ProjectPulse(t.Context(), now, 999); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of no project: %v", err)
		}
	})
}
