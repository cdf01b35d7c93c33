package api

import "sett/internal/serve"

func (a *API) environmentRoutes() []serve.Route { return nil }
