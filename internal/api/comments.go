package api

import "sett/internal/serve"

func (a *API) commentRoutes() []serve.Route { return nil }
