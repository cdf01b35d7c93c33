package api

import "sett/internal/serve"

func (a *API) teamInvitationRoutes() []serve.Route { return nil }
