package people_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"sett/internal/app"
	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/setttest"
	"sett/internal/setttest/visitor"
	"sett/internal/store/accountdb"
)

const password = "seven lonely walruses"

// house is a server with people who look at its account.
type house struct {
	*setttest.Server
	t                    *testing.T
	owner, admin, member *visitor.Browser
	ids                  map[string]int64
	root                 string // of the account
	team                 int64  // of the member and the project
}

func open(t *testing.T, options ...func(*app.Config)) *house {
	t.Helper()
	s := setttest.Start(t, "sqlite", options...)
	h := &house{Server: s, t: t, root: "/accounts/" + s.Setup.AccountID, ids: map[string]int64{}}
	h.owner, h.admin, h.member = h.person("boss", accounts.Owner), h.person("admin", accounts.Admin), h.person("member", accounts.Member)
	id, err := s.App.Store().Accounts.CreateTeam(t.Context(), s.Clock.Now(), s.Setup.AccountID, "Crew", []int64{s.Setup.ProjectID}, map[int64]bool{h.ids["member"]: false, h.ids["admin"]: true})
	if err != nil {
		t.Fatal(err)
	}
	h.team = id
	return h
}

func (h *house) person(name string, role accounts.Role) *visitor.Browser {
	h.t.Helper()
	email := name + "@example.test"
	id, err := h.App.Store().Accounts.CreateUser(h.t.Context(), h.Clock.Now(), accountdb.NewUser{
		AccountID: h.Setup.AccountID, Email: email, Name: "The " + name, Role: role, Password: setttest.PasswordCost.Hash(password),
	})
	if err != nil {
		h.t.Fatal(err)
	}
	h.ids[name] = id
	return visitor.New(h.t, h.Server).SignIn(email, password)
}

func (h *house) crew() string { return fmt.Sprint("/teams/", h.team) }

func (h *house) invitations(to accountdb.Inviting) []accounts.Invitation {
	h.t.Helper()
	found, _, err := h.App.Store().Accounts.ListInvitations(h.t.Context(), to, accounts.Owner, sett.Page{Size: 25})
	if err != nil {
		h.t.Fatal(err)
	}
	return found
}

func TestEveryPage(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.admin.Post(h.root+"/invitations", "email", "new@example.test", "role", "Member").Leads(h.root + "/people?done=invited_by_link")
	h.admin.Post(h.crew()+"/invitations", "email", "new@example.test").Leads(h.crew() + "?done=invited_by_link")
	for path, members := range map[string]int{
		h.root + "/people": 200, h.root + "/teams": 200, h.root + "/stats": 200, h.root + "/settings": 200, h.root + "/tokens": 403, h.root + "/audit": 403, h.crew(): 200,
	} {
		h.owner.Get(path).Want(http.StatusOK).CheckPage()
		h.member.Get(path).Want(members).CheckPage()
		visitor.New(t, h.Server).Get(path).Want(http.StatusSeeOther)
	}
	h.admin.Get(h.root + "/audit").Want(403)
	h.admin.Get(h.root + "/audit.csv").Want(403)
	h.owner.Get("/accounts/other/people").Want(404)
	h.owner.Get("/teams/999").Want(404)
	h.member.Get(h.root+"/people").Lacks("Invite a person", "Create a team", "new@example.test", "Audit log", "/role")
	h.member.Get(h.root + "/teams").Lacks("Create a team")
	h.member.Get(h.crew()).Lacks("Invite a person", "Rename", "new@example.test", "Make an admin").Want(200, "Leave")
}

// A token of an account is seen and revoked by every owner and admin, and is not among those of who made it.
func TestAccountTokens(t *testing.T) {
	t.Parallel()
	h := open(t)
	made := h.admin.Post(h.root+"/tokens", "name", "Terraform", "days", "30", "scopes", "projects:read", "scopes", "team:read", "projects", fmt.Sprint(h.Setup.ProjectID)).Want(200, "hba_", "Copy it now")
	made.CheckPage()
	h.owner.Get(h.root+"/tokens").Want(200, "Terraform", "projects:read team:read", "The admin").Lacks("hba_").CheckPage()
	h.admin.Get("/me/tokens").Lacks("Terraform")
	h.member.Post(h.root+"/tokens", "name", "x", "days", "30", "scopes", "projects:read").Want(403)
	for _, wrong := range [][]string{{"scopes", "odd"}, {}, {"scopes", "account:write"}, {"scopes", "team:read", "projects", "99999"}} {
		h.owner.Post(h.root+"/tokens", append([]string{"name", "x", "days", "30"}, wrong...)...).Want(422, "Please correct").CheckPage()
	}
	h.owner.Post(h.root+"/tokens", "name", "x", "days", "0", "scopes", "team:read").Want(422)
	h.owner.Get(h.root+"/audit").Want(200, "created the account token Terraform")
	h.owner.Post(regexp.MustCompile(h.root + `/tokens/\d+/revoke`).FindString(h.owner.Get(h.root + "/tokens").Body)).Leads(h.root + "/tokens?done=token_revoked")
	h.owner.Get(h.root+"/tokens").Want(200, "The account has no tokens")
}

