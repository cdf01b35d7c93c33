package uptimedb_test

import (
	"fmt"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// benchEngines runs f on every engine, with so many check-ins, half of which have a cron schedule.
func benchEngines(b *testing.B, checkIns int, f func(b *testing.B, d *desk, ids []string)) {
	for engine, open := range map[string]func(b *testing.B) *store.Store{
		"sqlite": func(b *testing.B) *store.Store { return storetest.OpenSQLite(b) },
		"postgres": func(b *testing.B) *store.Store {
			return storetest.OpenTest(b, db.Options{Database: storetest.FreshPostgres(b)})
		},
	} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, open(b))
			var list []checks.CheckInChange
			for i := range checkIns {
				change := storetest.Hourly(fmt.Sprint("job-", i))
				if i%2 == 1 {
					change = checks.CheckInChange{
						Slug: change.Slug, ScheduleType: sett.Some("cron"), CronSchedule: sett.Some("30 2 * * *"), CronTimezone: sett.Some("Europe/Berlin"),
					}
				}
				list = append(list, change)
			}
			if _, err := d.Uptime.SyncCheckIns(b.Context(), storetest.Noon, d.ProjectID, list); err != nil {
				b.Fatal(err)
			}
			stored, _, err := d.Uptime.ListCheckIns(b.Context(), d.ProjectID, sett.Page{Size: checkIns})
			if err != nil {
				b.Fatal(err)
			}
			var ids []string
			for _, c := range stored {
				ids = append(ids, c.ID)
			}
			f(b, d, ids)
		})
	}
}

// BenchmarkPings records pings in batches of 64.
func BenchmarkPings(b *testing.B) {
	benchEngines(b, 1000, func(b *testing.B, d *desk, ids []string) {
		now, next := storetest.Noon, 0
		for b.Loop() {
			now = now.Add(6_400 * time.Microsecond) // as at 10,000 pings a second
			var batch []uptimedb.PingReport
			for range 64 {
				batch = append(batch, uptimedb.PingReport{ID: ids[next*7919%len(ids)], Ping: checks.Ping{At: now}})
				next++
			}
			if _, err := d.Uptime.RecordPings(b.Context(), batch); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(next)/b.Elapsed().Seconds(), "pings/s")
	})
}

// BenchmarkSweep looks at 200 of 10,000 check-ins that are all due.
func BenchmarkSweep(b *testing.B) {
	benchEngines(b, 10_000, func(b *testing.B, d *desk, _ []string) {
		now := storetest.Noon.Add(48 * time.Hour)
		for b.Loop() {
			b.StopTimer()
			d.Run(`UPDATE check_ins SET state = 'reporting', reported_at = $1, expected_at = $1, deadline_at = $1, missed_count = 0`, db.Micros(now.Add(-time.Second)))
			b.StartTimer()
			if _, n, err := d.Uptime.SweepCheckIns(b.Context(), now, 200); err != nil || n != 200 {
				b.Fatal(n, err)
			}
		}
	})
}
