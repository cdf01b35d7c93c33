package notify

import (
	"strings"
	"testing"

	"sett/internal/sett/alerts"
	"sett/internal/store/sheet"
)

// A message that is sent on says why, and one about a problem at which a person looks says who, and has no link to acknowledge it again.
func TestMessagesOfEscalations(t *testing.T) {
	t.Parallel()
	a := sampleContext(alerts.AlertDown, "https://sett.example.org").Alert
	a.ID, a.Facts.Escalation = 12, &alerts.EscalationFacts{Minutes: 15, From: "Chat (Slack)"}
	m, err := newContext(a, sheet.Alert{}, "https://sett.example.org", "").message()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(m.Text, "(not acknowledged for 15 minutes)") || !strings.HasPrefix(m.Headline(), "Not acknowledged for 15 minutes") ||
		!strings.HasPrefix(m.Detail, "Sent on from Chat (Slack)") || m.Acknowledge != "https://sett.example.org/acknowledge/12" {
		t.Errorf("%q, %q, %q, %q", m.Text, m.Headline(), m.Detail, m.Acknowledge)
	}
	p := &alerts.Problem{Subject: a.Subject, Began: a.CreatedAt, Acknowledgement: &alerts.Acknowledgement{By: sampleAnn(), At: sampleNow()}}
	if m, err = newContext(a, sheet.Alert{Problem: p}, "https://sett.example.org", "").message(); err != nil {
		t.Fatal(err)
	}
	if text := m.Facts[len(m.Facts)-2]; text.Name != "Looking at it" || text.Value != "Ann" || m.Acknowledge != "" {
		t.Errorf("%+v, %q", m.Facts, m.Acknowledge)
	}
}
