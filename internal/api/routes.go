package api

import (
	"slices"

	"sett/internal/serve"
)

// Routes is the whole management interface; each noun's lines stand in its own file.
func (a *API) Routes() []serve.Route {
	return slices.Concat(
		a.accountRoutes(),
		a.accountUserRoutes(),
		a.accountInvitationRoutes(),
		a.auditRoutes(),
		a.projectRoutes(),
		a.environmentRoutes(),
		a.reportRoutes(),
		a.faultRoutes(),
		a.savedSearchRoutes(),
		a.noticeRoutes(),
		a.commentRoutes(),
		a.deployRoutes(),
		a.integrationRoutes(),
		a.deliveryRoutes(),
		a.personalAlertRoutes(),
		a.checkInRoutes(),
		a.siteRoutes(),
		a.outageRoutes(),
		a.uptimeCheckRoutes(),
		a.uptimeRoutes(),
		a.statusPageRoutes(),
		a.teamRoutes(),
		a.teamMemberRoutes(),
		a.teamInvitationRoutes(),
		a.statusIncidentRoutes(),
		a.statusSubscriberRoutes(),
	)
}
