package app

import (
	"sett/internal/channel"
	"sett/internal/dial"
	"sett/internal/loop"
	"sett/internal/notify"
)

// telling are the loops that tell people: by mails that are queued, of alerts, by digests, and what status pages tell.
func (a *App) telling(email *channel.Email, domain string) []*loop.Loop {
	mailer := notify.NewMailer(notify.MailerOptions{Store: a.store, Email: email, BaseURL: a.cfg.BaseURL, Domain: domain, Now: a.now, Log: a.log})
	teller := notify.NewStatusTeller(notify.StatusTellerOptions{Store: a.store, Email: email, BaseURL: a.cfg.BaseURL, Now: a.now, Log: a.log})
	loops := append(a.courier.Loops(), mailer.Loop(), teller.Loop())
	if email != nil { // or digests would be dropped that are to be told once there is a mail server
		digester := notify.Digester{Store: a.store, Now: a.now, Log: a.log}
		loops = append(loops, digester.Loop())
	}
	return loops
}

// newCourier is what takes alerts to people. It needs to know the base URL.
func (a *App) newCourier(email *channel.Email) *notify.Courier {
	letters := notify.NewAlertLetters(a.cfg.BaseURL)
	composer := &notify.Composer{Store: a.store, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL}
	egress := dial.Policy{Allow: a.cfg.EgressAllow, Deny: a.cfg.EgressDeny}
	return notify.NewCourier(notify.CourierOptions{
		Store: a.store, Composer: composer, Letters: letters, Now: a.now, Log: a.log,
		Tools: channel.Tools{
			Now: a.now, HTTP: dial.New(egress).Client(channel.SendTimeout), Egress: egress, Email: email, Letter: letters.Letter,
			Agent: "sett/" + Version() + " (+" + a.cfg.BaseURL + ")",
		},
	})
}
