package fault

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"sett/internal/sett"
	"sett/internal/store"
)

// affected is whom a fault happened to.
type affected struct {
	Count int64
	Top   []affectedUser
}

// affectedUser is one of them.
type affectedUser struct {
	Name, Link string
	Count      int64
}

// mostUsers is how many users the page of a fault names.
const mostUsers = 5

func (p *pages) readUsers(r *http.Request, v *faultView) error {
	found, all, err := p.Store.AffectedUsers(r.Context(), v.Fault.ProjectID, v.Fault.ID, "", mostUsers)
	if err != nil {
		return err
	}
	v.Users.Count = all
	v.Users.Top, err = p.linkUsers(r.Context(), v.Project, v.Fault, found)
	return err
}

// linkUsers gives each user the link that the template of the project makes. Users are counted by one label, an address or
// an id; where the template asks for the other one, the newest events say it.
func (p *pages) linkUsers(ctx context.Context, project sett.Project, f sett.Fault, found []store.AffectedUser) ([]affectedUser, error) {
	known := map[string]*sett.NoticeUser{}
	if slices.ContainsFunc(found, func(u store.AffectedUser) bool { return lacks(project, u.User) }) {
		var err error
		if known, err = p.usersOfEvents(ctx, f); err != nil {
			return nil, err
		}
	}
	users := make([]affectedUser, len(found))
	for i, u := range found {
		who := known[u.User]
		if who == nil {
			who = userOfLabel(u.User)
		}
		users[i] = affectedUser{cut(u.User, 200), userLink(project.UserURL, who), u.Count}
	}
	return users, nil
}

// lacks reports whether the template of a project asks for what a label alone does not say.
func lacks(project sett.Project, label string) bool {
	template, u := project.UserURL, userOfLabel(label)
	if template != "" && project.UserSearchField != "" {
		return true // the label may be anything
	}
	return u.ID == nil && strings.Contains(template, "[user_id]") || u.Email == "" && strings.Contains(template, "[user_email]")
}

// userOfLabel takes a label with an @ for an address, and any other for an id.
func userOfLabel(label string) *sett.NoticeUser {
	if strings.Contains(label, "@") {
		return &sett.NoticeUser{Email: label}
	}
	return &sett.NoticeUser{ID: label}
}

// eventsForUsers is how many of the newest events are read to find the ids of users.
const eventsForUsers = 100

// usersOfEvents are the users of the newest events of a fault, by each name that an event gives them.
func (p *pages) usersOfEvents(ctx context.Context, f sett.Fault) (map[string]*sett.NoticeUser, error) {
	notices, _, err := p.Store.ListNotices(ctx, f.ProjectID, f.ID, store.NoticePage{Page: sett.Page{Size: eventsForUsers}})
	users := map[string]*sett.NoticeUser{}
	for _, n := range slices.Backward(notices) { // the newest one counts
		if u := n.Request.User; u != nil {
			users[u.Email], users[idOf(u)] = linkedUser(n), linkedUser(n)
		}
	}
	return users, err
}
