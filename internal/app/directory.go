package app

import (
	"sett/internal/api/scim"
	"sett/internal/serve"
)

// directoryRoutes answer the directories of accounts.
func (a *App) directoryRoutes(proxies serve.Proxies) ([]serve.Route, error) {
	door, err := scim.New(scim.Options{Accounts: a.store.Accounts, Log: a.log, Now: a.now, Proxies: proxies, BaseURL: a.cfg.BaseURL})
	if err != nil {
		return nil, err
	}
	return door.Routes(), nil
}
