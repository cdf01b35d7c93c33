package app

import (
	"slices"

	"sett/internal/channel"
	"sett/internal/dial"
	"sett/internal/loop"
	"sett/internal/notify"
)

// telling are the loops that tell people: by mails that are queued, of alerts, by digests, and what status pages tell.
func (a *App) telling(email *channel.Email, domain string) []*loop.Loop {
	mailer := notify.NewMailer(notify.MailerOptions{Store: a.store, Email: email, BaseURL: a.cfg.BaseURL, Domain: domain, Now: a.now, Log: a.log})
	loops := slices.Concat(a.courier.Loops(), a.teller.Loops(), []*loop.Loop{mailer.Loop()})
	if email != nil { // or digests would be dropped that are to be told once there is a mail server
		digester := notify.Digester{Store: a.store, Now: a.now, Log: a.log}
		loops = append(loops, digester.Loop())
	}
	return loops
}

// setUpTelling makes what tells people of alerts, and what status pages tell. It needs to know the base URL.
func (a *App) setUpTelling(email *channel.Email) {
	letters := notify.NewAlertLetters(a.cfg.BaseURL)
	composer := &notify.Composer{Store: a.store, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL}
	egress := dial.Policy{Allow: a.cfg.EgressAllow, Deny: a.cfg.EgressDeny}
	tools := channel.Tools{
		Now: a.now, HTTP: dial.New(egress).Client(channel.SendTimeout), Egress: egress, Email: email, Letter: letters.Letter,
		Agent: "sett/" + Version() + " (+" + a.cfg.BaseURL + ")",
	}
	a.courier = notify.NewCourier(notify.CourierOptions{Store: a.store, Composer: composer, Letters: letters, Tools: tools, Now: a.now, Log: a.log})
	a.teller = notify.NewStatusTeller(notify.StatusTellerOptions{Store: a.store, Tools: tools, BaseURL: a.cfg.BaseURL, Now: a.now, Log: a.log})
}
