package app

import (
	"slices"

	"sett/internal/channel"
	"sett/internal/loop"
	"sett/internal/notify"
)

// telling are the loops that send notifications: queued emails, alerts, digests, and updates of status pages.
func (a *App) telling(email *channel.Email, domain string) []*loop.Loop {
	mailer := notify.NewMailer(notify.MailerOptions{DB: a.store.DB, Outbox: a.store.Outbox, Email: email, BaseURL: a.cfg.BaseURL, Domain: domain, Now: a.now, Log: a.log})
	loops := slices.Concat(a.dispatcher.Loops(), a.statusNotifier.Loops(), []*loop.Loop{mailer.Loop()})
	if email != nil { // or digests would be dropped that are to be sent once there is a mail server
		digester := notify.Digester{Intake: a.store.Intake, Deliveries: a.store.Deliveries, Now: a.now, Log: a.log}
		loops = append(loops, digester.Loop())
	}
	return loops
}

// setUpTelling creates the parts that send alerts and updates of status pages. It needs the base URL.
func (a *App) setUpTelling(email *channel.Email) {
	letters := notify.NewAlertLetters(a.cfg.BaseURL)
	composer := &notify.Composer{DB: a.store.DB, Accounts: a.store.Accounts, Uptime: a.store.Uptime, Faults: a.store.Faults, Intake: a.store.Intake, Deliveries: a.store.Deliveries, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL}
	tools := channel.Tools{Now: a.now, Email: email, Letter: letters.Letter, Agent: "sett/" + Version() + " (+" + a.cfg.BaseURL + ")"}
	strangers := tools
	tools.Egress, strangers.Egress = a.cfg.egress(), a.cfg.egress().Strangers()
	tools.HTTP, strangers.HTTP = a.outbound(tools.Egress).Client(channel.SendTimeout), a.outbound(strangers.Egress).Client(channel.SendTimeout)
	a.dispatcher = notify.NewDispatcher(notify.DispatcherOptions{DB: a.store.DB, Deliveries: a.store.Deliveries, Composer: composer, Letters: letters, Tools: tools, Now: a.now, Log: a.log})
	a.statusNotifier = notify.NewStatusNotifier(notify.StatusNotifierOptions{DB: a.store.DB, Outbox: a.store.Outbox, Status: a.store.Status, Deliveries: a.store.Deliveries, Tools: strangers, BaseURL: a.cfg.BaseURL, Now: a.now, Log: a.log})
}
