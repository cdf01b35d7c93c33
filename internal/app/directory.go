package app

import (
	"sett/internal/api/scim"
	"sett/internal/serve"
	"sett/internal/serve/idp"
)

// directoryRoutes answer the directories of accounts.
func (a *App) directoryRoutes(proxies serve.Proxies) ([]serve.Route, error) {
	door, err := scim.New(scim.Options{Accounts: a.store.Accounts, Log: a.log, Now: a.now, Proxies: proxies, BaseURL: a.cfg.BaseURL})
	if err != nil {
		return nil, err
	}
	return door.Routes(), nil
}

// identityProviders signs people in with the identity provider of their account. Metadata of one is read from where sites may be checked.
func (a *App) identityProviders() *idp.Desk {
	return idp.New(idp.Options{Accounts: a.store.Accounts, Do: a.outbound(a.cfg.egress()).Client(describeLasts).Do, Now: a.now, BaseURL: a.cfg.BaseURL})
}
