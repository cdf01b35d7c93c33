package store

import (
	"fmt"
	"testing"

	"sett/internal/sett"
	"sett/internal/setttest/pgcluster"
)

// BenchmarkPings records pings in batches of 64 to 1,000 check-ins, half of which have a cron schedule.
func BenchmarkPings(b *testing.B) {
	for engine, open := range map[string]func(b *testing.B) *Store{
		"sqlite": func(b *testing.B) *Store { return openSQLite(b) },
		"postgres": func(b *testing.B) *Store {
			return openTest(b, Options{Database: pgcluster.FreshDatabase(b, migrateDatabase)})
		},
	} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, open(b))
			var ids []string
			for i := range 1000 {
				change := hourly(fmt.Sprint("job-", i))
				if i%2 == 1 {
					change = sett.CheckInChange{ScheduleType: sett.Some("cron"), CronSchedule: sett.Some("30 2 * * *"), CronTimezone: sett.Some("Europe/Berlin")}
				}
				ids = append(ids, d.checkIn(d.ProjectID, change).ID)
			}
			now, next, sent := noon, 0, 0
			for b.Loop() {
				now = now.Add(6_400_000) // as at 10,000 pings a second
				var batch []PingReport
				for range 64 {
					batch = append(batch, PingReport{ID: ids[next*7919%1000], Ping: sett.Ping{At: now}})
					next++
				}
				if _, err := d.RecordPings(b.Context(), batch); err != nil {
					b.Fatal(err)
				}
				sent += len(batch)
			}
			b.ReportMetric(float64(sent)/b.Elapsed().Seconds(), "pings/s")
		})
	}
}
