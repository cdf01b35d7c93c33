package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/store/db"
	"sett/internal/store/uptime"
)

// BenchmarkRecordChecks records checks of 10,000 sites in turn, as one location reports them; ns/op is for one check.
func BenchmarkRecordChecks(b *testing.B) {
	for _, engine := range []string{"sqlite", "postgres"} {
		for _, size := range []int{32, 64, 256} {
			b.Run(fmt.Sprintf("%s/%d", engine, size), func(b *testing.B) {
				s := benchStore(b, engine)
				benchChecks(b, s, size)
			})
		}
	}
}

func benchStore(b *testing.B, engine string) *Store {
	if engine == "sqlite" {
		return openSQLite(b)
	}
	return openTest(b, db.Options{Database: freshPostgres(b)})
}

func benchChecks(b *testing.B, s *Store, size int) {
	d := newDesk(b, s)
	d.live(noon, sett.Virginia)
	sites := d.manySites(10_000)
	before, err := s.DiskBytes(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	written := bytesWritten(b)
	var batch []sett.CheckReport
	i := 0
	for b.Loop() {
		at := noon.Add(time.Duration(i) * 6 * time.Millisecond)
		batch = append(batch, look(sites[i%len(sites)], sett.Virginia, at, true))
		if i++; len(batch) == size {
			d.checked(at.Add(time.Second), batch...)
			batch = batch[:0]
		}
	}
	b.ReportMetric(float64(bytesWritten(b)-written)/1024/float64(i), "KB-written/check") // SQLite's; PostgreSQL has processes of its own
	after, err := s.DiskBytes(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(after-before)/float64(i), "B/check")
}

// bytesWritten is what this process has handed to the system to be written, in bytes.
func bytesWritten(b *testing.B) (n int64) {
	b.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d\nwchar: %d", new(int64), &n); err != nil {
		b.Fatal(err)
	}
	return n
}

// manySites makes sites in one transaction.
func (d *desk) manySites(n int) (sites []sett.Site) {
	d.t.Helper()
	first := d.site(d.ProjectID)
	d.run(`WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < $1)
		INSERT INTO sites (uuid, project_id, active, frequency, timeout, outage_threshold, locations, revision, target_revision, asked_at,
			asked_by, created_at, updated_at, name, url, match_type, match_value, request_method, validate_ssl, request_headers, request_body)
		SELECT `+map[string]string{"sqlite": `randomblob(16)`, "postgres": `decode(md5(i::text), 'hex')`}[d.Engine()]+`, project_id, active,
			frequency, timeout, outage_threshold, locations, revision, target_revision, asked_at,
			asked_by, created_at, updated_at, name, url, match_type, match_value, request_method, validate_ssl, request_headers, request_body
		FROM k, sites WHERE project_id = $2`, n-1, first.ProjectID)
	d.run(`INSERT INTO site_states SELECT s.id, 'pending', 0, 0, 0, 0, '', 0, 0 FROM sites s WHERE s.id NOT IN (SELECT site_id FROM site_states)`)
	found, err := d.Sites(d.t.Context(), d.Read, uptime.SitesOf+"ORDER BY s.id")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(found)) { // as their phases lie
		sites = append(sites, found[i].Site)
	}
	return sites
}
