package api

import "sett/internal/serve"

func (a *API) accountUserRoutes() []serve.Route { return nil }
