package api

import (
	"slices"

	"sett/internal/serve"
)

// Routes is the whole management interface; each noun's lines stand in its own file.
func (a *API) Routes() []serve.Route {
	return slices.Concat(
		a.accountRoutes(),
		a.projectRoutes(),
		a.faultRoutes(),
		a.noticeRoutes(),
	)
}
