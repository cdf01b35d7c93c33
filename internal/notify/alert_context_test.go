package notify_test

import (
	"strings"
	"testing"

	"sett/internal/app"
	"sett/internal/setttest"
	"sett/internal/setttest/mailserver"
)

// In the whole program a commit wakes the mailer, and the mail has the link that people follow.
func TestInvitationArrives(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			mails := mailserver.Start(t, mailserver.Options{NoTLS: true})
			s := setttest.Start(t, engine, func(c *app.Config) {
				c.SMTPURL, c.MailFrom = "smtp://"+mails.Addr+"?tls=none", "Acme errors <errors@example.org>"
			})
			made := s.Post("/v2/accounts/"+s.Setup.AccountID+"/invitations", map[string]any{"invitation": map[string]any{"email": "new@example.test"}})
			m := mails.Next(t)
			if m.To != "new@example.test" || m.Header.Get("From") != `"Acme errors" <errors@example.org>` || m.Header.Get("Subject") != "Olga Owner invited you to join Acme on sett" {
				t.Errorf("from %s to %s: %s", m.Header.Get("From"), m.To, m.Header.Get("Subject"))
			}
			text, shown := strings.ReplaceAll(string(m.Raw), "=\r\n", ""), made.Want(201).JSON()["token"].(string)
			if !strings.Contains(text, s.App.BaseURL()+"/invitations/sett_i_") || strings.Contains(text, shown) {
				t.Errorf("the mail has no link of its own, or that of the interface, %s:\n%s", shown, m.Raw)
			}
		})
	}
}
