package api

import "sett/internal/serve"

func (a *API) accountInvitationRoutes() []serve.Route { return nil }
