package uptimedb_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
	"sett/internal/store/uptimedb"
)

// BenchmarkUptimeHistory measures what a day of minutely checks of many sites costs to sum up, to prune and to read, and
// how long another writer waits meanwhile. It is for -benchtime 1x.
func BenchmarkUptimeHistory(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, storetest.BenchStore(b, engine))
			d.Live(storetest.Noon, checks.Virginia)
			sites := d.ManySites(1_000)
			day := accounts.Day(storetest.Noon)
			d.RollUp(day.Add(25 * time.Hour)) // as far as the day
			d.fillDay(day)
			d.Run(`UPDATE site_states SET last_checked_at = $1`, db.Micros(day.Add(24*time.Hour-1)))
			step := func(name string, work func(context.Context) error) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						b.ReportMetric(float64(d.longestWait(b, func() error { return work(b.Context()) }).Milliseconds()), "ms-waited")
					}
				})
			}
			page := func(size int) func(context.Context) error {
				return func(ctx context.Context) error {
					_, _, err := d.Uptime.ListUptimeChecks(ctx, d.ProjectID, sites[7].ID, uptimedb.SpanFilter{Page: sett.Page{Size: size}})
					return err
				}
			}
			step("page of 25", page(25))
			step("page of 25 again", page(25))
			step("page of 1440", page(1440))
			step("open day", func(ctx context.Context) error {
				_, err := d.Uptime.UptimeDays(ctx, d.ProjectID, sites[7].ID, day, day.Add(24*time.Hour))
				return err
			})
			step("roll up", func(ctx context.Context) error { return d.Uptime.RollUpChecks(ctx, day.Add(49*time.Hour)) })
			step("prune", func(ctx context.Context) error { return d.Uptime.PruneChecks(ctx, day.Add(24*time.Hour)) })
			if n := d.Count(`SELECT count(*) FROM uptime_checks WHERE 1 IN `, 1); n > 0 {
				b.Errorf("%d checks are left", n)
			}
		})
	}
}

// fillDay gives each site a check a minute, hour by hour.
func (d *desk) fillDay(day time.Time) {
	for hour := range 24 {
		d.Run(storetest.FillHour, db.Micros(day.Add(time.Duration(hour)*time.Hour)))
	}
}

// longestWait returns the longest time that a small write waited while work was done.
func (d *desk) longestWait(b *testing.B, work func() error) (longest time.Duration) {
	ctx, cancel := context.WithCancel(b.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for ctx.Err() == nil {
			begun := time.Now()
			err := d.Uptime.InOwnTx(ctx, "wait", func(t uptimedb.Tx) error {
				longest = max(longest, time.Since(begun))
				_, err := t.Exec(ctx, `UPDATE site_states SET failures = failures WHERE 1 = 0`)
				return err
			})
			if err != nil && ctx.Err() == nil {
				b.Error(fmt.Errorf("wait: %w", err))
			}
			pauseBench(ctx)
		}
	})
	if err := work(); err != nil {
		b.Error(err)
	}
	cancel()
	writing.Wait()
	return longest
}

func pauseBench(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Millisecond):
	}
}
