package app

import (
	"sett/internal/channel"
	"sett/internal/dial"
	"sett/internal/notify"
)

// courier is what takes alerts to people. It needs to know the base URL.
func (a *App) courier(email *channel.Email) *notify.Courier {
	composer := notify.NewComposer(notify.ComposerOptions{Store: a.store, BaseURL: a.cfg.BaseURL})
	outside := dial.New(dial.Policy{Allow: a.cfg.EgressAllow, Deny: a.cfg.EgressDeny})
	return notify.NewCourier(notify.CourierOptions{
		Store: a.store, Compose: composer.Compose, Now: a.now, Log: a.log,
		Tools: channel.Tools{HTTP: outside.Client(channel.SendTimeout), Email: email, Agent: "sett/" + Version() + " (+" + a.cfg.BaseURL + ")"},
	})
}
