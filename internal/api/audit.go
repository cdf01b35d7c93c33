package api

import "sett/internal/serve"

func (a *API) auditRoutes() []serve.Route { return nil }
