package app

import (
	"time"

	"sett/internal/api"
	"sett/internal/api/brief"
	"sett/internal/api/mcp"
	"sett/internal/base/about"
	"sett/internal/serve"
	"sett/internal/serve/auth"
	"sett/internal/serve/oauth"
)

// describeLasts is how long a program's description of itself may take to come.
const describeLasts = 5 * time.Second

// desk gives tokens to programs. A description of one is read from where sites may be checked, and nowhere else.
func (a *App) desk(proxies serve.Proxies, throttle *auth.Throttle) *oauth.Desk {
	return oauth.New(oauth.Options{
		Accounts: a.store.Accounts, Throttle: throttle, Do: a.outbound(a.cfg.egress()).Client(describeLasts).Do, Now: a.now, Proxies: proxies, BaseURL: a.cfg.BaseURL,
	})
}

// agents answers agents by what the API answers; the desk says where they get a token.
func (a *App) agents(desk *oauth.Desk, tokens *auth.Tokens, management *api.API) *mcp.Door {
	return mcp.New(mcp.Options{
		DB: a.store.DB, Tokens: tokens, Log: a.log, Now: a.now, BaseURL: a.cfg.BaseURL, Version: about.Current().Version,
		Routes: management.Routes(), Answer: management.Answer, Challenge: desk.Challenge(), More: desk.ChallengeMore,
		Brief: brief.Reader{Sheets: a.store.Sheets, Faults: a.store.Faults, Releases: a.store.Releases, Maps: a.maps, BaseURL: a.cfg.BaseURL},
	})
}
