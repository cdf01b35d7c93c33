package app

import (
	"sett/internal/base/loop"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/sett/accounts"
	"sett/internal/store/statusdb"
	"sett/internal/web/statuspage"
)

// newStatusPages creates the public status pages. Their passwords are throttled separately from sign-ins, so that no one can
// lock users out by guessing.
func (a *App) newStatusPages(proxies serve.Proxies) (*statuspage.Pages, error) {
	return statuspage.New(statuspage.Options{
		DB: a.store.DB, Outbox: a.store.Outbox, Status: a.store.Status, CheckPassword: auth.NewPasswords(a.passwordCost).Check, Proxies: proxies, Now: a.now, BaseURL: a.cfg.BaseURL,
		ReportURL: a.cfg.ReportURL, RateLimit: a.cfg.StatusRateLimit, Mail: a.cfg.SMTPURL != "" || a.demo != nil,
		Plan: accounts.Plan(a.cfg.Plan), HasHTTPS: a.hasHTTPS, Bodies: a.bodies, Log: a.log,
	})
}

// showing are the loops that draw status pages.
func (a *App) showing() []*loop.Loop {
	changed, _ := a.store.Sleep(statusdb.StatusChanged)
	return []*loop.Loop{{
		Name: "status page cache", Does: "Renders status pages again when their content changes.",
		Work: a.status.Refresh, Every: statuspage.Every, Wake: changed, Log: a.log,
	}}
}
