package notify

import (
	"strings"
	"testing"
	"time"

	"sett/internal/notify/channel"
	"sett/internal/sett"
	"sett/internal/sett/alerts"
)

// Personal emails have times in the zone of the reader; those to the addresses of a channel have them in UTC.
func TestAlertsAreInTheZoneOfTheReader(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC)
	m := channel.Message{Text: "Down", Title: "Down", At: at, Facts: (&alertContext{Alert: alerts.Alert{Facts: alerts.AlertFacts{Site: &alerts.SiteFacts{DownAt: at}}}}).siteTable()}
	letters := NewAlertLetters("https://sett.example.org")
	_, plain, marked, err := letters.Personal(m, "", sett.TimeZoneOf("Europe/Berlin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{plain, marked} {
		if !strings.Contains(text, "19 November 2026, 00:30:00 CET") || strings.Count(text, "19 November 2026, 00:30:00 CET") != 2 || strings.Contains(text, "UTC") {
			t.Errorf("not in the zone of the reader:\n%s", text)
		}
	}
	if _, plain, _, err = letters.Letter(m); err != nil || !strings.Contains(plain, "18 November 2026, 23:30:00 UTC") || !strings.Contains(plain, "Down since: 18 November 2026, 23:30:00 UTC") {
		t.Errorf("%v, not in UTC:\n%s", err, plain)
	}
}

func TestMailsAreInTheZoneOfTheReader(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 18, 23, 30, 0, 0, time.UTC)
	for zone, want := range map[string]string{"America/New_York": "18 November 2026, 18:30 EST", "": "18 November 2026, 23:30 UTC"} {
		l, err := newLetters().write(alerts.PasswordChangedMail, facts{Server: "https://sett.example.org", At: at, Zone: sett.TimeZoneOf(zone)})
		if err != nil || !strings.Contains(l.text, want) || !strings.Contains(l.html, want) {
			t.Errorf("%q: %v, want %s in\n%s", zone, err, want, l.text)
		}
	}
}
