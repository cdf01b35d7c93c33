package statusdb_test

import (
	"testing"
	"time"

	"sett/internal/sett/accounts"
	"sett/internal/sett/checks"
	"sett/internal/store/db"
	"sett/internal/store/storetest"
)

// BenchmarkStatusView reads a page of fifty components with ninety days and thirty outages each, among six times as many.
func BenchmarkStatusView(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		b.Run(engine, func(b *testing.B) {
			d := newDesk(b, storetest.BenchStore(b, engine))
			d.ManySites(300)
			now := d.fillSites(accounts.Day(storetest.Noon))
			d.fillCheckIns(b, 300, now)
			d.Run(storetest.InsertTestPage, "sites", d.AccountID, []byte{})
			d.Run(storetest.InsertTestPage, "check-ins", d.AccountID, []byte{})
			d.Run(`INSERT INTO status_components (page, position, site_id, display_name, description)
				SELECT p.number, s.id, s.id, '', '' FROM status_pages p, sites s WHERE p.id = 'sites' AND s.id % 6 = 0`)
			d.Run(`INSERT INTO status_components (page, position, check_in, display_name, description)
				SELECT p.number, c.number, c.number, '', '' FROM status_pages p, check_ins c WHERE p.id = 'check-ins' AND c.number % 6 = 0`)
			d.Run(`ANALYZE`)
			for _, page := range []string{"sites", "check-ins"} {
				b.Run(page, func(b *testing.B) {
					for b.Loop() {
						components := d.View(now, page)
						if n := len(components); n != 50 || components[0].Outages() != 30 || len(storetest.DaysShown(components[7])) < 30 {
							b.Fatalf("%d components, %d outages: %q", n, components[0].Outages(), components[0].Summary("en"))
						}
					}
				})
			}
			b.Run("response times", func(b *testing.B) {
				page := d.FindStatusPage("sites").Number
				for b.Loop() {
					if times, err := d.Status.ResponseTimes(b.Context(), now, page); err != nil || len(times) != 50 {
						b.Fatalf("%d sites, %v", len(times), err)
					}
				}
			})
		})
	}
}

const fillDays = `WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 89)
INSERT INTO uptime_days (site_id, day, location, checks, failed, total, latencies)
SELECT s.id, CAST($1 AS bigint) - k.i * 86400000000, l.location, 1440, 10, 1440 * 50000, $2 FROM sites s, k, (SELECT 1 AS location UNION SELECT 2 UNION SELECT 3) l`

const fillOutages = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 79)
INSERT INTO outages (site_id, down_at, up_at, created_at, status, reason, headers, location, phase, body)
SELECT s.id, CAST($1 AS bigint) - k.i * 3 * 86400000000, CAST($1 AS bigint) - k.i * 3 * 86400000000 + 600000000, CAST($1 AS bigint) - k.i * 3 * 86400000000 + 60000000,
	503, 'Expected 2xx status code -- got 503', '{}', 'London', '', $2
FROM k, sites s ORDER BY k.i DESC`

// fillSites gives every site ninety days of checks from three places, the last of which is not rolled up, and an outage
// every third day for a year. It returns the end of the last day.
func (d *desk) fillSites(day time.Time) (now time.Time) {
	d.T.Helper()
	latencies := checks.Latencies{}
	for i := range 40 {
		latencies.Add(time.Duration(i*i+1) * time.Millisecond)
	}
	d.Run(`UPDATE sites SET created_at = 0`)
	d.Run(fillDays, db.Micros(day), latencies.Encode())
	d.Run(storetest.FillCheckedDays)
	d.Run(fillOutages, db.Micros(day.Add(time.Hour)), make([]byte, 4096))
	d.Run(`UPDATE uptime_progress SET day = $1`, db.Micros(day.Add(-24*time.Hour)))
	for hour := range 24 {
		d.Run(storetest.FillHour, db.Micros(day.Add(time.Duration(hour)*time.Hour)))
	}
	now = day.Add(24*time.Hour - time.Minute)
	d.Run(`UPDATE site_states SET last_checked_at = $1, state = 'up'`, db.Micros(now))
	return now
}

// fillCheckIns makes check-ins that were missing for ten minutes every third day.
func (d *desk) fillCheckIns(b *testing.B, n int, now time.Time) {
	var list []checks.CheckInChange
	for i := range n {
		list = append(list, storetest.Hourly("job-"+string(rune('a'+i/26))+string(rune('a'+i%26))))
	}
	if _, err := d.Uptime.SyncCheckIns(b.Context(), storetest.Noon, d.ProjectID, list); err != nil {
		b.Fatal(err)
	}
	day := db.Micros(accounts.Day(now))
	d.Run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, 'reporting' FROM check_ins`, day-100*86_400_000_000)
	for i := 29; i >= 0; i-- {
		at := day - int64(i)*3*86_400_000_000
		d.Run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, 'missing' FROM check_ins`, at)
		d.Run(`INSERT INTO check_in_turns (check_in, at, state) SELECT number, $1, 'reporting' FROM check_ins`, at+600_000_000)
	}
	for i := range 900 {
		at := now.Add(-time.Duration(i) * 2 * time.Hour)
		d.Run(`INSERT INTO blind_windows (from_at, to_at) VALUES ($1, $2)`, db.Micros(at), db.Micros(at.Add(time.Minute)))
	}
}
