// Package people is the pages of who belongs to an account: users, invitations and teams, who changed what, and what is
// used. In come the forms of those who may manage them; out go pages that show everybody what they may see. It decides
// about no role: the store does, with the rules of sett, and says why not.
package people

import (
	"embed"
	"net/http"
	"net/url"
	"strconv"

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

// root is below which the pages of an account are, and team where those of a team are.
const (
	root           = "/accounts/{account_id}"
	oneUser        = root + "/people/{user_id}"
	oneInvitation  = root + "/invitations/{invitation_id}"
	team           = "/teams/{team_id}"
	oneMember      = team + "/members/{member_id}"
	oneTeamInvited = team + "/invitations/{invitation_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	exported := web.Get(root+"/audit.csv", "auditCSV", sett.ReadAudit, p.auditCSV, "The same as a table for other programs.")
	exported.Media = "text/csv"
	return []serve.Route{
		web.Get(root+"/people", "peoplePage", sett.ReadAccount, p.peoplePage, "Users, invitations and teams of an account."),
		web.Post(oneUser+"/role", "giveRole", sett.ManagePeople, p.giveRole, "Give a user another role."),
		web.Post(oneUser+"/remove", "removeUser", sett.LeaveAccount, p.removeUser, "Remove a user, or leave."),
		web.Post(root+"/invitations", "invite", sett.ManagePeople, p.invite, "Invite somebody to the account."),
		web.Post(oneInvitation+"/resend", "inviteAgain", sett.ManagePeople, p.inviteAgain, "Send the mail once more."),
		web.Post(oneInvitation+"/withdraw", "withdrawInvitation", sett.ManagePeople, p.withdraw, "Withdraw an invitation."),
		web.Post(root+"/teams", "addTeam", sett.CreateTeam, p.addTeam, "Make a team."),

		web.Get(team, "teamPage", sett.ReadTeam, p.teamPage, "Members, projects and invitations of a team."),
		web.Post(team, "renameTeam", sett.ManageTeam, p.renameTeam, "Rename a team."),
		web.Post(team+"/delete", "dropTeam", sett.ManageTeam, p.dropTeam, "Delete a team."),
		web.Post(oneMember+"/admin", "setTeamAdmin", sett.ManageTeam, p.setTeamAdmin, "Make a member an admin of the team, or no longer one."),
		web.Post(oneMember+"/remove", "removeMember", sett.LeaveTeam, p.removeMember, "Remove a member, or leave."),
		web.Post(team+"/invitations", "inviteToTeam", sett.ManageTeam, p.inviteToTeam, "Invite somebody to the team."),
		web.Post(oneTeamInvited+"/resend", "inviteToTeamAgain", sett.ManageTeam, p.inviteAgain, "Send the mail once more."),
		web.Post(oneTeamInvited+"/withdraw", "withdrawTeamInvitation", sett.ManageTeam, p.withdraw, "Withdraw an invitation."),

		web.Get(root+"/audit", "auditPage", sett.ReadAudit, p.auditPage, "Who changed what."),
		exported,
		web.Get(root+"/stats", "statsPage", sett.ReadAccount, p.statsPage, "What is used this month."),
		web.Get(root+"/settings", "accountPage", sett.ReadAccount, p.accountPage, "The account itself."),
		web.Post(root+"/settings", "renameAccount", sett.ManagePeople, p.renameAccount, "Give it another name."),
	}
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"invited":        "Invitation sent.",
	"invited_again":  "Invitation sent again. The previous link no longer works.",
	"left":           "You have left.",
	"member_removed": "Member removed from the team.",
	"team_deleted":   "Team deleted. Its projects and users are kept.",
	"team_made":      "Team created. Invite people, and give the team access to projects in their settings.",
	"user_removed":   "User removed from the account.",
	"withdrawn":      "Invitation withdrawn. Its link no longer works.",
}

// page is what every page of this room has around it.
type page struct {
	web.Shell
	AccountID string
	Tab       string
}

// newPage returns what stands around a page of an account, or of a team of it.
func (p *pages) newPage(r *http.Request, title, section, tab string) page {
	s := page{Shell: p.Shell(r, title).In(section), AccountID: web.ScopeOf(r).AccountID, Tab: tab}
	s.Nav.Place(0, s.AccountID)
	return s
}

// account returns the path of a page of the account that the path of a request names.
func account(r *http.Request, path string) string {
	return "/accounts/" + url.PathEscape(r.PathValue("account_id")) + path
}

// ids reads the ids that were ticked; what is none is that of nothing.
func ids(texts []string) (all []int64) {
	for _, text := range texts {
		id, _ := strconv.ParseInt(text, 10, 64)
		all = append(all, id)
	}
	return all
}
