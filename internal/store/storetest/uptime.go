package storetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/db"
	"sett/internal/store/uptimedb"
)

// Agent makes an agent that is heard from a location.
func (d *Desk) Agent(l checks.Location, at time.Time) checks.Agent {
	d.T.Helper()
	a, err := d.Uptime.CreateAgent(d.T.Context(), at, string(l), "", []byte(l))
	if err != nil {
		d.T.Fatal(err)
	}
	d.AgentSeen(a, l, at)
	return a
}

func (d *Desk) AgentSeen(a checks.Agent, l checks.Location, at time.Time) (active bool) {
	d.T.Helper()
	active, err := d.Uptime.AgentSeen(d.T.Context(), at, a.ID, checks.AgentReport{Location: l, Version: "v1"})
	if err != nil {
		d.T.Fatal(err)
	}
	return active
}

// Hourly is the change that makes a check-in with that slug, which is to report every hour with 5 minutes of grace.
func Hourly(slug string) checks.CheckInChange {
	return checks.CheckInChange{
		Slug: sett.Some(slug), ReportPeriod: sett.Some[checks.PeriodText]("1 hour"), GracePeriod: sett.Some[checks.PeriodText]("5 minutes"),
	}
}

func (d *Desk) CheckIn(project int64, change checks.CheckInChange) checks.CheckIn {
	d.T.Helper()
	c, err := d.Uptime.CreateCheckIn(d.T.Context(), Noon, project, change)
	if err != nil {
		d.T.Fatal(err)
	}
	return c
}

// PingAt reports to check-ins by their ids and fails the test when one is not found.
func (d *Desk) PingAt(at time.Time, checkIns ...checks.CheckIn) {
	d.T.Helper()
	var pings []uptimedb.PingReport
	for _, c := range checkIns {
		pings = append(pings, uptimedb.PingReport{ID: c.ID, Ping: checks.Ping{At: at}})
	}
	found, err := d.Uptime.RecordPings(d.T.Context(), pings)
	for i := range pings {
		if err != nil || !found[i] {
			d.T.Fatalf("ping %d: %v, %v", i, found, err)
		}
	}
}

// SweepAll sweeps until there is no more to do and returns how many events came of it.
func (d *Desk) SweepAll(now time.Time, limit int) (rounds, events int) {
	d.T.Helper()
	for more := true; more; rounds++ {
		var n int
		var err error
		if more, n, err = d.Uptime.SweepCheckIns(d.T.Context(), now, limit); err != nil {
			d.T.Fatal(err)
		}
		events += n
	}
	return rounds, events
}

func (d *Desk) BeatAt(now time.Time) checks.BlindWindow {
	d.T.Helper()
	blind, err := d.Uptime.Beat(d.T.Context(), now, checks.Beginning{})
	if err != nil {
		d.T.Fatal(err)
	}
	return blind
}

func (d *Desk) SyncList(now time.Time, list ...checks.CheckInChange) (lines []string) {
	d.T.Helper()
	results, err := d.Uptime.SyncCheckIns(d.T.Context(), now, d.ProjectID, list)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, r := range results {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Operation, r.Slug, r.Problem)))
	}
	return lines
}

// Live makes locations live at a time and for long enough that none of them has just come.
func (d *Desk) Live(at time.Time, locations ...checks.Location) {
	d.T.Helper()
	for _, l := range locations {
		held, err := d.Uptime.Occupy(d.T.Context(), at.Add(-time.Hour), l, "test", false, time.Second)
		if err != nil || !held {
			d.T.Fatalf("%s is not live: %v", l, err)
		}
	}
	d.StaysLive(at)
}

// StaysLive renews the leases of live until a little after now, as those who hold them do all the time.
func (d *Desk) StaysLive(now time.Time) {
	d.T.Helper()
	d.Run(`UPDATE leases SET held_until = $1 WHERE holder = 'test'`, db.Micros(now.Add(checks.AgentSilence)))
}

// Look makes a report of a check that took a tenth of a second.
func Look(site checks.Site, l checks.Location, at time.Time, up bool, change ...func(*checks.CheckReport)) checks.CheckReport {
	r := checks.CheckReport{SiteID: site.ID, Location: l, Revision: site.Revision, Result: checks.ProbeResult{
		At: at, Duration: 100 * time.Millisecond, Up: up, Status: 200,
	}}
	if !up {
		r.Result.Status, r.Result.Reason = 503, "Expected 2xx status code -- got 503"
		r.Result.Headers, r.Result.Body = map[string]string{"server": "nginx"}, []byte("<h1>Sorry</h1>")
	}
	for _, f := range change {
		f(&r)
	}
	return r
}

