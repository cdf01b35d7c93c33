package notify

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sett/internal/sett"
	"sett/internal/sett/alerts"
	"sett/internal/setttest/mailserver"
)

// fullDigest is one with all that a digest has, of texts that try to be more than texts.
func fullDigest() digest {
	to := time.Date(2026, 11, 18, 8, 0, 0, 0, time.UTC)
	d := alerts.PersonalDigest{From: to.Add(-24 * time.Hour), To: to}
	d.New = alerts.DigestPart[alerts.DigestFault]{Count: 12, Rows: []alerts.DigestFault{
		{ID: 1, Class: "Run<script>", Message: "boom\r\n<i>now</i> \u202e" + strings.Repeat("long ", 60), Environment: "production", Notices: 3}, {ID: 2},
	}}
	d.Frequent = alerts.DigestPart[alerts.DigestFault]{Count: 1, Rows: []alerts.DigestFault{{ID: 3, Class: "E", Environment: "qa", Notices: 1}}}
	d.Resolved = alerts.DigestPart[alerts.DigestFault]{Count: 1, Rows: []alerts.DigestFault{{ID: 4, Message: "no class"}}}
	d.Outages = alerts.DigestPart[alerts.DigestOutage]{Count: 2, Rows: []alerts.DigestOutage{
		{SiteID: "5173a000-0000-4000-8000-000000000001", Site: "Front", DownAt: to.Add(-90 * time.Minute), Reason: "Expected 2xx status code -- got 503"},
		{SiteID: "5173a000-0000-4000-8000-000000000002", DownAt: to.Add(-3 * time.Hour), UpAt: to.Add(-3*time.Hour + 83*time.Second)},
	}}
	d.Missed = alerts.DigestPart[alerts.DigestMiss]{Count: 3, Rows: []alerts.DigestMiss{
		{CheckInID: "BACKUP", CheckIn: "Backup", Count: 2, Failed: 3}, {CheckInID: "X", Count: 1}, {CheckInID: "Y", CheckIn: "Report", Failed: 1},
	}}
	d.Deploys = alerts.DigestPart[alerts.DigestDeploy]{Count: 2, Rows: []alerts.DigestDeploy{{Environment: "production", Revision: "4f2a9c1", By: "josh", At: to.Add(-time.Hour)}, {At: to}}}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	made, err := newDigest(map[string]string{"interval": "daily", "digest": string(text)}, "https://sett.example.org/projects/7", time.UTC)
	if err != nil {
		panic(err)
	}
	return made
}

func TestDigestThatCannotBeRead(t *testing.T) {
	t.Parallel()
	if _, err := newDigest(map[string]string{"digest": "{"}, "", time.UTC); err == nil {
		t.Error("it was read")
	}
}

// At eight, those who want a digest get one mail, whatever the number of nodes and rounds; after a quiet day they get none.
func TestDigestIsSentOnce(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(s *scene) {
		server, c := mailserver.Start(s.t, mailserver.Options{}), newClock()
		mailer := newMailer(s.t, s.Store, c, server, &bytes.Buffer{})
		digesters := []*Digester{{s.Store.Intake, s.Store.Deliveries, c.Now, slog.New(slog.DiscardHandler)}, {s.Store.Intake, s.Store.Deliveries, c.Now, slog.New(slog.DiscardHandler)}}
		round := func() {
			for _, d := range digesters {
				if more, err := d.round(s.t.Context()); more || err != nil {
					s.t.Fatal(more, err)
				}
			}
			mailer.drain(s.t)
		}
		s.must(s.Store.Deliveries.UpdatePersonalAlerts(s.t.Context(), c.Now(), s.setup.UserID, s.project.ID, alerts.PersonalAlertsChange{Digest: sett.Some("daily")}))
		round()
		c.Push(21*time.Hour + 30*time.Minute) // 8:00
		round()
		if n := len(server.Mails()); n != 0 {
			s.t.Fatalf("%d mails before all is counted", n)
		}
		c.Push(time.Minute)
		round()
		round()
		m := server.Next(s.t)
		if got := m.Header.Get("Subject"); m.To != ann.Email || got != "[Shop] Daily digest" {
			s.t.Errorf("to %s: %s", m.To, got)
		}
		checkUnsubscribe(s, m)
		c.Push(24 * time.Hour)
		round()
		if n := len(server.Mails()); n != 1 {
			s.t.Errorf("%d mails after a quiet day, want 1", n)
		}
	})
}
