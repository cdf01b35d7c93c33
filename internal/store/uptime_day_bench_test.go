package store

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
)

// BenchmarkUptimeHistory measures what a day of minutely checks of many sites costs to sum up, to prune and to read, and
// for how long somebody else who writes waits meanwhile. It is for -benchtime 1x.
func BenchmarkUptimeHistory(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, benchStore(b, engine))
			d.live(noon, sett.Virginia)
			sites := d.manySites(1_000)
			day := sett.Day(noon)
			d.rollUp(day.Add(25 * time.Hour)) // as far as the day
			d.fillDay(day)
			d.run(`UPDATE site_states SET last_checked_at = $1`, db.Micros(day.Add(24*time.Hour-1)))
			step := func(name string, work func(context.Context) error) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						b.ReportMetric(float64(d.longestWait(b, func() error { return work(b.Context()) }).Milliseconds()), "ms-waited")
					}
				})
			}
			page := func(size int) func(context.Context) error {
				return func(ctx context.Context) error {
					_, _, err := d.ListUptimeChecks(ctx, d.ProjectID, sites[7].ID, SpanFilter{Page: sett.Page{Size: size}})
					return err
				}
			}
			step("page of 25", page(25))
			step("page of 25 again", page(25))
			step("page of 1440", page(1440))
			step("open day", func(ctx context.Context) error {
				_, err := d.UptimeDays(ctx, d.ProjectID, sites[7].ID, day, day.Add(24*time.Hour))
				return err
			})
			step("roll up", func(ctx context.Context) error { return d.RollUpChecks(ctx, day.Add(49*time.Hour)) })
			step("prune", func(ctx context.Context) error { return d.PruneChecks(ctx, day.Add(24*time.Hour)) })
			if n := d.count(`SELECT count(*) FROM uptime_checks WHERE 1 IN `, 1); n > 0 {
				b.Errorf("%d checks are left", n)
			}
		})
	}
}

const fillHour = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 59)
INSERT INTO uptime_checks (site_id, location, status, at, duration, up, reason)
SELECT s.id, 1, 200, CAST($1 AS bigint) + CAST(k.i AS bigint) * 60000000 + (s.id * 7919) % 60000000, 20000 + (s.id * 37 + k.i * 7919) % 90000, true, '' FROM k, sites s ORDER BY s.id, k.i`

// fillDay gives each site a check a minute, hour by hour.
func (d *desk) fillDay(day time.Time) {
	for hour := range 24 {
		d.run(fillHour, db.Micros(day.Add(time.Duration(hour)*time.Hour)))
	}
}

// longestWait returns the longest that somebody who writes a little again and again has waited while work was done.
func (d *desk) longestWait(b *testing.B, work func() error) (longest time.Duration) {
	ctx, cancel := context.WithCancel(b.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		for ctx.Err() == nil {
			begun := time.Now()
			err := d.inTx(ctx, "wait", func(t *tx) error {
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
