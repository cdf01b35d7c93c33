package api

import "sett/internal/serve"

func (a *API) teamMemberRoutes() []serve.Route { return nil }