func TestUsersAreFound(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.admin.Get(h.root+"/people?named=MEMBER").Want(200, "member@example.test").Lacks("boss@example.test").CheckPage()
	h.admin.Get(h.root+"/people?named=%3Cnone%3E").Want(200, "No user has “&lt;none&gt;”").Lacks("member@example.test").CheckPage()
}

func TestRolesOfUsers(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, member := h.root+"/people", fmt.Sprint(h.root, "/people/", h.ids["member"])
	h.admin.Post(member+"/role", "role", "Billing").Leads(page + "?done=saved")
	h.owner.Get(page).Want(200, "<option selected>Billing</option>")
	h.admin.Post(member+"/role", "role", "King").Want(422, "role is not included in the list").CheckPage()
	h.admin.Post(member+"/role", "role", "Owner").Want(403)
	h.member.Post(member+"/role", "role", "Owner").Want(403)
	boss := fmt.Sprint(h.root, "/people/", h.ids["boss"])
	h.admin.Post(boss + "/remove").Want(403)
	h.member.Post(boss + "/remove").Want(403)
	h.member.Post(member + "/remove").Leads("/?done=left")
	h.member.Get(page).Want(404)
	h.owner.Post(fmt.Sprint(h.root, "/people/", h.ids["admin"], "/remove")).Leads(page + "?done=user_removed")
	h.owner.Get(page).Lacks("admin@example.test")
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, to := h.root+"/people", accountdb.Inviting{AccountID: h.Setup.AccountID}
	h.admin.Post(h.root+"/invitations", "email", "no address", "role", "King", "team_ids", "7").CheckPage().Want(422, "Email address must be an email address", "Role is not included", `value="no address"`)
	h.admin.Post(h.root+"/invitations", "email", "new@example.test", "role", "Owner").Want(403)
	h.admin.Post(h.root+"/invitations", "email", "new@example.test", "role", "Billing", "team_ids", fmt.Sprint(h.team)).Leads(page + "?done=invited_by_link")
	first := h.invitations(to)[0]
	if first.Role != accounts.Billing || len(first.TeamIDs) != 1 {
		t.Errorf("%+v", first)
	}
	link := h.App.BaseURL() + "/invitations/" + first.Token
	shown := h.admin.Get(page+"?done=invited_by_link").Want(200, "new@example.test", "The admin", "Billing", ">"+link+"<", `data-copy="`+link, "This server sends no email", "copy the link below").CheckPage()
	if shown.Header.Get("Content-Encoding") != "" {
		t.Error("the page with a link is compressed")
	}
	h.member.Get(page).Want(200).Lacks(first.Token)
	shown.Lacks("will see no project")
	h.admin.Post(h.root+"/invitations", "email", "blind@example.test", "role", "Member").Leads(page + "?done=invited_by_link")
	h.admin.Get(page).Want(200, "They will see no project: withdraw the invitation and choose a team", ` checked> Crew`).CheckPage()
	h.admin.Post(fmt.Sprint(h.root, "/invitations/", h.invitations(to)[1].ID, "/withdraw")).Want(303)
	h.Clock.Push(accounts.InvitationLife)
	h.owner = visitor.New(t, h.Server).SignIn("boss@example.test", password)
	h.owner.Get(page).Want(200, "expired")
	one := fmt.Sprint(h.root, "/invitations/", first.ID)
	h.owner.Post(one + "/resend").Leads(page + "?done=invited_again_by_link")
	h.owner.Get(page).Want(200, "invited").Lacks("expired")
	if again := h.invitations(to)[0]; !again.Open(h.Clock.Now()) || again.Role != first.Role || again.Email != first.Email {
		t.Errorf("%+v", again)
	}
	member := visitor.New(t, h.Server).SignIn("member@example.test", password)
	for _, path := range []string{h.root + "/invitations", one + "/resend", one + "/withdraw", h.root + "/teams"} {
		member.Post(path).Want(403)
	}
	h.owner.Post(one + "/withdraw").Leads(page + "?done=withdrawn")
	h.owner.Post(one + "/withdraw").Want(404)
	h.owner.Post(one + "/resend").Want(404)
}

