// Package settings contains the settings pages of a project: general settings, keys, channels, access, environments and data. It
// receives forms of users who may manage the project; other users with access can view the pages. Generated secrets of a
// channel are shown once, when it is created, and deletions ask for confirmation.
package settings

import (
	"embed"
	"fmt"
	"net/http"
	"slices"

	"sett/internal/serve"
	"sett/internal/sett/accounts"
	"sett/internal/web"
)

//go:embed page/*.html part/*.html
var templates embed.FS

// pages are the pages of this package.
type pages struct{ *web.Pages }

// Area returns the pages of this package.
func Area(frame *web.Pages) web.Area {
	p := &pages{frame}
	return web.Area{Routes: p.routes(), Templates: templates, Done: doneTexts}
}

// Paths of the pages of this package.
const (
	root          = "/projects/{project_id}/settings"
	oneOfPlaces   = root + "/environments/{environment_id}"
	oneOfChannels = root + "/channels/{integration_id}"
	oneOfRepos    = root + "/repositories/{repository_id}"
	oneOfSent     = oneOfChannels + "/deliveries/{delivery_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(root+"/general", "generalPage", accounts.ReadProject, p.generalPage, "The general settings of a project."),
		web.Post(root+"/general", "saveProject", accounts.ManageProject, p.saveProject, "Save the general settings."),

		web.Get(root+"/data", "dataPage", accounts.ReadProject, p.dataPage, "How long events are kept, and which field of an event names the affected user."),
		web.Post(root+"/data", "saveData", accounts.ManageProject, p.saveData, "Change it."),

		web.Get(root+"/environments", "environmentsPage", accounts.ReadProject, p.environmentsPage, "The environments of a project."),
		web.Post(root+"/environments", "addEnvironment", accounts.ManageProject, p.addEnvironment, "Add an environment."),
		web.Get(oneOfPlaces, "environmentPage", accounts.ManageProject, p.environmentPage, "Rename or delete an environment."),
		web.Post(oneOfPlaces, "saveEnvironment", accounts.ManageProject, p.saveEnvironment, "Save its name and whether it sends notifications."),
		web.Post(oneOfPlaces+"/delete", "dropEnvironment", accounts.ManageProject, p.dropEnvironment, "Delete it."),

		web.Get(root+"/repositories", "repositoriesPage", accounts.ReadProject, p.repositoriesPage, "The repositories of a project, and whether they are connected."),
		web.Post(root+"/repositories", "addRepository", accounts.ManageProject, p.addRepository, "Add a repository."),
		web.Get(oneOfRepos, "repositoryPage", accounts.ManageProject, p.repositoryPage, "A repository, with the steps that connect it and the secret of its webhook."),
		web.Post(oneOfRepos, "changeRepository", accounts.ManageProject, p.changeRepository, "Change it."),
		web.Post(oneOfRepos+"/delete", "removeRepository", accounts.ManageProject, p.removeRepository, "Remove it from the project."),

		web.Get(root+"/keys", "keysPage", accounts.ReadProject, p.keysPage, "The API keys of a project."),
		web.Post(root+"/keys", "addKey", accounts.ManageProject, p.addKey, "Create a key."),
		web.Post(root+"/keys/scope", "setKeyScope", accounts.ManageProject, p.setKeyScope, "Change what may be reported with a key."),
		web.Post(root+"/keys/revoke", "revokeKey", accounts.ManageProject, p.revokeKey, "Revoke a key, immediately or later."),
		web.Get(root+"/access", "accessPage", accounts.ReadProject, p.accessPage, "The people and teams with access to a project, and the rules that say who owns errors."),
		web.Get(root+"/members", "projectMembersPage", accounts.ReadProject, p.moved("/access"), "The old address of who has access."),
		web.Post(root+"/members", "saveProjectTeams", accounts.ManageProject, p.saveTeams, "Choose the teams with access."),
		web.Get(root+"/scrubbing", "scrubbingPage", accounts.ManageProject, p.scrubbingPage, "What is removed from events before they are stored."),
		web.Post(root+"/scrubbing", "saveScrubbing", accounts.ManageProject, p.saveScrubbing, "Change it."),
		web.Post(root+"/scrubbing/preview", "previewScrubbing", accounts.ManageProject, p.previewScrubbing, "Show what the rules would remove from recent events."),
		web.Get(root+"/source-maps", "sourceMapsPage", accounts.ReadProject, p.sourceMapsPage, "The source maps of a project by revision, and which one applies to a URL."),
		web.Get(root+"/source-maps/revision", "sourceMapRevisionPage", accounts.ReadProject, p.revisionPage, "The source maps of a revision."),
		web.Post(root+"/source-maps/revision/delete", "dropSourceMapRevision", accounts.ManageProject, p.dropRevision, "Delete all source maps of a revision."),
		web.Post(root+"/source-maps/{source_map_id}/delete", "dropSourceMap", accounts.ManageProject, p.dropSourceMap, "Delete a source map."),
		web.Get(root+"/ownership", "ownershipPage", accounts.ReadProject, p.moved("/access#ownership"), "The old address of the rules that say who owns errors."),
		web.Post(root+"/ownership", "saveOwnership", accounts.ManageProject, p.saveOwnership, "Change them."),
		web.Post(root+"/ownership/preview", "previewOwnership", accounts.ManageProject, p.previewOwnership, "Show the owners of recent errors by the rules of the form."),
		web.Get(root+"/grouping", "groupingRulesPage", accounts.ManageProject, p.groupingPage, "The rules that correct how events are grouped, and their versions."),
		web.Post(root+"/grouping", "saveGroupingRules", accounts.ManageProject, p.saveGrouping, "Apply the rules to new events, and merge the errors that join if apply is past."),
		web.Post(root+"/grouping/preview", "previewGroupingRules", accounts.ManageProject, p.previewGrouping, "Show what the rules of the form would do with recent events."),
		web.Post(root+"/grouping/undo", "undoGroupingRules", accounts.ManageProject, p.undoGrouping, "Restore the rules before the newest version, and split off what it has merged."),
		web.Get(root+"/forwarding", "forwardingPage", accounts.ReadProject, p.forwardingPage, "Where the project forwards its reports to, and the counts of both services by day."),
		web.Post(root+"/forwarding", "saveForwarding", accounts.ManageProject, p.saveForwarding, "Forward reports."),
		web.Post(root+"/forwarding/delete", "dropForwarding", accounts.ManageProject, p.dropForwarding, "Stop it."),
		web.Get(root+"/erasures", "erasuresPage", accounts.ManageProject, p.erasuresPage, "The form to erase an affected user, and past erasures."),
		web.Post(root+"/erasures/preview", "previewErasure", accounts.ManageProject, p.previewErasure, "Count what an erasure would delete."),
		web.Post(root+"/erasures", "eraseUser", accounts.ManageProject, p.eraseUser, "Erase an affected user."),
		web.Get(root+"/danger", "dangerPage", accounts.ManageProject, p.dangerPage, "The form to delete the project."),
		web.Post(root+"/danger/delete", "dropProject", accounts.ManageProject, p.dropProject, "Delete the project."),

		web.Get(root+"/channels", "channelsPage", accounts.ReadProject, p.channelsPage, "The channels of a project."),
		web.Get(root+"/notified", "notifiedPage", accounts.ReadProject, p.notifiedPage, "Who is notified of what, and why: in the whole project, or about an error, a site or a check-in."),
		web.Get(root+"/channels/new", "newChannelPage", accounts.ManageProject, p.newChannelPage, "Choose a kind, and fill in the form of a channel."),
		web.Post(root+"/channels", "addChannel", accounts.ManageProject, p.addChannel, "Add a channel."),
		web.Get(oneOfChannels, "channelPage", accounts.ManageProject, p.channelPage, "The form of a channel."),
		web.Post(oneOfChannels, "saveChannel", accounts.ManageProject, p.saveChannel, "Save a channel."),
		web.Post(oneOfChannels+"/active", "switchChannel", accounts.ManageProject, p.switchChannel, "Turn a channel on or off."),
		web.Post(oneOfChannels+"/test", "tryChannel", accounts.ManageProject, p.tryChannel, "Send a test message."),
		web.Post(oneOfChannels+"/delete", "dropChannel", accounts.ManageProject, p.dropChannel, "Delete it."),
		web.Get(oneOfChannels+"/deliveries", "deliveriesPage", accounts.ReadProject, p.deliveriesPage, "The message log of a channel."),
		web.Get(oneOfSent, "deliveryPage", accounts.ReadProject, p.deliveryPage, "A message with its attempts."),
		web.Post(oneOfSent+"/redeliver", "sendAgain", accounts.ManageProject, p.sendAgain, "Send a message again."),
	},
		p.Exports(root+"/environments", "environments", accounts.ReadProject, p.exportEnvironments, "The environments of a project"),
		p.Exports(root+"/source-maps/revision", "sourceMapRevision", accounts.ReadProject, p.exportSourceMaps, "The source maps of a revision"),
		p.Exports(root+"/erasures", "erasures", accounts.ManageProject, p.exportErasures, "The erasures of a project"),
		p.Exports(oneOfChannels+"/deliveries", "deliveries", accounts.ReadProject, p.exportDeliveries, "The message log of a channel"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"channel_deleted":     "Channel deleted.",
	"channel_made":        "Channel added. Send a test to try it out.",
	"channel_off":         "Channel turned off. It receives no notifications.",
	"channel_on":          "Channel turned on.",
	"channel_tried":       "Test delivered: the receiver accepted a sample error.",
	"environment_added":   "Environment added.",
	"environment_deleted": "Environment deleted.",
	"forwarding":          "Reports are forwarded within a few seconds.",
	"forwarding_off":      "Forwarding stopped.",
	"regrouped":           "Rules saved. They apply to new events.",
	"regrouped_back":      "Previous rules restored. Errors that the newer rules merged are split again.",
	"key_made":            "Key created. Configure it in every client, then revoke the old key.",
	"key_scoped":          "Scope changed. The change takes effect within a few seconds.",
	"key_revoked":         "Key revoked. It no longer works.",
	"key_ends":            "Key revoked. It works until it expires.",
	"project_deleted":     "Project deleted.",
	"project_left":        "Saved. You no longer have access to this project.",
	"user_erased":         "User erased. The events can no longer be read.",
	"user_erasing":        "The user is being erased. Reload the page in a while to see the state.",
	"repository_added":    "Repository added. Now set up its webhook.",
	"repository_removed":  "Repository removed. Delete its webhook at the host too.",
	"source_map_deleted":  "Source map deleted.",
	"source_maps_deleted": "Source maps deleted.",
	"sent_again":          "Message delivered again.",
}

// page is the common data of the pages of this package.
type page struct {
	web.Shell
	ProjectID int64
	Tab       string // of the settings, as its path names it
}

// newPage returns the common data of a page of the settings.
func (p *pages) newPage(r *http.Request, title, tab string) page {
	project := web.ScopeOf(r).Name
	s := page{Shell: p.Shell(r, title+" · "+project).In("settings"), ProjectID: web.Project(r), Tab: tab}
	s.Heading = "Settings"
	return s
}

// moved leads from an old address of a page to the page.
func (p *pages) moved(path string) serve.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return p.Redirect(w, to(r, "%s", path)) }
}

// to returns the path of a page of these settings.
func to(r *http.Request, path string, ids ...any) string {
	return fmt.Sprintf("/projects/%d/settings", web.Project(r)) + fmt.Sprintf(path, ids...)
}
