package api

import "sett/internal/serve"

func (a *API) teamRoutes() []serve.Route { return nil }
