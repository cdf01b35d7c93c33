package api

import "sett/internal/serve"

func (a *API) deployRoutes() []serve.Route { return nil }
