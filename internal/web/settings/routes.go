// Package settings is the pages where people set up a project: its fields, environments, key, channels and who sees it. In
// come the forms of those who may manage it; out go pages that others of its teams can read. What is secret of a channel is
// shown when it is made here and never again, and whoever deletes something is asked with its name.
package settings

import (
	"embed"
	"fmt"
	"net/http"

	"sett/internal/serve"
	"sett/internal/sett"
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

// root is below which the pages of this room are.
const (
	root          = "/projects/{project_id}/settings"
	oneOfPlaces   = root + "/environments/{environment_id}"
	oneOfChannels = root + "/channels/{integration_id}"
	oneOfSent     = oneOfChannels + "/deliveries/{delivery_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return []serve.Route{
		web.Get(root+"/general", "generalPage", sett.ReadProject, p.generalPage, "The fields of a project."),
		web.Post(root+"/general", "saveProject", sett.ManageProject, p.saveProject, "Save the fields."),

		web.Get(root+"/environments", "environmentsPage", sett.ReadProject, p.environmentsPage, "The environments of a project."),
		web.Post(root+"/environments", "addEnvironment", sett.ManageProject, p.addEnvironment, "Add an environment."),
		web.Get(oneOfPlaces, "environmentPage", sett.ManageProject, p.environmentPage, "Rename or delete an environment."),
		web.Post(oneOfPlaces, "saveEnvironment", sett.ManageProject, p.saveEnvironment, "Save its name and whether it is told of."),
		web.Post(oneOfPlaces+"/delete", "dropEnvironment", sett.ManageProject, p.dropEnvironment, "Delete it."),

		web.Get(root+"/keys", "keysPage", sett.ReadProject, p.keysPage, "What clients report with."),
		web.Post(root+"/keys", "addKey", sett.ManageProject, p.addKey, "Make another key."),
		web.Post(root+"/keys/scope", "setKeyScope", sett.ManageProject, p.setKeyScope, "Change what may be reported with a key."),
		web.Post(root+"/keys/revoke", "revokeKey", sett.ManageProject, p.revokeKey, "Make a key worth nothing, at once or later."),
		web.Get(root+"/members", "projectMembersPage", sett.ReadProject, p.membersPage, "Who sees a project, and through which teams."),
		web.Post(root+"/members", "saveProjectTeams", sett.ManageProject, p.saveTeams, "Choose the teams that see it."),
		web.Get(root+"/danger", "dangerPage", sett.ManageProject, p.dangerPage, "What cannot be undone."),
		web.Post(root+"/danger/delete", "dropProject", sett.ManageProject, p.dropProject, "Delete the project."),

		web.Get(root+"/channels", "channelsPage", sett.ReadProject, p.channelsPage, "Where people are told of what happens."),
		web.Get(root+"/channels/new", "newChannelPage", sett.ManageProject, p.newChannelPage, "Choose a kind, and describe a channel."),
		web.Post(root+"/channels", "addChannel", sett.ManageProject, p.addChannel, "Add a channel."),
		web.Get(oneOfChannels, "channelPage", sett.ManageProject, p.channelPage, "Change a channel."),
		web.Post(oneOfChannels, "saveChannel", sett.ManageProject, p.saveChannel, "Save what it is told."),
		web.Post(oneOfChannels+"/active", "switchChannel", sett.ManageProject, p.switchChannel, "Turn it on or off."),
		web.Post(oneOfChannels+"/test", "tryChannel", sett.ManageProject, p.tryChannel, "Try it out."),
		web.Post(oneOfChannels+"/delete", "dropChannel", sett.ManageProject, p.dropChannel, "Delete it."),
		web.Get(oneOfChannels+"/deliveries", "deliveriesPage", sett.ReadProject, p.deliveriesPage, "What it was told."),
		web.Get(oneOfSent, "deliveryPage", sett.ReadProject, p.deliveryPage, "What it was told once, and what it answered."),
		web.Post(oneOfSent+"/redeliver", "sendAgain", sett.ManageProject, p.sendAgain, "Tell it once more."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"channel_deleted":     "Channel deleted.",
	"channel_made":        "Channel added. Send a test to try it out.",
	"channel_off":         "Channel turned off. It receives no notifications.",
	"channel_on":          "Channel turned on.",
	"channel_tried":       "A sample error was sent to the channel.",
	"environment_added":   "Environment added.",
	"environment_deleted": "Environment deleted.",
	"key_made":            "Key created. Configure it in every client, then revoke the old key.",
	"key_scoped":          "Scope changed. The change takes effect within a few seconds.",
	"key_revoked":         "Key revoked. It no longer works.",
	"key_ends":            "Key revoked. It works until it expires.",
	"project_deleted":     "Project deleted.",
	"project_left":        "Saved. You no longer have access to this project.",
	"sent_again":          "Message queued again.",
}

// page is what every page of this room has around it.
type page struct {
	web.Shell
	ProjectID int64
	Tab       string // of the settings, as its path names it
}

// newPage returns what stands around a page of the settings of a project.
func (p *pages) newPage(r *http.Request, title, tab string) page {
	project := web.ScopeOf(r).Name
	s := page{Shell: p.Shell(r, title+" · "+project).In("settings"), ProjectID: web.Project(r), Tab: tab}
	s.Heading = "Settings"
	return s
}

// to returns the path of a page of these settings.
func to(r *http.Request, path string, ids ...any) string {
	return fmt.Sprintf("/projects/%d/settings", web.Project(r)) + fmt.Sprintf(path, ids...)
}
