package uptimedb_test

import (
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/sett/checks"
	"sett/internal/store"
	"sett/internal/store/storetest"
)

func TestOutagesRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		at := func(minutes int) time.Time { return storetest.Noon.Add(time.Duration(minutes) * time.Minute) }
		now := func(minutes int) time.Time { return at(minutes).Add(time.Second) }
		raised := func(event alerts.AlertEvent, minutes int, facts alerts.SiteFacts) alerts.Alert {
			facts.ID, facts.Name, facts.URL, facts.LastCheckedAt = site.ID.String(), site.Name, site.URL, at(minutes)
			return alerts.Alert{
				ProjectID: d.ProjectID, Event: event, Subject: alerts.SiteSubject(site.ID), At: at(minutes), CreatedAt: now(minutes),
				Facts: alerts.AlertFacts{Site: &facts},
			}
		}
		outage := alerts.SiteFacts{
			State: sett.SiteDown, DownAt: at(2), ConfirmedAt: now(2), Location: string(checks.Virginia), Status: 503, Reason: "Expected 2xx status code -- got 503", Headers: map[string]string{"server": "nginx"},
		}
		d.Checked(now(1), storetest.Look(site, checks.Virginia, at(1), true))
		d.WantRaised("the first check")
		d.Checked(now(2), storetest.Look(site, checks.Virginia, at(2), false))
		d.WantRaised("down", raised(alerts.AlertDown, 2, outage))
		d.Checked(now(3), storetest.Look(site, checks.Virginia, at(3), false))
		d.WantRaised("still down")
		d.Checked(now(4), storetest.Look(site, checks.Virginia, at(4), true))
		outage.State, outage.UpAt = sett.SiteUp, at(4)
		d.WantRaised("up", raised(alerts.AlertUp, 4, outage))

		d.Checked(now(6), storetest.Look(site, checks.Virginia, at(6), true), storetest.Look(site, checks.Virginia, at(5), false))
		outage.DownAt, outage.ConfirmedAt, outage.UpAt = at(5), now(6), at(6)
		up := raised(alerts.AlertUp, 6, outage)
		outage.State, outage.UpAt = sett.SiteDown, time.Time{}
		down := raised(alerts.AlertDown, 5, outage)
		down.CreatedAt = now(6)
		d.WantRaised("a whole outage in one batch", down, up)

		d.Checked(now(8), storetest.Look(site, checks.Virginia, at(8), true))
		backfilled := func(r *checks.CheckReport) { r.Backfilled = true }
		d.Checked(now(9), storetest.Look(site, checks.Virginia, at(9), false, backfilled), storetest.Look(site, checks.Virginia, at(7), false))
		d.WantRaised("backfilled, and overtaken")
	})
}

// Reports of agents on standby change the history, and send no notifications.
func TestUploadsRaiseAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		first := d.Agent(checks.Oregon, storetest.Noon.Add(-time.Hour))
		standby, err := d.Uptime.CreateAgent(t.Context(), storetest.Noon, "Standby", "", []byte("standby"))
		if err != nil {
			t.Fatal(err)
		}
		site := d.Site(d.ProjectID)
		at := storetest.Noon
		upload := func(a checks.Agent, sequence int64, up bool) (events []alerts.AlertEvent) {
			at = at.Add(time.Second)
			d.AgentSeen(first, checks.Oregon, at)
			d.uploaded(at, a, checks.Oregon, sequence, storetest.Look(site, checks.Oregon, at.Add(-200*time.Millisecond), up))
			for _, alert := range d.Raised() {
				events = append(events, alert.Event)
			}
			return events
		}
		upload(first, 1, true)
		if got := upload(standby, 1, false); len(got) > 0 {
			t.Errorf("of an agent on standby: %v", got)
		}
		if got := upload(first, 2, false); len(got) != 1 || got[0] != alerts.AlertDown {
			t.Errorf("down: %v", got)
		}
		if got := upload(first, 2, true); len(got) > 0 {
			t.Errorf("a batch that was there before: %v", got)
		}
		if got := upload(first, 3, true); len(got) != 1 || got[0] != alerts.AlertUp {
			t.Errorf("up: %v", got)
		}
	})
}

func TestTheEndOfACertificateRaisesAlerts(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Live(storetest.Noon, checks.Virginia)
		site := d.Site(d.ProjectID)
		ends := storetest.Noon.Add(10 * 24 * time.Hour)
		certificate := func(r *checks.CheckReport) {
			r.Result.Certificate = &checks.ProbeCertificate{Fingerprint: "a", NotAfter: ends, Authority: "Deputy"}
		}
		for range 2 {
			d.Checked(storetest.Noon, storetest.Look(site, checks.Virginia, storetest.Noon.Add(-time.Second), true, certificate))
		}
		d.WantRaised("once", alerts.Alert{
			ProjectID: d.ProjectID, Event: alerts.AlertCertWillExpire, Subject: alerts.SiteSubject(site.ID), At: storetest.Noon, CreatedAt: storetest.Noon,
			Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{
				ID: site.ID.String(), Name: site.Name, URL: site.URL, State: sett.SiteUp, LastCheckedAt: storetest.Noon.Add(-time.Second), CertWillExpireAt: ends, CertAuthority: "Deputy", Days: 14,
			}},
		})
		if got := d.FindSite(site).CertAuthority; got != "Deputy" {
			t.Errorf("the site's page names %q", got)
		}
		d.Checked(storetest.Noon.Add(time.Minute), storetest.Look(site, checks.Virginia, storetest.Noon.Add(59*time.Second), true, func(r *checks.CheckReport) {
			r.Result.Certificate = &checks.ProbeCertificate{Fingerprint: "b", NotAfter: ends}
		}))
		if got := d.FindSite(site).CertAuthority; got != "" {
			t.Errorf("the site's page names %q though its own certificate ends first", got)
		}
	})
}