// With email, only the mail has the link: who invites cannot join in place of the invited person.
func TestInvitationsByMail(t *testing.T) {
	t.Parallel()
	h := open(t, func(c *app.Config) { c.SMTPURL = "smtp://127.0.0.1:1" })
	page, to := h.root+"/people", accountdb.Inviting{AccountID: h.Setup.AccountID}
	h.admin.Post(h.root+"/invitations", "email", "new@example.test", "role", "Member").Leads(page + "?done=invited")
	first := h.invitations(to)[0]
	h.admin.Get(page+"?done=invited").Want(200, "Invitation sent.", "Send again").Lacks(first.Token, "no email").CheckPage()
	h.admin.Post(fmt.Sprint(h.root, "/invitations/", first.ID, "/resend")).Leads(page + "?done=invited_again")
}

func TestTeams(t *testing.T) {
	t.Parallel()
	h := open(t)
	page, crew := h.root+"/people", h.crew()
	h.admin.Post(h.root+"/teams", "name", " ").Want(422, "Name can&#39;t be blank.").CheckPage()
	h.admin.Get(h.root+"/teams").Want(200, "Crew").CheckPage()
	made := h.admin.Post(h.root+"/teams", "name", "Night shift").Want(303).Header.Get("Location")
	h.admin.Get(made).Want(200, "Night shift", "Team created.", "The admin", "will see no project: the team has none").CheckPage()
	h.admin.Get(crew).Want(200, "Invite a person").Lacks("will see no project")
	h.admin.Get(page).Want(200).Lacks("There is no team yet")
	h.member.Get(strings.TrimSuffix(made, "?done=team_made")).Want(404)
	h.admin.Post(crew, "name", "Day shift").Leads(crew + "?done=saved")
	h.admin.Post(crew, "name", "").Want(422, "Name can&#39;t be blank.").CheckPage()
	h.member.Post(crew, "name", "x").Want(403)

	h.admin.Post(crew+"/invitations", "email", "new@example.test", "message", "Hello", "admin", "true").Leads(crew + "?done=invited_by_link")
	h.admin.Post(crew+"/invitations", "email", "new@example.test").Want(422, "Email address is already invited").CheckPage()
	i := h.invitations(accountdb.Inviting{TeamID: h.team})[0]
	if !i.Admin || i.Message != "Hello" {
		t.Errorf("%+v", i)
	}
	one := fmt.Sprint(crew, "/invitations/", i.ID)
	h.member.Post(one + "/withdraw").Want(403)
	h.admin.Post(one + "/resend").Leads(crew + "?done=invited_again_by_link")
	h.admin.Post(one + "/withdraw").Leads(crew + "?done=withdrawn")

	member := fmt.Sprint(crew, "/members/", h.ids["member"])
	h.member.Post(member+"/admin", "admin", "true").Want(403)
	h.admin.Post(member+"/admin", "admin", "true").Leads(crew + "?done=saved")
	h.member.Get(crew).Want(200, "Invite a person")
	h.admin.Post(member+"/admin", "admin", "false").Leads(crew + "?done=saved")
	h.member.Post(fmt.Sprint(crew, "/members/", h.ids["admin"], "/remove")).Want(403)
	h.admin.Post(member + "/remove").Leads(crew + "?done=member_removed")
	h.member.Get(crew).Want(404)
	h.admin.Post(fmt.Sprint(crew, "/members/", h.ids["admin"], "/remove")).Leads("/?done=left")
	h.admin.Post(crew + "/delete").Leads(h.root + "/teams?done=team_deleted")
	h.admin.Get(crew).Want(404)
	h.admin.Post(strings.TrimSuffix(made, "?done=team_made") + "/delete").Leads(h.root + "/teams?done=team_deleted")
	h.admin.Get(page).Want(200, "There is no team yet. Members whom you invite now will see no project.").CheckPage()
}

