package store

import (
	"testing"
	"time"

	"sett/internal/sett"
)

func TestOutagesAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.live(noon, sett.Virginia)
		site := d.site(d.ProjectID)
		at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
		now := func(minutes int) time.Time { return at(minutes).Add(time.Second) }
		told := func(event sett.AlertEvent, minutes int, facts sett.SiteFacts) sett.Alert {
			facts.ID, facts.Name, facts.URL, facts.LastCheckedAt = site.ID.String(), site.Name, site.URL, at(minutes)
			return sett.Alert{
				ProjectID: d.ProjectID, Event: event, Subject: sett.SiteSubject(site.ID), At: at(minutes), CreatedAt: now(minutes),
				Facts: sett.AlertFacts{Site: &facts},
			}
		}
		outage := sett.SiteFacts{
			State: sett.SiteDown, DownAt: at(2), Status: 503, Reason: "Expected 2xx status code -- got 503", Headers: map[string]string{"server": "nginx"},
		}
		d.checked(now(1), look(site, sett.Virginia, at(1), true))
		d.wantRaised("the first check")
		d.checked(now(2), look(site, sett.Virginia, at(2), false))
		d.wantRaised("down", told(sett.AlertDown, 2, outage))
		d.checked(now(3), look(site, sett.Virginia, at(3), false))
		d.wantRaised("still down")
		d.checked(now(4), look(site, sett.Virginia, at(4), true))
		outage.State, outage.UpAt = sett.SiteUp, at(4)
		d.wantRaised("up", told(sett.AlertUp, 4, outage))

		d.checked(now(6), look(site, sett.Virginia, at(6), true), look(site, sett.Virginia, at(5), false))
		outage.DownAt, outage.UpAt = at(5), at(6)
		up := told(sett.AlertUp, 6, outage)
		outage.State, outage.UpAt = sett.SiteDown, time.Time{}
		down := told(sett.AlertDown, 5, outage)
		down.CreatedAt = now(6)
		d.wantRaised("a whole outage in one batch", down, up)

		d.checked(now(8), look(site, sett.Virginia, at(8), true))
		backfilled := func(r *sett.CheckReport) { r.Backfilled = true }
		d.checked(now(9), look(site, sett.Virginia, at(9), false, backfilled), look(site, sett.Virginia, at(7), false))
		d.wantRaised("found while nobody could be told, and overtaken")
	})
}

// Agents that are not who checks from their location change history, and people hear nothing of it.
func TestUploadsAreTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		first := d.agent(sett.Oregon, noon.Add(-time.Hour))
		standby, err := d.CreateAgent(t.Context(), noon, "Standby", "", []byte("standby"))
		if err != nil {
			t.Fatal(err)
		}
		site := d.site(d.ProjectID)
		at := noon
		upload := func(a sett.Agent, sequence int64, up bool) (events []sett.AlertEvent) {
			at = at.Add(time.Second)
			d.heard(first, sett.Oregon, at)
			d.uploaded(at, a, sett.Oregon, sequence, look(site, sett.Oregon, at.Add(-200*time.Millisecond), up))
			for _, alert := range d.raised() {
				events = append(events, alert.Event)
			}
			return events
		}
		upload(first, 1, true)
		if got := upload(standby, 1, false); len(got) > 0 {
			t.Errorf("of an agent on standby: %v", got)
		}
		if got := upload(first, 2, false); len(got) != 1 || got[0] != sett.AlertDown {
			t.Errorf("down: %v", got)
		}
		if got := upload(first, 2, true); len(got) > 0 {
			t.Errorf("a batch that was there before: %v", got)
		}
		if got := upload(first, 3, true); len(got) != 1 || got[0] != sett.AlertUp {
			t.Errorf("up: %v", got)
		}
	})
}

func TestTheEndOfACertificateIsTold(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		d := newDesk(t, s)
		d.live(noon, sett.Virginia)
		site := d.site(d.ProjectID)
		ends := noon.Add(10 * 24 * time.Hour)
		certificate := func(r *sett.CheckReport) {
			r.Result.Certificate = &sett.ProbeCertificate{Fingerprint: "a", NotAfter: ends}
		}
		for range 2 {
			d.checked(noon, look(site, sett.Virginia, noon.Add(-time.Second), true, certificate))
		}
		d.wantRaised("once", sett.Alert{
			ProjectID: d.ProjectID, Event: sett.AlertCertWillExpire, Subject: sett.SiteSubject(site.ID), At: noon, CreatedAt: noon,
			Facts: sett.AlertFacts{Site: &sett.SiteFacts{
				ID: site.ID.String(), Name: site.Name, URL: site.URL, State: sett.SiteUp, LastCheckedAt: noon.Add(-time.Second), CertWillExpireAt: ends, Days: 14,
			}},
		})
	})
}
