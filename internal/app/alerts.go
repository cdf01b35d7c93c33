package app

import (
	"context"
	"errors"
	"slices"
	"sync"

	"sett/internal/base/about"
	"sett/internal/base/loop"
	"sett/internal/notify"
	"sett/internal/notify/channel"
)

// notificationLoops are the loops that send notifications: queued emails, alerts, digests, and updates of status pages.
func (a *App) notificationLoops(email *channel.Email) []*loop.Loop {
	loops := slices.Concat([]*loop.Loop{a.lease.Loop(a.log)}, a.dispatcher.Loops(), a.statusNotifier.Loops(), a.mailer.Loops())
	if email != nil { // or digests would be dropped that are to be sent once there is a mail server
		digester := notify.Digester{Intake: a.store.Intake, Deliveries: a.store.Deliveries, Now: a.now, Log: a.log}
		loops = append(loops, digester.Loop())
	}
	return loops
}

// setUpNotifications creates the parts that send alerts, emails and updates of status pages. It needs the base URL.
func (a *App) setUpNotifications(email *channel.Email, domain string) {
	a.lease = notify.NewLease(a.store.Intake)
	letters := notify.NewAlertLetters(a.cfg.BaseURL)
	composer := &notify.Composer{Sheets: a.store.Sheets, BaseURL: a.cfg.BaseURL, ReportURL: a.cfg.ReportURL}
	tools := channel.Tools{Now: a.now, Email: email, Letter: letters.Letter, Agent: "sett/" + about.Current().Version + " (+" + a.cfg.BaseURL + ")"}
	strangers := tools
	tools.Egress, strangers.Egress = a.cfg.egress(), a.cfg.egress().Strangers()
	tools.HTTP, strangers.HTTP = a.outbound(tools.Egress).Client(channel.SendTimeout), a.outbound(strangers.Egress).Client(channel.SendTimeout)
	a.dispatcher = notify.NewDispatcher(notify.DispatcherOptions{DB: a.store.DB, Deliveries: a.store.Deliveries, Lease: a.lease, Composer: composer, Letters: letters, Tools: tools, Now: a.now, Log: a.log})
	a.statusNotifier = notify.NewStatusNotifier(notify.StatusNotifierOptions{DB: a.store.DB, Status: a.store.Status, Lease: a.lease, Tools: strangers, BaseURL: a.cfg.BaseURL, Now: a.now, Log: a.log})
	a.mailer = notify.NewMailer(notify.MailerOptions{DB: a.store.DB, Outbox: a.store.Outbox, Lease: a.lease, Email: email, BaseURL: a.cfg.BaseURL, Domain: domain, Now: a.now, Log: a.log})
}

// stopNotifications waits for all messages in flight at once, and records their results.
func (a *App) stopNotifications(ctx context.Context) error {
	senders := []interface{ Stop(context.Context) error }{a.dispatcher, a.statusNotifier, a.mailer}
	errs := make([]error, len(senders))
	var stopping sync.WaitGroup
	for i, s := range senders {
		stopping.Go(func() { errs[i] = s.Stop(ctx) })
	}
	stopping.Wait()
	return errors.Join(errs...)
}
