package people

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/sett/accounts"
	"sett/internal/store/accountdb"
	"sett/internal/web"
)

// Limits of lists.
const (
	mostUsers       = 50
	mostInvitations = 500
)

// peopleList is the users and invitations of an account.
type peopleList struct {
	page
	Named       string // the search for users
	Users       []userRow
	Pager       web.Pager
	Invitations []invitedRow
	Invite      web.Fields
	InTeams     []teamTick // teams for a new invitation
	Directory   bool       // manages people too
}

// userRow is a user of the account.
type userRow struct {
	accounts.AccountUser
	Self  bool
	Roles []web.Choice // roles that the current user may assign; empty: none
}

// teamTick is a team to which people can be invited.
type teamTick struct {
	ID   int64
	Name string
	On   bool
}

func (p *pages) newPeopleList(r *http.Request, form url.Values) (*peopleList, error) {
	list := &peopleList{page: p.newPage(r, "People", "people")}
	list.Named = strings.TrimSpace(r.URL.Query().Get("named"))
	users, marks, err := p.Accounts.ListAccountUsers(r.Context(), list.AccountID, accountdb.AccountUserFilter{Named: list.Named, Page: web.PageOf(r, mostUsers)})
	if err != nil {
		return nil, err
	}
	list.Pager = p.NewPager(r, marks)
	for _, u := range users {
		list.Users = append(list.Users, userRow{u, u.ID == list.User.ID, rolesFor(web.ScopeOf(r), u.Role)})
	}
	teams, _, err := p.teams(r, list.AccountID)
	if err != nil {
		return nil, err
	}
	chosen := ids(form["team_ids"])
	if form == nil && len(teams) == 1 { // without a team, a member sees nothing
		chosen = []int64{teams[0].ID}
	}
	for _, t := range teams {
		list.InTeams = append(list.InTeams, teamTick{t.ID, t.Name, slices.Contains(chosen, t.ID)})
	}
	role := form.Get("role")
	if role == "" {
		role = string(accounts.Member)
	}
	list.Invite = web.Fields{
		{Name: "email", Label: "Email address", Kind: "email", Value: form.Get("email"), Hint: p.howInvited() + " The link is valid for 14 days."},
		{Name: "role", Label: "Role", Value: role, Choices: roleChoices(web.ScopeOf(r)), Hint: "Members see the projects of their teams. Admins see all projects and manage people. Owners can also read the audit log."},
	}
	if !list.May(accounts.ManagePeople) {
		return list, nil
	}
	settings, err := p.Accounts.Directory(r.Context(), list.AccountID)
	if err != nil {
		return nil, err
	}
	list.Directory = settings.HasToken
	list.Secret = !p.Mail // it has links that let their readers in
	list.Invitations, err = p.invited(r, accountdb.Inviting{AccountID: list.AccountID}, account(r, ""))
	return list, err
}

// howInvited says how the link of an invitation reaches the invited person.
func (p *pages) howInvited() string {
	if p.Mail {
		return "They receive an email with a link."
	}
	return "This server sends no email: you get a link to send yourself."
}

// roleChoices returns the roles that a user may invite to.
func roleChoices(by accounts.Scope) (choices []web.Choice) {
	for _, role := range accounts.Roles {
		if (accounts.Invitation{Role: role}).CheckInviter(by.Role) == nil {
			choices = append(choices, web.Choice{Value: string(role), Label: string(role)})
		}
	}
	return choices
}

// rolesFor returns the roles that a user may assign to a user with a role.
func rolesFor(by accounts.Scope, has accounts.Role) (choices []web.Choice) {
	for _, role := range accounts.Roles {
		if (accounts.Standing{Asker: by.Role, User: has, Owners: 2}).ChangeRole(role) == nil {
			choices = append(choices, web.Choice{Value: string(role), Label: string(role)})
		}
	}
	return choices
}

func (p *pages) peoplePage(w http.ResponseWriter, r *http.Request) error {
	list, err := p.newPeopleList(r, nil)
	if err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "people", list)
}

// peopleAgain shows the page with the problems of the invitation, if there are some.
func (p *pages) peopleAgain(w http.ResponseWriter, r *http.Request, err error, form url.Values) error {
	again, failed := p.newPeopleList(r, form)
	if failed != nil {
		return failed
	}
	again.Invite.Explain(sett.ProblemsOf(err))
	return p.Again(w, r, err, "people", again)
}

func (p *pages) giveRole(w http.ResponseWriter, r *http.Request) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	change := accounts.AccountUserChange{Role: sett.Some(accounts.Role(form.Get("role")))}
	if err := p.Accounts.UpdateAccountUser(r.Context(), web.Who(r).User.ID, r.PathValue("account_id"), web.PathID(r, "user_id"), change); err != nil {
		return p.peopleAgain(w, r, err, nil)
	}
	return p.Done(w, account(r, "/people"), "saved")
}

func (p *pages) removeUser(w http.ResponseWriter, r *http.Request) error {
	self, user := web.Who(r).User.ID, web.PathID(r, "user_id")
	if err := p.Accounts.RemoveAccountUser(r.Context(), self, r.PathValue("account_id"), user); err != nil {
		return p.peopleAgain(w, r, err, nil)
	}
	if user == self {
		return p.Done(w, "/", "left")
	}
	return p.Done(w, account(r, "/people"), "user_removed")
}
