package api

import (
	"net/http"
	"slices"
	"strings"

	"sett/internal/serve"
)

// Routes is the table of all routes under /v2; the lines of each noun are in its own file.
func (a *API) Routes() []serve.Route {
	return moving(slices.Concat(
		a.accountRoutes(),
		a.accountUserRoutes(),
		a.accountInvitationRoutes(),
		a.auditRoutes(),
		a.configurationRoutes(),
		a.projectRoutes(),
		a.projectKeyRoutes(),
		a.environmentRoutes(),
		a.reportRoutes(),
		a.faultRoutes(),
		a.savedSearchRoutes(),
		a.erasureRoutes(),
		a.ownershipRoutes(),
		a.forwardingRoutes(),
		a.scrubbingRoutes(),
		a.groupingRoutes(),
		a.sourceMapRoutes(),
		a.insightRoutes(),
		a.streamRoutes(),
		a.dashboardRoutes(),
		a.alarmRoutes(),
		a.noticeRoutes(),
		a.attachmentRoutes(),
		a.discardRoutes(),
		a.commentRoutes(),
		a.repositoryRoutes(),
		a.faultCodeRoutes(),
		a.deployRoutes(),
		a.releaseRoutes(),
		a.integrationRoutes(),
		a.deliveryRoutes(),
		a.acknowledgementRoutes(),
		a.personalAlertRoutes(),
		a.checkInRoutes(),
		a.siteRoutes(),
		a.outageRoutes(),
		a.maintenanceRoutes(),
		a.uptimeCheckRoutes(),
		a.uptimeRoutes(),
		a.statusPageRoutes(),
		a.directoryRoutes(),
		a.teamRoutes(),
		a.teamMemberRoutes(),
		a.teamInvitationRoutes(),
		a.statusIncidentRoutes(),
		a.statusSubscriberRoutes(),
	))
}

// moving says of all that reads something of a fault that it may be read of another; see API.merged.
func moving(routes []serve.Route) []serve.Route {
	for i, rt := range routes {
		if rt.Method == http.MethodGet && strings.HasPrefix(rt.Path, faultPath) {
			routes[i].Moved = "The fault was merged into another one; this is the corresponding URL of that one."
		}
	}
	return routes
}
