package intakedb_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/alerts"
	"sett/internal/store"
	"sett/internal/store/faultdb"
	"sett/internal/store/storetest"
)

// usual has a fault occur so often in every ten minutes from a time up to another, as its buckets show it.
func (d *desk) usual(class string, from, to time.Time, n int64) {
	d.T.Helper()
	d.Run(`INSERT INTO fault_buckets (width, at, fault_id, count)
		WITH RECURSIVE w(at) AS (SELECT CAST($1 AS bigint) UNION ALL SELECT at + 600 FROM w WHERE at + 600 < CAST($2 AS bigint))
		SELECT 60, at, CAST($3 AS bigint), CAST($4 AS bigint) FROM w`, from.Unix(), to.Unix(), d.FaultID(class), n)
}

// bursts records that many notices at once.
func (d *desk) bursts(class string, at time.Time, n int) {
	d.T.Helper()
	d.Record(at, accounts.Limits{}, slices.Repeat([]*faultdb.Packed{d.Report(class)}, n)...)
}

func (d *desk) wantSpikes(when string, now time.Time, want int) {
	d.T.Helper()
	before := len(d.alertsOf(alerts.AlertVolumeSpike))
	n, err := d.Intake.RaiseSpikes(d.T.Context(), now)
	if after := len(d.alertsOf(alerts.AlertVolumeSpike)); err != nil || n != want || after-before != want {
		d.T.Errorf("%s: %d alerts, %d more than before, %v; want %d", when, n, after-before, err, want)
	}
}

func TestSpikesRaiseOneAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		d.occurs("A", storetest.Noon.Add(-48*time.Hour+time.Second))
		d.occurs("new", storetest.Noon.Add(-2*time.Hour))
		d.usual("A", storetest.Noon.Add(-47*time.Hour), at(120), 10)
		d.bursts("A", at(2).Add(time.Second), 50) // with the 10 of usual, that begin at the full ten minutes
		d.bursts("new", at(2).Add(time.Second), 50)
		d.wantSpikes("no receiver selects spikes", at(10), 0)
		d.wanting(alerts.AlertVolumeSpike, "", 0)
		d.wantSpikes("in a minute that is not over", at(2).Add(59*time.Second), 0)
		d.wantSpikes("a spike", at(10).Add(5*time.Second), 1)
		got, want := d.alertsOf(alerts.AlertVolumeSpike)[0], alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertVolumeSpike, Subject: alerts.FaultSubject(d.FaultID("A")), FaultID: d.FaultID("A"),
			Environment: "production", At: at(10).Add(5 * time.Second), CreatedAt: at(10).Add(5 * time.Second), Facts: alerts.AlertFacts{
				NoticeID:     sett.NoticeID(d.Numbers(storetest.ReplaceID(`SELECT max(id) FROM fault_notices WHERE fault_id = $`, d.FaultID("A")), 1)[0]),
				NoticesCount: 51, Spike: &alerts.SpikeFacts{Observed: 60, BaselineMedian: 10, Factor: 6, ZScore: 15.81, WindowMinutes: 10},
			},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		d.wantSpikes("the same one", at(12), 0)
		d.bursts("A", at(41), 80)
		d.wantSpikes("again before it was calm for long", at(41).Add(59*time.Second), 0) // the burst's minute is not over
		d.wantSpikes("30 minutes after it was high", at(42), 1)
		d.bursts("A", at(60), 90)
		d.wantSpikes("18 minutes after that", at(61), 0)
		d.wantSpikes("and still high", at(69), 0)
		d.bursts("A", at(98), 200)
		d.wantSpikes("29 minutes after that", at(98).Add(30*time.Second), 0)
		d.wantSpikes("30 minutes after that", at(99), 1)
	})
}

func TestSpikesThatRaiseNoAlert(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.wanting(alerts.AlertVolumeSpike, "", 0)
		d.occurs("A", storetest.Noon.Add(-48*time.Hour+time.Second))
		d.bursts("A", storetest.Noon, 30)
		for _, c := range []struct{ name, before, after string }{
			{"inactive integration", `UPDATE integrations SET active = false`, `UPDATE integrations SET active = true`},
			{"another event", `UPDATE integrations SET events = '["occurred"]'`, `UPDATE integrations SET events = '["volume_spike"]'`},
			{"inactive project", `UPDATE projects SET active = false`, `UPDATE projects SET active = true`},
			{"resolved", `UPDATE faults SET resolved = true`, `UPDATE faults SET resolved = false`},
			{"ignored", `UPDATE faults SET ignored = true`, `UPDATE faults SET ignored = false`},
			{"paused", `UPDATE faults SET paused_count = 1000`, `UPDATE faults SET paused_count = 0`},
		} {
			d.Run(c.before)
			d.wantSpikes(c.name, storetest.Noon.Add(2*time.Minute), 0)
			d.Run(c.after)
			d.wantSpikes("no more: "+c.name, storetest.Noon.Add(2*time.Minute), 1)
			d.Run(`DELETE FROM volume_spikes`)
		}
		d.wantSpikes("long ago", storetest.Noon.Add(11*time.Minute), 0)
	})
}

// On PostgreSQL several nodes look at once, and one raises the alert.
func TestNodesTellOfASpikeOnce(t *testing.T) {
	t.Parallel()
	c := storetest.NewCluster(t)
	first, second := c.Node(t), c.Node(t)
	d := newDesk(t, first)
	d.wanting(alerts.AlertVolumeSpike, "", 0)
	d.occurs("A", storetest.Noon.Add(-48*time.Hour))
	d.bursts("A", storetest.Noon, 30)
	look := func(s *store.Store, after time.Duration) func() error {
		return func() error {
			_, err := s.Intake.RaiseSpikes(t.Context(), storetest.Noon.Add(2*time.Minute+after))
			return err
		}
	}
	d.RowHeld(`SELECT at FROM alert_looks WHERE name = $1 FOR UPDATE`, "volume_spike", look(first, 0), look(second, time.Second))
	if n := len(d.alertsOf(alerts.AlertVolumeSpike)); n != 1 {
		t.Errorf("%d alerts, want 1", n)
	}
}