// Checked records reports and returns what that brought about.
func (d *Desk) Checked(now time.Time, reports ...checks.CheckReport) (kinds []checks.SiteEventKind) {
	d.T.Helper()
	d.StaysLive(now)
	events, err := d.Uptime.RecordChecks(d.T.Context(), now, reports)
	if err != nil {
		d.T.Fatal(err)
	}
	for _, e := range events {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

func (d *Desk) OutagesOf(site checks.Site) []checks.Outage {
	d.T.Helper()
	found, _, err := d.Uptime.ListOutages(d.T.Context(), site.ProjectID, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 100}})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

func (d *Desk) ChecksOf(site checks.Site) []checks.UptimeCheck {
	d.T.Helper()
	found, _, err := d.Uptime.ListUptimeChecks(d.T.Context(), site.ProjectID, site.ID, uptimedb.SpanFilter{Page: sett.Page{Size: 100}})
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

func BenchStore(b *testing.B, engine string) *store.Store {
	if engine == "sqlite" {
		return OpenSQLite(b)
	}
	return OpenTest(b, db.Options{Database: FreshPostgres(b)})
}

// ManySites makes sites in one transaction.
func (d *Desk) ManySites(n int) (sites []checks.Site) {
	d.T.Helper()
	first := d.Site(d.ProjectID)
	d.Run(`WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < $1)
		INSERT INTO sites (uuid, project_id, active, frequency, timeout, outage_threshold, locations, revision, target_revision, asked_at,
			asked_by, created_at, updated_at, name, url, match_type, match_value, request_method, validate_ssl, request_headers, request_body)
		SELECT `+map[string]string{"sqlite": `randomblob(16)`, "postgres": `decode(md5(i::text), 'hex')`}[d.Engine()]+`, project_id, active,
			frequency, timeout, outage_threshold, locations, revision, target_revision, asked_at,
			asked_by, created_at, updated_at, name, 'https://shop.example.test/health', match_type, match_value, request_method, validate_ssl, 'null', ''
		FROM k, sites WHERE project_id = $2`, n-1, first.ProjectID)
	d.Run(`INSERT INTO site_states (site_id, state, changed_at, last_checked_at, failures, failing_since, cert_fingerprint, cert_not_after, cert_warned)
		SELECT s.id, 'pending', 0, 0, 0, 0, '', 0, 0 FROM sites s WHERE s.id NOT IN (SELECT site_id FROM site_states)`)
	found, _, err := d.Uptime.ListSites(d.T.Context(), first.ProjectID, sett.Page{Size: n})
	if err != nil {
		d.T.Fatal(err)
	}
	for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(len(found)) { // as their phases lie
		sites = append(sites, found[i])
	}
	return sites
}

// Site makes a site of a project, changed as the caller likes.
func (d *Desk) Site(project int64, change ...func(*checks.SiteChange)) checks.Site {
	d.T.Helper()
	c := checks.SiteChange{URL: sett.Some("https://shop.example.test/health"), Frequency: sett.Some(int64(1))}
	for _, f := range change {
		f(&c)
	}
	site, err := d.Uptime.CreateSite(d.T.Context(), Noon, project, c)
	if err != nil {
		d.T.Fatal(err)
	}
	return site
}

func (d *Desk) FindSite(site checks.Site) checks.Site {
	d.T.Helper()
	found, err := d.Uptime.SiteByID(d.T.Context(), site.ProjectID, site.ID)
	if err != nil {
		d.T.Fatal(err)
	}
	return found
}

func (d *Desk) RollUp(now time.Time) {
	d.T.Helper()
	if err := d.Uptime.RollUpChecks(d.T.Context(), now); err != nil {
		d.T.Fatal(err)
	}
}

const FillHour = `WITH RECURSIVE k(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM k WHERE i < 59)
INSERT INTO uptime_checks (site_id, location, status, at, duration, up, reason)
SELECT s.id, 1, 200, CAST($1 AS bigint) + CAST(k.i AS bigint) * 60000000 + (s.id * 7919) % 60000000, 20000 + (s.id * 37 + k.i * 7919) % 90000, true, '' FROM k, sites s ORDER BY s.id, k.i`

// Named gives a site a name.
func Named(name string) func(*checks.SiteChange) {
	return func(c *checks.SiteChange) { c.Name = sett.Some(name) }
}
