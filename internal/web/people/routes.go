// Package people contains the settings of an account: users, invitations and teams, the usage, the audit log and the account itself. It
// receives forms of users who may manage them, and returns pages that show each user what they may see. It does not decide about
// roles: the store does, with the rules of sett.
package people

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"

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

// Paths of the pages of accounts and teams.
const (
	root           = "/accounts/{account_id}"
	oneUser        = root + "/people/{user_id}"
	oneImport      = root + "/imports/{import_id}"
	oneInvitation  = root + "/invitations/{invitation_id}"
	team           = "/teams/{team_id}"
	oneMember      = team + "/members/{member_id}"
	oneTeamInvited = team + "/invitations/{invitation_id}"
)

// routes returns all pages and forms of this package.
func (p *pages) routes() []serve.Route {
	return slices.Concat([]serve.Route{
		web.Get(root+"/people", "peoplePage", accounts.ReadAccount, p.peoplePage, "Users and invitations of an account."),
		web.Post(oneUser+"/role", "giveRole", accounts.ManagePeople, p.giveRole, "Change the role of a user."),
		web.Post(oneUser+"/remove", "removeUser", accounts.LeaveAccount, p.removeUser, "Remove a user, or leave the account."),
		web.Post(root+"/invitations", "invite", accounts.ManagePeople, p.invite, "Invite a person to the account."),
		web.Post(oneInvitation+"/resend", "inviteAgain", accounts.ManagePeople, p.inviteAgain, "Send an invitation again."),
		web.Post(oneInvitation+"/withdraw", "withdrawInvitation", accounts.ManagePeople, p.withdraw, "Withdraw an invitation."),
		web.Get(root+"/teams", "teamsPage", accounts.ReadAccount, p.teamsPage, "The teams of an account."),
		web.Post(root+"/teams", "addTeam", accounts.CreateTeam, p.addTeam, "Create a team."),

		web.Get(team, "teamPage", accounts.ReadTeam, p.teamPage, "Members, projects and invitations of a team."),
		web.Post(team, "renameTeam", accounts.ManageTeam, p.renameTeam, "Rename a team."),
		web.Post(team+"/delete", "dropTeam", accounts.ManageTeam, p.dropTeam, "Delete a team."),
		web.Post(oneMember+"/admin", "setTeamAdmin", accounts.ManageTeam, p.setTeamAdmin, "Make a member a team admin, or remove that role."),
		web.Post(oneMember+"/remove", "removeMember", accounts.LeaveTeam, p.removeMember, "Remove a member, or leave the team."),
		web.Post(team+"/invitations", "inviteToTeam", accounts.ManageTeam, p.inviteToTeam, "Invite a person to the team."),
		web.Post(oneTeamInvited+"/resend", "inviteToTeamAgain", accounts.ManageTeam, p.inviteAgain, "Send an invitation again."),
		web.Post(oneTeamInvited+"/withdraw", "withdrawTeamInvitation", accounts.ManageTeam, p.withdraw, "Withdraw an invitation."),

		web.Get(root+"/tokens", "accountTokensPage", accounts.ManagePeople, p.tokensPage, "Tokens of the account."),
		web.Post(root+"/tokens", "createAccountToken", accounts.ManagePeople, p.makeToken, "Create a token of the account."),
		web.Post(root+"/tokens/{token_id}/revoke", "revokeAccountToken", accounts.ManagePeople, p.revokeToken, "Revoke a token of the account."),
		web.Get(root+"/directory", "directoryPage", accounts.ManageDirectory, p.directoryPage, "The directory of an account: domains, SCIM and SAML."),
		web.Post(root+"/directory/domains", "addMailDomain", accounts.ManageDirectory, p.addMailDomain, "Add a domain of email addresses."),
		web.Post(root+"/directory/domains/{domain}/verify", "verifyMailDomain", accounts.ManageDirectory, p.verifyMailDomain, "Look for the TXT record of a domain."),
		web.Post(root+"/directory/domains/{domain}/remove", "removeMailDomain", accounts.ManageDirectory, p.removeMailDomain, "Remove a domain."),
		web.Post(root+"/directory/token", "makeDirectoryToken", accounts.ManageDirectory, p.makeDirectoryToken, "Create or replace the token for SCIM."),
		web.Post(root+"/directory/token/revoke", "revokeDirectoryToken", accounts.ManageDirectory, p.revokeDirectoryToken, "Revoke the token for SCIM."),
		web.Post(root+"/directory/rules", "saveDirectory", accounts.ManageDirectory, p.saveDirectory, "Set what new people of the directory get."),
		web.Post(root+"/directory/groups/{group_id}", "mapGroup", accounts.ManageDirectory, p.mapGroup, "Set the role and the team of a group."),
		web.Post(root+"/directory/saml", "saveSAML", accounts.ManageDirectory, p.saveSAML, "Set the identity provider."),
		web.Post(root+"/directory/saml/off", "dropSAML", accounts.ManageDirectory, p.dropSAML, "Turn off SAML."),
		web.Post(root+"/directory/required", "requireSignOn", accounts.ManageDirectory, p.requireSignOn, "Require single sign-on, or not any more."),
		web.Get(root+"/imports", "importsPage", accounts.ManagePeople, p.importsPage, "The form to move in from another service, and past imports."),
		web.Post(root+"/imports", "lookForImport", accounts.ManagePeople, p.lookForImport, "Look what another service has; nothing is imported."),
		web.Get(oneImport, "importPage", accounts.ManagePeople, p.importPage, "How far an import is, and what it brought."),
		web.Stream(oneImport+"/events", "importEvents", accounts.ManagePeople, p.importEvents, "The page of a running import, whenever it changes."),
		web.Post(oneImport+"/start", "startImport", accounts.ManagePeople, p.startImport, "Import what a look found."),
		web.Post(oneImport+"/stop", "stopImport", accounts.ManagePeople, p.stopImport, "Stop an import."),
		web.Post(oneImport+"/go-on", "continueImport", accounts.ManagePeople, p.continueImport, "Let an import go on that failed or was stopped."),
		web.Get(root+"/audit", "auditPage", accounts.ReadAudit, p.auditPage, "The audit log."),
		web.Get(root+"/stats", "statsPage", accounts.ReadAccount, p.statsPage, "The usage of this month."),
		web.Get(root+"/settings", "accountPage", accounts.ReadAccount, p.accountPage, "The page of the account."),
		web.Post(root+"/settings", "renameAccount", accounts.ManagePeople, p.renameAccount, "Rename the account."),
	},
		p.Exports(root+"/people", "people", accounts.ReadAccount, p.exportPeople, "The users of an account"),
		p.Exports(team+"/members", "teamMembers", accounts.ReadTeam, p.exportMembers, "The members of a team"),
		p.Exports(root+"/audit", "audit", accounts.ReadAudit, p.exportAudit, "The audit log"),
	)
}