func TestAudit(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.admin.Post(h.crew(), "name", "=cmd|<b>").Want(303)
	h.Clock.Push(24 * time.Hour)
	h.admin = visitor.New(t, h.Server).SignIn("admin@example.test", password)
	h.admin.Post(h.root+"/teams", "name", "Night shift").Want(303)
	owner := visitor.New(t, h.Server).SignIn("boss@example.test", password)
	page := h.root + "/audit"
	owner.Get(page).Want(200, "The admin", `<b>The admin</b> <a href="/teams/`, "renamed the team to ", "renameTeam", "=cmd|\\u003cb\\u003e", "addTeam", "Crew", `<p class="small quiet">From 127.0.0.1`).CheckPage()
	owner.Get(page+"?about=People+and+teams").Want(200, "created the team Night shift", "audit.csv?about=People")
	owner.Get(page+"?to=2026-11-18").Want(200, "renameTeam").Lacks("addTeam")
	owner.Get(page+"?from=2026-11-19").Want(200, "addTeam").Lacks("renameTeam")
	owner.Get(fmt.Sprint(page, "?user_id=", h.ids["member"])).Want(200, "No matching changes.").CheckPage()
	owner.Get(page + "?page=x").Want(422)
	table := owner.Get(page+".csv?to=2026-11-18").Want(200, "at,person,email", "The admin,admin@example.test", "renameTeam,renamed the team to =cmd|<b>,Crew,team 1")
	if table.Header.Get("Content-Type") != "text/csv; charset=utf-8" || strings.Count(table.Body, "\n") != 2 {
		t.Errorf("%v %s", table.Header, table.Body)
	}
}

func TestStatsAndAccount(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.member.Get(h.root+"/stats").Want(200, "Stored events", "no monthly quota", "18 Nov")
	h.member.Get(h.root+"/settings").Want(200, "Acme", h.Setup.AccountID, "Member", "Leave this account")
}

// Every form that changes something leaves an entry in the log of the account.
func TestFormsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	h := open(t)
	h.admin.Post(h.root+"/invitations", "email", "new@example.test", "role", "Member")
	to := accountdb.Inviting{AccountID: h.Setup.AccountID}
	one := fmt.Sprint(h.root, "/invitations/", h.invitations(to)[0].ID)
	member := fmt.Sprint(h.root, "/people/", h.ids["member"])
	teamMember := fmt.Sprint(h.crew(), "/members/", h.ids["member"])
	for _, c := range []struct{ action, path, name, value string }{
		{"inviteAgain", one + "/resend", "", ""},
		{"withdrawInvitation", one + "/withdraw", "", ""},
		{"giveRole", member + "/role", "role", "Billing"},
		{"renameTeam", h.crew(), "name", "x"},
		{"setTeamAdmin", teamMember + "/admin", "admin", "true"},
		{"inviteToTeam", h.crew() + "/invitations", "email", "b@example.test"},
		{"removeMember", teamMember + "/remove", "", ""},
		{"removeUser", member + "/remove", "", ""},
		{"addTeam", h.root + "/teams", "name", "y"},
		{"dropTeam", h.crew() + "/delete", "", ""},
	} {
		h.admin.Post(c.path, c.name, c.value).Want(303)
		found, _, err := h.App.Store().Accounts.ListAudit(t.Context(), h.Setup.AccountID, accountdb.AuditFilter{Actions: []string{c.action}, Page: sett.Page{Size: 5}})
		if err != nil || len(found) != 1 || found[0].User.ID != h.ids["admin"] {
			t.Errorf("%s: %+v, %v", c.action, found, err)
		}
	}
	if regexp.MustCompile(`sett_i_`).MatchString(h.owner.Get(h.root + "/audit").Body) {
		t.Error("the log contains a token")
	}
}

func TestAccountIsRenamed(t *testing.T) {
	t.Parallel()
	h := open(t)
	page := h.root + "/settings"
	h.admin.Post(page, "name", " Acme & Sons ").Leads(page + "?done=saved")
	h.admin.Get(page).Want(200, `value="Acme &amp; Sons"`)
	h.admin.Post(page, "name", " ").Want(422, "Name can&#39;t be blank.").CheckPage()
	h.member.Get(page).Lacks("Rename")
	h.member.Post(page, "name", "Mine").Want(403)
	entries, _, err := h.App.Store().Accounts.ListAudit(t.Context(), h.Setup.AccountID, accountdb.AuditFilter{Actions: []string{"renameAccount"}, Page: sett.Page{Size: 10}})
	if err != nil || len(entries) != 1 {
		t.Errorf("the audit log has %+v, %v", entries, err)
	}
}
