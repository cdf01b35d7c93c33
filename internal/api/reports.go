package api

import "sett/internal/serve"

func (a *API) reportRoutes() []serve.Route { return nil }
