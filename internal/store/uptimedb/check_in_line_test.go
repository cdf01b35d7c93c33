package uptimedb_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/sett/run"
	"sett/internal/store"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

func TestCheckInLines(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		busy, idle := d.CheckIn(d.ProjectID, storetest.Hourly("busy")), d.CheckIn(d.ProjectID, storetest.Hourly("idle"))
		at := func(hours int) time.Time { return storetest.Noon.Add(time.Duration(hours) * time.Hour) }
		for i := range checks.RecentRuns + 2 {
			d.PingAt(at(i), busy)
		}
		took, exit := int64(1500), 1
		last := at(checks.RecentRuns + 2)
		ping := checks.Ping{At: last, Payload: &checks.PingPayload{Status: "error", Duration: &took, ExitCode: &exit, Stdout: strings.Repeat(`"ü`, 200)}}
		if _, err := s.Uptime.RecordPings(t.Context(), []uptimedb.PingReport{{ID: busy.ID, Ping: ping}}); err != nil {
			t.Fatal(err)
		}
		d.SweepAll(last.Add(2*time.Hour), 10)

		lines, marks, err := s.Uptime.CheckInLines(t.Context(), d.ProjectID, sett.Page{Size: 10})
		if err != nil || len(lines) != 2 || marks != (sett.Marks{}) {
			t.Fatalf("%d lines, %v, %v", len(lines), marks, err)
		}
		runs := lines[0].Runs
		if len(runs) != checks.RecentRuns || !runs[0].At.Equal(at(4)) {
			t.Fatalf("%d runs: %+v", len(runs), runs)
		}
		want := []run.Result{
			{At: at(checks.RecentRuns + 1), Duration: -1},
			{At: last, Failed: true, Duration: 1500 * time.Millisecond},
			{At: last.Add(time.Hour + 5*time.Minute), Missed: true, Duration: -1},
		}
		if diff := cmp.Diff(want, runs[len(runs)-3:]); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if lines[1].ID != idle.ID || lines[1].Runs != nil {
			t.Errorf("%+v", lines[1])
		}
		p, err := s.Uptime.CheckInPulse(t.Context(), last.Add(2*time.Hour), d.ProjectID, busy.ID)
		if diff := cmp.Diff(lines[0], p.CheckInLine); err != nil || diff != "" || len(p.Days) != checks.StatusDays {
			t.Errorf("%v, %d days, (-want +got):\n%s", err, len(p.Days), diff)
		}
		if _, err := s.Uptime.CheckInPulse(t.Context(), storetest.Noon, d.Project("Other").ID, busy.ID); sett.CodeOf(err) != sett.NotFound {
			t.Errorf("of another project: %v", err)
		}
	})
}