// doneTexts are the messages of ?done= on these pages.
var doneTexts = map[string]string{
	"look_started":          "Look started.",
	"import_started":        "Import started.",
	"import_goes_on":        "The import goes on.",
	"import_stopped":        "Import stopped. Its token is erased.",
	"domain_added":          "Domain added. Publish its TXT record, then verify it.",
	"domain_removed":        "Domain removed. People who are in the account stay.",
	"domain_verified":       "Domain verified.",
	"saml_dropped":          "SAML turned off. People sign in another way; single sign-on is not required.",
	"saml_saved":            "Saved. Try it in another browser before you sign out here.",
	"invited":               "Invitation sent.",
	"invited_again":         "Invitation sent again. The previous link no longer works.",
	"invited_by_link":       "Invitation created. This server sends no email: copy the link below and send it yourself.",
	"invited_again_by_link": "New link created. The previous link no longer works. Copy the new link below and send it yourself.",
	"left":                  "You have left.",
	"member_removed":        "Member removed from the team.",
	"token_revoked":         "Token revoked.",
	"team_deleted":          "Team deleted. Its projects and users are kept.",
	"team_made":             "Team created. Invite people, and give the team access to projects in their settings.",
	"user_removed":          "User removed from the account.",
	"withdrawn":             "Invitation withdrawn. Its link no longer works.",
}

// page is the common data of the pages of this package.
type page struct {
	web.Shell
	AccountID string
	Tab       string
}

// newPage returns the common data of a page of an account's settings.
func (p *pages) newPage(r *http.Request, title, tab string) page {
	s := page{Shell: p.Shell(r, title).In("account"), AccountID: web.ScopeOf(r).AccountID, Tab: tab}
	s.Nav.Place(0, s.AccountID)
	s.Heading = "Settings"
	return s
}

// account returns a path below the account of a request.
func account(r *http.Request, path string) string {
	return "/accounts/" + url.PathEscape(r.PathValue("account_id")) + path
}

// ids parses IDs; an invalid ID is 0, which matches nothing.
func ids(texts []string) (all []int64) {
	for _, text := range texts {
		id, _ := strconv.ParseInt(text, 10, 64)
		all = append(all, id)
	}
	return all
}
